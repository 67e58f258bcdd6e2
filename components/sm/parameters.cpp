#include "components/sm/parameters.h"

#include "core/param/parameter_registry.h"

LOOKAHEAD_REGISTER_PARAMETERS(lookahead::gpu::SmParameters, "sm", "A streaming multiprocessor.")
LOOKAHEAD_REGISTER_PARAMETERS(lookahead::gpu::TimingParameters, "sm.timing",
                              "Latencies and initiation intervals of an SM's pipelines.")
