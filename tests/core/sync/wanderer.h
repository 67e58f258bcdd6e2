#pragma once

#include <cstdint>
#include <functional>

#include "core/lp/logical_process.h"
#include "core/lp/model.h"
#include "core/phold/wheel_event_queue.h"
#include "core/sync/simulation.h"
#include "core/transport/transport.h"
#include "tests/support/variants.h"

namespace lookahead::test {

/// A process that acts only on messages, waits for nothing and has no state.
class Passive : public LogicalProcess {
  public:
    Time next_event_time() const override { return kTimeInfinity; }
    bool finished() const override { return true; }
    std::string waiting_for() const override { return "nothing"; }
    void fields(StateArchive&) override {}
};

/// A letter of variable length: `length` words follow.
struct Letter {
    static constexpr MessageType kType = 240;
    std::uint64_t hops_left;
    std::uint64_t length;
};

/// Keeps each letter for a random time and sends it to a random destination until its hops are used up. Tests may make
/// errors in `at_event`, which is called at every inner event.
class Wanderer final : public LogicalProcess {
  public:
    using AtEvent = std::function<void(Wanderer&, Time)>;

    Wanderer(std::uint64_t seed, unsigned ports, unsigned letters, std::uint64_t hops, Time first, Time usual_delay,
             AtEvent at_event);
    void advance(Inbox, Time horizon) override;
    Time next_event_time() const override { return events_.next_time(); }
    bool finished() const override { return waits_for_.empty(); }
    std::string waiting_for() const override { return waits_for_; }
    std::uint64_t progress() const override { return handled_; }
    void fields(StateArchive& archive) override;

    void wait_for(std::string what) { waits_for_ = std::move(what); }
    using LogicalProcess::fail;

  private:
    void handle(Time now, Letter letter);
    std::uint64_t next_random();

    Time usual_delay_;
    AtEvent at_event_;
    WheelEventQueue<Letter> events_;
    std::uint64_t random_;
    std::uint64_t handled_ = 0;
    std::uint64_t checksum_ = 0;
    Time charged_until_ = 0;  // in bulk, at each advance: shows whether all LPs are at an epoch's time
    std::string waits_for_;
};

struct WandererOptions {
    std::uint64_t seed = 1;
    unsigned processes = 13;
    unsigned letters = 2;  ///< of each process at the beginning
    std::uint64_t hops = 60;
    Time least_lookahead = 1;
    Time longest_lookahead = 5000;  ///< nearly, beyond the least
    unsigned kinds = 1;             ///< LP i is of kind i modulo this, and what it sends takes so much longer at least:
    Time kind_lookahead = 0;        ///< times its kind
    bool two_sides = false;         ///< odd LPs send only to even ones; needs an even number of kinds
    Time usual_delay = 3000;
    Time first = 0;                                        ///< no event is earlier
    std::function<Wanderer::AtEvent(LpId)> at_event = {};  ///< optional
};

/// The action at every inner event of these processes only.
std::function<Wanderer::AtEvent(LpId)> only(std::vector<LpId> processes, const Wanderer::AtEvent& action);

/// A random graph with random lookaheads.
Model make_wanderers(const WandererOptions&);

/// LP i is on rank i modulo the ranks or, if `linear`, ranks have runs of LPs.
std::vector<int> spread(std::size_t processes, int ranks, bool linear);

/// The transport of all ranks of the test program.
Transport& test_transport();

inline std::vector<std::string> parallel_protocols() {
    return test::variants_of("sync", {"serial"});
}

/// Runs a model spread over all ranks.
SimulationResult run_over(Transport& transport, const Model& model, const SimulationOptions& options,
                          bool linear = false);

void check_same(const SimulationResult& result, const SimulationResult& expected);

/// The most windows of a rank, in common steps or within them.
std::uint64_t most_windows(const SimulationResult& result);

class EpochLog : public EpochObserver {
  public:
    void on_epoch(const EpochReport& report, std::span<LogicalProcess* const>) override { reports.push_back(report); }
    std::vector<EpochReport> reports;
};

bool same(const std::vector<EpochReport>&, const std::vector<EpochReport>&);

}  // namespace lookahead::test
