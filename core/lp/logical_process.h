#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/message/message.h"
#include "core/port/out_port.h"
#include "core/time/time.h"

namespace lookahead {

class Audit;
class PhaseLog;
class StateArchive;
class StatisticsVisitor;
class TraceVisitor;
struct TraceWindow;

/// Messages sorted by (time, channel, sequence). Each message's time is at or after the last horizon and before the new
/// one.
using Inbox = std::span<const MessageHeader* const>;

/// A part of the model that owns its state, its clock and its inner schedule, and communicates by messages alone. The
/// division of its time must not matter: advancing to 10 at once, or to 3 and then to 10, gives the same messages and
/// the same state. The engine also calls advance with an empty inbox at epochs, so that counts charged in bulk are
/// exact at that time.
class LogicalProcess {
  public:
    LogicalProcess() = default;
    virtual ~LogicalProcess() = default;
    LogicalProcess(const LogicalProcess&) = delete;
    LogicalProcess& operator=(const LogicalProcess&) = delete;

    /// Handles the whole inbox and every inner event before the horizon. The messages are valid during the call only.
    /// An Error (such as a ProgramError) thrown from it ends the run at the end of the epoch.
    virtual void advance(Inbox inbox, Time horizon) = 0;

    /// The time of the earliest inner event if no further message comes; kTimeInfinity if the LP is idle. Never below
    /// the last horizon.
    virtual Time next_event_time() const = 0;

    /// False while the LP waits for anything. A run without further events is deadlocked if any LP is not finished.
    virtual bool finished() const = 0;
    /// The reason why the LP waits, as a phrase for the deadlock report.
    virtual std::string waiting_for() const = 0;

    /// All architectural and statistical state, field by field, for checkpoints and for the hash of the state.
    virtual void fields(StateArchive& archive) = 0;
    virtual void visit_statistics(StatisticsVisitor&) const {}
    /// The counters of visit_statistics by phases of the program; nullptr if the process does not keep them.
    virtual const PhaseLog* phases() const { return nullptr; }
    /// A measure of progress, summed over all LPs at epochs.
    virtual std::uint64_t progress() const { return 0; }

    /// Checks invariants at the end of a run, when no message is under way: reports resources that were not returned,
    /// and the quantities that this process gave to others or took from them.
    virtual void audit(Audit&) const {}

    /// Starts recording the process's actions over simulated time, for visit_trace; called once, before the run.
    /// Recording changes no state and is not in checkpoints.
    virtual void start_trace(const TraceWindow&) {}
    virtual void visit_trace(TraceVisitor&) const {}

    LpId id() const { return id_; }
    const std::string& name() const { return name_; }
    unsigned out_ports() const { return static_cast<unsigned>(ports_.size()); }
    OutPort& out_port(unsigned i) { return *ports_[i]; }

  protected:
    /// Call it in the constructor. Ports are numbered from 0 in the order of the calls.
    OutPort& add_out_port(std::string name) {
        return *ports_.emplace_back(std::make_unique<OutPort>(name_, std::move(name)));
    }

    /// Throws a ProgramError with the time `now`. Of several errors in an epoch the run reports the one with the least
    /// (time, LP); a ProgramError thrown in another way counts as if it had the epoch's end as its time.
    [[noreturn]] void fail(Time now, const std::string& sentence);

  private:
    friend class LpBinding;

    LpId id_ = 0;
    std::string name_ = "unbound";
    std::vector<std::unique_ptr<OutPort>> ports_;
    Time failed_at_ = kTimeInfinity;
};

}  // namespace lookahead
