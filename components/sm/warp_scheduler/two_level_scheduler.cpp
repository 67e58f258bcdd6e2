#include "components/sm/warp_scheduler/two_level_scheduler.h"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

namespace lookahead::gpu {

void TwoLevelScheduler::hash_state(StateHasher& hasher) const {
    queues_.hash(hasher);
    hasher.add(last_);
}
void TwoLevelScheduler::save(boost::archive::binary_oarchive& archive) const {
    archive << queues_ << last_;
}
void TwoLevelScheduler::load(boost::archive::binary_iarchive& archive) {
    archive >> queues_ >> last_;
}

LOOKAHEAD_REGISTER_VARIANT(
    WarpScheduler, TwoLevelScheduler, "two_level",
    "Two-level active: a small ready queue issues in turn; who waits long goes to a pending one.",
    "Narasiman et al., MICRO 2011; Gebhart et al., ISCA 2011")

}  // namespace lookahead::gpu
