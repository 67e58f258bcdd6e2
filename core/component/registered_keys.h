#pragma once

#include <string>
#include <string_view>

#include "core/param/configuration.h"

namespace lookahead {

/// Reads, and so checks, what the components of this program read, without making any of them: all parameters but those
/// of variants, every slot that has a default, and the parameters of the variant that fills it. So the effective
/// configuration and its hash are known. ConfigurationError for a variant that is not there.
void read_registered(const Configuration& configuration);

/// The parameters of a variant of a slot, whatever fills it.
void read_variant(std::string_view slot, const std::string& name, const Configuration& configuration);

}  // namespace lookahead
