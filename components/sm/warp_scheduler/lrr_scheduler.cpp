
#include "components/sm/warp_scheduler/warp_scheduler.h"
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

}  // namespace lookahead::gpu
