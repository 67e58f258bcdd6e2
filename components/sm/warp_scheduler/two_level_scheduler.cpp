#include "components/sm/warp_scheduler/two_level_scheduler.h"

#include "core/state/state_archive.h"

namespace lookahead::gpu {

void TwoLevelScheduler::fields(StateArchive& archive) {
    archive& queues_& ages_& last_;
}

LOOKAHEAD_REGISTER_VARIANT(
    WarpScheduler, TwoLevelScheduler, "two_level",
    "Two-level active: the oldest of a small ready queue issues; who waits long goes to a pending one.",
    "Narasiman et al., MICRO 2011; Gebhart et al., ISCA 2011")

}  // namespace lookahead::gpu
