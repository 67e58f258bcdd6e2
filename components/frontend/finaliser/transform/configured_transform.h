#pragma once

#include <memory>

#include "core/param/configuration.h"

namespace lookahead::finaliser {

class KernelTransform;

/// What the key "kernel.transform" names: null for `none`, and several variants joined by `+` as one. ConfigurationError
/// for names that are not known, stand twice, or are empty.
std::shared_ptr<const KernelTransform> configured_transform(const Configuration& configuration);

}  // namespace lookahead::finaliser
