#include <array>

#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Greedy then oldest: the warp that issued last as long as it is ready, else the ready warp that started first.
class GtoScheduler final : public WarpScheduler {
  public:
    explicit GtoScheduler(const WarpSchedulerArguments&) {}

    [[gnu::hot]] unsigned pick(ContextMask candidates, Cycle) override {
        if (candidates.intersects(greedy_)) {
            return greedy_.first();
        }
        const unsigned oldest = oldest_of(candidates);
        greedy_ = context_bit(oldest);
        return oldest;
    }
    void started(unsigned warp) override { start_[warp] = ++starts_; }
    void exited(unsigned warp) override { greedy_ &= ~context_bit(warp); }

    void fields(StateArchive& archive) override { archive& greedy_& starts_& start_; }

  private:
    unsigned oldest_of(ContextMask candidates) const {
        unsigned oldest = candidates.first();
        candidates.for_each([&](unsigned warp) { oldest = start_[warp] < start_[oldest] ? warp : oldest; });
        return oldest;
    }

    ContextMask greedy_ = 0;  ///< the warp that issued last, or none
    std::uint64_t starts_ = 0;
    std::array<std::uint64_t, kMaximumContexts> start_{};  ///< rank by age of each warp
};

LOOKAHEAD_REGISTER_VARIANT(WarpScheduler, GtoScheduler, "gto",
                           "Greedy then oldest: one warp until it stalls, then the ready warp that started first.",
                           "Rogers, O'Connor and Aamodt, MICRO 2012")

}  // namespace lookahead::gpu
