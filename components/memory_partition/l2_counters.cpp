#include "components/memory_partition/l2_counters.h"

#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_STATISTICS(L2Counters, "l2_slice", "A slice of the L2 cache.")

}  // namespace lookahead::gpu
