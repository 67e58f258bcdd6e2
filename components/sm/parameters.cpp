#include "components/sm/parameters.h"

#include "components/sm/counters.h"
#include "components/sm/instruction_counters.h"
#include "core/param/parameter_registry.h"
#include "core/stats/statistics_registry.h"

LOOKAHEAD_REGISTER_PARAMETERS(lookahead::gpu::SmParameters, "sm", "A streaming multiprocessor.")
LOOKAHEAD_REGISTER_PARAMETERS(lookahead::gpu::TimingParameters, "sm.timing",
                              "Latencies and initiation intervals of an SM's pipelines.")
LOOKAHEAD_REGISTER_STATISTICS(lookahead::gpu::SmCounters, "sm", "A streaming multiprocessor.")
LOOKAHEAD_REGISTER_STATISTICS(lookahead::gpu::InstructionCounters, "instruction",
                              "An instruction of a kernel, as warps execute it.")
LOOKAHEAD_REGISTER_STATISTICS(lookahead::gpu::SchedulerCounters, "sm_scheduler",
                              "A warp scheduler: what became of each of its cycles.")
