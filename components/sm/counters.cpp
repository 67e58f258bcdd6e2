#include "components/sm/counters.h"

#include "core/stats/statistics_registry.h"

LOOKAHEAD_REGISTER_STATISTICS(lookahead::gpu::SmCounters, "sm", "A streaming multiprocessor.")
LOOKAHEAD_REGISTER_STATISTICS(lookahead::gpu::SchedulerCounters, "sm_scheduler",
                              "A warp scheduler: what became of each of its cycles.")
