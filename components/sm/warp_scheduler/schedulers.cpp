#include "components/sm/warp_scheduler/gto_order.h"
#include "components/sm/warp_scheduler/two_level_scheduler.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Loose round robin: the first ready warp after the one that issued last.
class LrrScheduler final : public WarpScheduler {
  public:
    explicit LrrScheduler(const WarpSchedulerArguments&) {}

    [[gnu::hot]] unsigned pick(ContextMask candidates, Cycle) override {
        last_ = next_in_turn(candidates, last_);
        return last_;
    }
    void started(unsigned) override {}
    void exited(unsigned) override {}

    void fields(StateArchive& archive) override { archive& last_; }

  private:
    std::uint32_t last_ = kMaximumContexts - 1;
};

LOOKAHEAD_REGISTER_VARIANT(WarpScheduler, LrrScheduler, "lrr",
                           "Loose round robin: the first ready warp after the one that issued last.",
                           "the base policy of Narasiman et al., MICRO 2011")

/// Follows a GreedyOrder.
template <class Order>
class GreedyScheduler final : public WarpScheduler {
  public:
    explicit GreedyScheduler(const WarpSchedulerArguments&) {}

    [[gnu::hot]] unsigned pick(ContextMask candidates, Cycle) override { return order_.pick(candidates); }
    void started(unsigned warp) override { order_.started(warp); }
    void exited(unsigned warp) override { order_.exited(warp); }

    void fields(StateArchive& archive) override { archive& order_; }

  private:
    Order order_;
};
using GtoScheduler = GreedyScheduler<GtoOrder>;
using GtyScheduler = GreedyScheduler<GreedyOrder<&WarpAges::youngest_of>>;

LOOKAHEAD_REGISTER_VARIANT(WarpScheduler, GtoScheduler, "gto",
                           "Greedy then oldest: one warp until it stalls, then the ready warp that started first.",
                           "Rogers, O'Connor and Aamodt, MICRO 2012")

LOOKAHEAD_REGISTER_VARIANT(WarpScheduler, GtyScheduler, "gty",
                           "Greedy then youngest: one warp until it stalls, then the ready warp that started last.",
                           "Huerta et al., MICRO 2025, section 5.1.2: Ampere, Turing and Blackwell")

LOOKAHEAD_REGISTER_VARIANT(
    WarpScheduler, TwoLevelScheduler, "two_level",
    "Two-level active: the oldest warp of a small ready queue issues; a warp that waits long moves to a pending queue.",
    "Narasiman et al., MICRO 2011; Gebhart et al., ISCA 2011")

}  // namespace lookahead::gpu
