#include <algorithm>
#include <vector>

#include "components/isa/load_trace.h"
#include "components/sm/prefetch/prefetcher.h"
#include "core/error/error.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

struct OracleParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, ahead, 2, {1, 64, "load"},
                        {.help = "How many of each warp's next loads are prefetched.",
                         .source = "estimate: enough for the next iteration of a loop with two loads"});
    LOOKAHEAD_ALL_DECLARED;
};

namespace {

const isa::LoadTrace* known_loads(const PrefetcherArguments& arguments) {
    try {
        return arguments.loads != nullptr ? arguments.loads->get() : nullptr;
    } catch (const ConfigurationError& error) {
        throw ConfigurationError("sm.prefetcher = oracle runs a program twice, first on the functional emulator: {}",
                                 error.what());
    }
}

}  // namespace

/// A bound, not a design: it knows each warp's loads from a functional run. When a CTA starts, it fetches the first
/// loads of each of its warps; whenever a warp has executed one, it fetches the next. Queue, L1, MSHRs and memory are
/// those of all prefetchers. It ignores loads of more than four lines.
class OraclePrefetcher final : public Prefetcher {
  public:
    using Parameters = OracleParameters;

    OraclePrefetcher(const Parameters& parameters, const PrefetcherArguments& arguments)
        : ahead_(static_cast<std::size_t>(parameters.ahead)),
          trace_(known_loads(arguments)),
          port_(arguments.port),
          warps_(arguments.contexts) {}

    void begin_launch(const LaunchOnSm& launch) override {
        launch_ =
            trace_ != nullptr && launch.launch < trace_->launches.size() ? &trace_->launches[launch.launch] : nullptr;
        warps_per_cta_ = launch.warps_per_cta;
    }
    void end_launch() override { warps_.assign(warps_.size(), {}); }
    void cta_started(unsigned slot, std::uint64_t cta) override {
        for (unsigned warp = 0; warp < warps_per_cta_; ++warp) {
            const auto context = static_cast<std::uint16_t>(slot * warps_per_cta_ + warp);
            warps_[context] = {.warp = cta * warps_per_cta_ + warp, .next = 0, .fetched = 0};
            fetch(context);
        }
    }
    void on_load(const ObservedLoad& load, Cycle) override {
        Progress& progress = warps_[load.context];
        if (const isa::LoadTrace::Warp* loads = loads_of(progress); loads != nullptr) {
            for (std::size_t next = progress.next; next < loads->size(); ++next) {
                if ((*loads)[next].pc == load.pc) {
                    progress.next = next + 1;
                    break;
                }
            }
            fetch(load.context);
        }
    }

    void fields(StateArchive& archive) override { archive& warps_; }

  private:
    /// What a resident warp has executed.
    struct Progress {
        std::uint64_t warp = 0;     ///< in the launch
        std::uint64_t next = 0;     ///< its first load that it has not executed
        std::uint64_t fetched = 0;  ///< its first load that was not requested

        void fields(StateArchive& archive) { archive& warp& next& fetched; }
    };

    const isa::LoadTrace::Warp* loads_of(const Progress& progress) const {
        return launch_ != nullptr && progress.warp < launch_->warps.size() ? &launch_->warps[progress.warp] : nullptr;
    }
    void fetch(std::uint16_t context) {
        Progress& progress = warps_[context];
        const isa::LoadTrace::Warp* loads = loads_of(progress);
        if (loads == nullptr) { return; }
        progress.fetched = std::max(progress.fetched, progress.next);
        for (; progress.fetched < std::min<std::uint64_t>(progress.next + ahead_, loads->size()); ++progress.fetched) {
            const isa::LoadTrace::Load& load = (*loads)[progress.fetched];
            for (std::uint32_t i = 0; i < load.count; ++i) {
                port_.prefetch({.line = load.lines[i], .pc = load.pc, .context = context});
            }
        }
    }

    std::size_t ahead_;
    const isa::LoadTrace* trace_;
    PrefetchPort& port_;
    const isa::LoadTrace::Launch* launch_ = nullptr;
    unsigned warps_per_cta_ = 1;
    std::vector<Progress> warps_;  // by context
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, OraclePrefetcher, "oracle",
                           "A bound: knows each warp's next loads from a functional run.",
                           "none: a bound for all papers")

}  // namespace lookahead::gpu
