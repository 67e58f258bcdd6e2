#pragma once

#include "core/param/configuration.h"

namespace lookahead {

/// An issue extension that works on kernels which a transform of its own name prepares (`dac`) brings it: the key
/// kernel.transform names it then, unless it is set, to `none` for example. To be called once all keys are set.
void bring_transforms(Configuration& configuration);

}  // namespace lookahead
