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

/// Sorted by (time, channel, sequence). Every message lies at or after the last horizon and before the new
/// one.
using Inbox = std::span<const MessageHeader* const>;

/// A part of the model that owns its state, its clock and its inner schedule, and is reached by messages
/// alone. It must be indifferent to how its time is cut: advancing to 10 at once, or to 3 and then to 10,
/// gives the same messages and the same state. The engine also calls advance with an empty inbox at epochs,
/// so that what is charged in bulk stands at exactly that time.
class LogicalProcess {
  public:
    LogicalProcess() = default;
    virtual ~LogicalProcess() = default;
    LogicalProcess(const LogicalProcess&) = delete;
    LogicalProcess& operator=(const LogicalProcess&) = delete;

    /// Handles all of the inbox and every inner event before the horizon. The messages are valid during the
    /// call only. A ProgramError (or any other Error) thrown out of it ends the run at the end of the epoch.
    virtual void advance(Inbox inbox, Time horizon) = 0;

    /// The earliest inner event if no further message comes; kTimeInfinity: idle. Never below the last
    /// horizon.
    virtual Time next_event_time() const = 0;

    /// False while it still waits for something: a run whose events end then is deadlocked.
    virtual bool finished() const = 0;
    /// What it waits for, as one phrase for the deadlock report.
    virtual std::string waiting_for() const = 0;

    /// All architectural and statistical state, field by field: what a checkpoint holds and what the state's hash covers.
    virtual void fields(StateArchive& archive) = 0;
    virtual void visit_statistics(StatisticsVisitor&) const {}
    /// The counters of visit_statistics by phases of the program, of those processes that keep them.
    virtual const PhaseLog* phases() const { return nullptr; }
    /// Summed over all LPs at epochs.
    virtual std::uint64_t progress() const { return 0; }

    /// What must hold when the run has come to its end and nothing is under way: all that was lent is back, and what
    /// this process gave to others, or took.
    virtual void audit(Audit&) const {}

    /// Records what it does over simulated time, for visit_trace; called once, before the run. An observer alone: it
    /// changes no state and is not in checkpoints.
    virtual void start_trace(const TraceWindow&) {}
    virtual void visit_trace(TraceVisitor&) const {}

    LpId id() const { return id_; }
    const std::string& name() const { return name_; }
    unsigned out_ports() const { return static_cast<unsigned>(ports_.size()); }
    OutPort& out_port(unsigned i) { return *ports_[i]; }

  protected:
    /// In the constructor; the ports are numbered in the order of these calls.
    OutPort& add_out_port(std::string name) {
        return *ports_.emplace_back(std::make_unique<OutPort>(name_, std::move(name)));
    }

    /// Throws a ProgramError that stands at `now`. Of several errors in an epoch the run reports the one with
    /// the least (time, LP); a ProgramError thrown in another way counts as if it stood at the epoch's end.
    [[noreturn]] void fail(Time now, const std::string& sentence);

  private:
    friend class LpBinding;

    LpId id_ = 0;
    std::string name_ = "unbound";
    std::vector<std::unique_ptr<OutPort>> ports_;
    Time failed_at_ = kTimeInfinity;
};

}  // namespace lookahead
