#include <algorithm>
#include <array>
#include <bit>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array.hpp>

#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/param/parameters.h"
#include "core/stats/state_hasher.h"

namespace lookahead::gpu {

struct GroupInterleavedParameters {
    std::int64_t group_warps = 8;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::ParametersOf<lookahead::gpu::GroupInterleavedParameters> {
    using P = lookahead::gpu::GroupInterleavedParameters;
    inline static const auto list =
        parameter_list<P>(integer("group_warps", &P::group_warps,
                                  {.unit = "warp",
                                   .min = 1,
                                   .max = 64,
                                   .help = "Warps of a fetch group of one scheduler.",
                                   .source = "Jog et al., ISCA 2013: groups of eight; Koo et al.: eight ready warps"}));
};

namespace lookahead::gpu {

/// The prefetch-aware scheduler of Jog et al.: two levels, whose groups take warps that do not follow each other, so
/// that a group prefetches for the neighbours of its warps, which belong to another group. With g groups, the n-th warp
/// of the scheduler is in group n mod g. A group issues, its warps in turn, until all of them wait for memory, a fence
/// or a barrier; then comes the next one that has a warp that does not.
class GroupInterleavedScheduler final : public WarpScheduler {
  public:
    using Parameters = GroupInterleavedParameters;

    GroupInterleavedScheduler(const Parameters& parameters, const WarpSchedulerArguments& arguments)
        : states_(arguments.states) {
        const auto size = static_cast<unsigned>(parameters.group_warps);
        const auto warps = static_cast<unsigned>(std::popcount(arguments.warps));
        groups_ = std::max((warps + size - 1) / size, 1u);
        unsigned number = 0;
        for (ContextMask rest = arguments.warps; rest != 0; rest &= rest - 1) {
            members_[number++ % groups_] |= rest & -rest;
        }
    }

    unsigned pick(ContextMask candidates, Cycle) override {
        const ContextMask waiting = states_.in(ContextState::blocked_by_memory) | states_.in(ContextState::at_fence) |
                                    states_.in(ContextState::at_barrier);
        const ContextMask active = states_.live() & ~waiting;
        for (unsigned tried = 0; (members_[group_] & active) == 0 && tried < groups_; ++tried) {
            group_ = group_ + 1 == groups_ ? 0 : group_ + 1;
        }
        candidates &= members_[group_];
        if (candidates == 0) {
            return kHoldBack;
        }
        const ContextMask after = candidates & ~((context_bit(last_) << 1) - 1);
        last_ = static_cast<std::uint32_t>(std::countr_zero(after != 0 ? after : candidates));
        return last_;
    }
    void started(unsigned) override {}
    void exited(unsigned) override {}

    void hash_state(StateHasher& hasher) const override { hasher.add(group_ | std::uint64_t{last_} << 32); }
    void save(boost::archive::binary_oarchive& archive) const override { archive << group_ << last_; }
    void load(boost::archive::binary_iarchive& archive) override { archive >> group_ >> last_; }

  private:
    const ContextStates& states_;
    std::uint32_t groups_ = 1;
    std::array<ContextMask, kMaximumContexts> members_{};  ///< of each group
    std::uint32_t group_ = 0;                              ///< the one that issues
    std::uint32_t last_ = kMaximumContexts - 1;
};

LOOKAHEAD_REGISTER_VARIANT(WarpScheduler, GroupInterleavedScheduler, "group_interleaved",
                           "Two levels whose groups take warps that do not follow each other.", "Jog et al., ISCA 2013")

}  // namespace lookahead::gpu
