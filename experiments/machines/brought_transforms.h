#pragma once

#include "components/frontend/finaliser/transform/kernel_transform.h"
#include "components/sm/pipeline/issue_extension.h"
#include "core/component/describe.h"
#include "core/param/configuration.h"

namespace lookahead {

inline constexpr SlotChoice kBroughtTransforms{.slot = SlotTraits<finaliser::KernelTransform>::name,
                                               .brought_by = SlotTraits<gpu::IssueExtension>::name};

/// An issue extension that works on kernels which a transform of its own name prepares (`dac`) brings it: the key
/// kernel.transform names it then, unless it is set, to `none` for example. To be called once all keys are set.
void bring_transforms(Configuration& configuration);

}  // namespace lookahead
