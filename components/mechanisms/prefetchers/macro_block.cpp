#include <algorithm>
#include <bit>
#include <vector>

#include "components/protocols/memory.h"
#include "components/sm/prefetch/prefetcher.h"
#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/error/error.h"
#include "core/mutation/rule.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

struct MacroBlockParameters {
    LOOKAHEAD_PARAMETER(
        std::int64_t, blocks, 64, {1, 65536, "block"},
        {.help = "Macro blocks whose misses are remembered; the one that missed longest ago is replaced.",
         .source = "estimate: 256 lines, twice L1D's"});
    LOOKAHEAD_PARAMETER(std::int64_t, misses, 2, {1, 3, "line"},
                        {.help = "Lines of a macro block that must have missed before the others are fetched.",
                         .source = "Koo et al. (CAPS), section VI.B: two or more"});
    LOOKAHEAD_ALL_DECLARED;
};

/// Locality-aware prefetching: if two or more of the four lines of a macro block have missed, prefetches the others.
class MacroBlockPrefetcher : public Prefetcher {
  public:
    using Parameters = MacroBlockParameters;
    static constexpr unsigned kLines = 4;

    MacroBlockPrefetcher(const Parameters& parameters, const PrefetcherArguments& arguments)
        : blocks_(static_cast<std::size_t>(parameters.blocks)),
          misses_(static_cast<int>(parameters.misses)),
          port_(arguments.port) {}

    void end_launch() override { std::fill(blocks_.begin(), blocks_.end(), Block{}); }
    void on_access(const L1Event& event, Cycle) override {
        if (LOOKAHEAD_RULE(block_counts_misses) && event.kind != L1EventKind::miss) { return; }
        const std::uint64_t first = event.line & ~std::uint64_t{kLines * kLineBytes - 1};
        Block& block = find(first);
        block.updated = ++updates_;
        block.missed |= 1u << (event.line - first) / kLineBytes;
        if (std::popcount(block.missed) < misses_) { return; }
        for (unsigned line = 0; line < kLines; ++line) {
            if ((block.missed >> line & 1) == 0) {
                port_.prefetch({.line = first + line * kLineBytes, .pc = event.pc});
            }
        }
        block = {};
    }
    void fields(StateArchive& archive) override { archive& updates_& blocks_; }

  private:
    struct Block {
        std::uint64_t first = 0;
        std::uint64_t updated = 0;  ///< 0: none
        std::uint32_t missed = 0;   ///< a bit for each line

        void fields(StateArchive& archive) { archive& first& updated& missed; }
    };

    Block& find(std::uint64_t first) {
        Block* oldest = &blocks_.front();
        for (Block& block : blocks_) {
            if (block.updated != 0 && block.first == first) { return block; }
            oldest = block.updated < oldest->updated ? &block : oldest;
        }
        *oldest = {.first = first};
        return *oldest;
    }

    std::vector<Block> blocks_;
    int misses_;
    PrefetchPort& port_;
    std::uint64_t updates_ = 0;
};

/// The same prefetcher with the warp scheduler that makes neighbouring warps prefetch for each other.
class OrchestratedPrefetcher final : public MacroBlockPrefetcher {
  public:
    OrchestratedPrefetcher(const Parameters& parameters, const PrefetcherArguments& arguments)
        : MacroBlockPrefetcher(parameters, arguments) {
        const std::string scheduler = chosen_variant<WarpScheduler>(arguments.configuration);
        if (scheduler != "group_interleaved") {
            throw ConfigurationError(
                "sm.prefetcher = orch is locality-aware prefetching under sm.warp_scheduler = group_interleaved, which "
                "is \"{}\" here; set it to group_interleaved, or choose the prefetcher lap",
                scheduler);
        }
    }
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, MacroBlockPrefetcher, "lap",
                           "Locality aware: the rest of a block of four lines when two of them have missed.",
                           "Jog et al., ISCA 2013")
LOOKAHEAD_REGISTER_VARIANT(Prefetcher, OrchestratedPrefetcher, "orch",
                           "Locality aware, under the group-interleaved warp scheduler.", "Jog et al., ISCA 2013")

}  // namespace lookahead::gpu
