#include "components/sm/warp_scheduler/gto_order.h"
#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

class GtoScheduler final : public WarpScheduler {
  public:
    explicit GtoScheduler(const WarpSchedulerArguments&) {}

    [[gnu::hot]] unsigned pick(ContextMask candidates, Cycle) override { return order_.pick(candidates); }
    void started(unsigned warp) override { order_.started(warp); }
    void exited(unsigned warp) override { order_.exited(warp); }

    void fields(StateArchive& archive) override { archive& order_; }

  private:
    GtoOrder order_;
};

LOOKAHEAD_REGISTER_VARIANT(WarpScheduler, GtoScheduler, "gto",
                           "Greedy then oldest: one warp until it stalls, then the ready warp that started first.",
                           "Rogers, O'Connor and Aamodt, MICRO 2012")

}  // namespace lookahead::gpu
