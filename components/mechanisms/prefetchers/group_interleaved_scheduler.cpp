#include <algorithm>
#include <array>

#include "components/sm/warp_scheduler/two_level_scheduler.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

struct GroupInterleavedParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, group_warps, 8, {1, gpu::kMaximumContexts, "warp"},
                        {.help = "Warps of a fetch group of one scheduler, and places of its ready queue.",
                         .source = "Jog et al., ISCA 2013: groups of eight; Koo et al.: eight ready warps"});
    LOOKAHEAD_ALL_DECLARED;
};

/// The prefetch-aware scheduler of Jog et al. on top of the two-level one. Groups have no neighbouring warps, so that a
/// group prefetches for its warps' neighbours in another: with g groups, the scheduler's n-th warp is in group n mod g.
/// Free places of the ready queue go to one group while it has a pending warp that does not wait for memory, a fence or
/// a barrier, then to the next group; no place stays empty. The ready queue issues in turn.
class GroupInterleavedScheduler final : public TwoLevelScheduler {
  public:
    using Parameters = GroupInterleavedParameters;

    GroupInterleavedScheduler(const Parameters& parameters, const WarpSchedulerArguments& arguments)
        : TwoLevelScheduler({.ready_warps = parameters.group_warps, .order = "rr"}, arguments) {
        const auto size = static_cast<unsigned>(parameters.group_warps);
        const auto warps = arguments.warps.count();
        groups_ = std::max((warps + size - 1) / size, 1u);
        unsigned number = 0;
        for (const unsigned warp : arguments.warps) {
            members_[number % groups_] |= context_bit(warp);
            ++number;
        }
    }

    unsigned pick(ContextMask candidates, Cycle) override {
        const ContextMask active = (queues_.ready() | queues_.pending()) & ~queues_.waiting();
        for (unsigned tried = 0; (members_[group_] & active) == 0 && tried < groups_; ++tried) {
            group_ = next(group_);
        }
        queues_.update(members_[group_], members_[next(group_)]);
        return pick_ready(candidates);
    }

    void fields(StateArchive& archive) override { archive& queues_& ages_& group_& last_; }

  private:
    std::uint32_t next(std::uint32_t group) const { return group + 1 == groups_ ? 0 : group + 1; }

    std::uint32_t groups_ = 1;
    std::array<ContextMask, kMaximumContexts> members_{};  ///< by group
    std::uint32_t group_ = 0;                              ///< whose warps come first
};

LOOKAHEAD_REGISTER_VARIANT(WarpScheduler, GroupInterleavedScheduler, "group_interleaved",
                           "Two-level, with places for groups of warps that do not follow each other.",
                           "Jog et al., ISCA 2013")

}  // namespace lookahead::gpu
