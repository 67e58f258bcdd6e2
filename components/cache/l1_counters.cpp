#include "components/cache/l1_counters.h"

#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_STATISTICS(L1Counters, "l1d", "L1 data cache of an SM")

}  // namespace lookahead::gpu
