#pragma once

#include <memory>

#include "core/param/configuration.h"

namespace lookahead::finaliser {

class KernelTransform;

/// The transform of the key "kernel.transform": null for `none`, and several variants joined by `+` as one.
/// ConfigurationError for names that are unknown, repeated, or empty.
std::shared_ptr<const KernelTransform> configured_transform(const Configuration& configuration);

}  // namespace lookahead::finaliser
