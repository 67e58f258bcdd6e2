#include "core/phold/window_benchmark.h"

#include <chrono>

#include "core/error/error.h"
#include "core/lp/logical_process.h"
#include "core/lp/model.h"
#include "core/state/state_archive.h"
#include "core/sync/simulation.h"
#include "core/transport/transport.h"

namespace lookahead {
namespace {

constexpr Time kPeriod = 1000;

class Metronome final : public LogicalProcess {
  public:
    explicit Metronome(Time end) : end_(end) { add_out_port("never used"); }
    void advance(Inbox, Time horizon) override {
        while (next_ < horizon && next_ < end_) { next_ += kPeriod; }
    }
    Time next_event_time() const override { return next_ < end_ ? next_ : kTimeInfinity; }
    bool finished() const override { return next_ >= end_; }
    std::string waiting_for() const override { return "its next beat"; }
    void fields(StateArchive& archive) override { archive& next_; }

  private:
    Time next_ = 0;
    Time end_;
};

}  // namespace

WindowBenchmarkResult benchmark_windows(std::uint64_t windows, Transport& transport, const std::string& sync) {
    const auto ranks = static_cast<LpId>(transport.size());
    const Time end = static_cast<Time>(windows) * kPeriod;
    Model model;
    std::vector<int> rank_of_lp;
    for (LpId id = 0; id < ranks; ++id) {
        model.add({fmt::format("metronome{}", id), "metronome"}, [end] { return std::make_unique<Metronome>(end); });
        rank_of_lp.push_back(static_cast<int>(id));
    }
    for (LpId id = 0; id < ranks; ++id) { model.connect_all(id, 0, 0, ranks, 0, kPeriod); }
    Simulation simulation(model, rank_of_lp, transport, {.sync = sync, .epoch_length = end});
    transport.barrier();
    const auto begin = std::chrono::steady_clock::now();
    SimulationResult run = simulation.run();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (run.outcome != Outcome::finished) { throw InternalError(run.message); }
    WindowBenchmarkResult result;
    for (const EngineStatistics& rank : run.per_rank) {
        const std::uint64_t of_rank = transport.size() == 1 ? std::max(rank.windows, rank.inner_windows) : rank.windows;
        result.windows = std::max(result.windows, of_rank);
    }
    result.microseconds_per_window = seconds * 1e6 / static_cast<double>(result.windows);
    result.per_rank = std::move(run.per_rank);
    return result;
}

}  // namespace lookahead
