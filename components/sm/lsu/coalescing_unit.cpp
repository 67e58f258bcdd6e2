#include "components/sm/lsu/coalescing_unit.h"

#include "components/sm/lsu/coalescing_unit_definitions.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

template class BasicCoalescingUnit<MemoryContract>;

LOOKAHEAD_REGISTER_STATISTICS(LsuCounters, "lsu", "Load/store unit of an SM")
LOOKAHEAD_REGISTER_VARIANT(LoadStoreUnit, CoalescingUnit, "coalescing",
                           "One queue in order; a warp's lanes of one 128-byte line make one access.",
                           "NVIDIA, CUDA C Programming Guide, compute capability 2.x")

}  // namespace lookahead::gpu
