#include "components/dram/dram_counters.h"

#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_STATISTICS(DramCounters, "dram", "A DRAM channel.")

}  // namespace lookahead::gpu
