#include "components/dram/dram_parameters.h"

#include "core/param/parameter_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_PARAMETERS(DramParameters, "dram", "A channel's DRAM: geometry, timing and queues.")

}  // namespace lookahead::gpu
