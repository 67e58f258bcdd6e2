#include "core/phold/phold.h"

#include <algorithm>
#include <chrono>

#include "core/error/error.h"
#include "core/phold/phold_process.h"
#include "core/transport/all_gather.h"

namespace lookahead {
namespace {

void require(bool good, const std::string& sentence) {
    if (!good) { throw ConfigurationError("phold: {}", sentence); }
}

void check(const PholdOptions& options) {
    require(options.lps >= 1 && options.events >= 1, "there must be at least one LP and one event");
    require(options.remote >= 0 && options.remote <= 1, "the remote share must lie between 0 and 1");
    require(options.remote == 0 || options.lps >= 2, "remote events need two LPs");
    require(options.lookahead >= 1e-6 && options.lookahead <= 1e6, "the lookahead must lie between 1e-6 and 1e6");
    require(options.kinds >= 1 && options.kinds <= 7, "there must be 1 to 7 kinds");
    require(options.duration > 0 && options.duration <= 1e9, "the duration must lie between 0 and 1e9");
    require(options.queue == "wheel" || options.queue == "heap", "the queue must be wheel or heap");
    require(options.partition == "linear" || options.partition == "round_robin",
            "the partition must be linear or round_robin");
    const auto payloads = phold_payloads();
    std::string list;
    for (const unsigned payload : payloads) { list += fmt::format(" {}", payload); }
    require(std::find(payloads.begin(), payloads.end(), options.payload) != payloads.end(),
            fmt::format("the payload must be one of{} bytes", list));
}

std::vector<int> place(const PholdOptions& options, int ranks) {
    std::vector<int> rank_of_lp(options.lps);
    for (std::uint32_t lp = 0; lp < options.lps; ++lp) {
        rank_of_lp[lp] = options.partition == "linear"
                             ? static_cast<int>(std::uint64_t{lp} * static_cast<std::uint64_t>(ranks) / options.lps)
                             : static_cast<int>(lp % static_cast<std::uint32_t>(ranks));
    }
    return rank_of_lp;
}

class StopAtFirstEpoch final : public EpochObserver {
  public:
    bool stop(const EpochReport&) override { return true; }
};

}  // namespace

Model make_phold_model(const PholdOptions& options) {
    check(options);
    Model model;
    for (LpId id = 0; id < options.lps; ++id) {
        model.add({fmt::format("phold{}", id), fmt::format("phold{}", id % options.kinds)},
                  [options, id] { return make_phold_process(options, id); });
    }
    for (LpId id = 0; id < options.lps; ++id) {
        model.connect_all(id, 0, 0, options.lps, 0, phold_lookahead(options, id), options.remote / options.lps);
    }
    return model;
}

PholdResult run_phold(const PholdOptions& options, Transport& transport, const std::string& sync) {
    const Model model = make_phold_model(options);
    StopAtFirstEpoch observer;
    const Time end = static_cast<Time>(options.duration * static_cast<double>(kPholdUnit));
    Simulation simulation(model, place(options, transport.size()), transport,
                          {.sync = sync, .epoch_length = end, .observer = &observer});

    transport.barrier();
    const auto begin = std::chrono::steady_clock::now();
    SimulationResult run = simulation.run();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (run.outcome == Outcome::failed) { throw InternalError(run.message); }

    PholdResult result;
    result.events = run.progress;
    result.seconds = std::ranges::max(all_gather(transport, seconds));
    result.events_per_second = static_cast<double>(result.events) / result.seconds;
    result.state_hash = run.state_hash;
    result.per_rank = std::move(run.per_rank);
    return result;
}

}  // namespace lookahead
