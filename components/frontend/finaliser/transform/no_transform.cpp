#include "components/frontend/finaliser/transform/kernel_transform.h"

namespace lookahead::finaliser {

/// The default; configured_transform never makes it.
class NoTransform final : public KernelTransform {};

LOOKAHEAD_REGISTER_VARIANT(KernelTransform, NoTransform, "none", "Kernels are unchanged.",
                           "the default; every machine's baseline")

}  // namespace lookahead::finaliser
