#include "components/memory_partition/l2_parameters.h"

#include "core/param/parameter_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_PARAMETERS(L2Parameters, "l2", "A slice of the L2 cache.")

}  // namespace lookahead::gpu
