#include "components/sm/pipeline/instruction_cache_parameters.h"

#include "core/param/parameter_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_PARAMETERS(InstructionCacheParameters, "l1i", "Instruction cache of an SM.")

}  // namespace lookahead::gpu
