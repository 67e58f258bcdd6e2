#pragma once

#include <string>
#include <string_view>

#include "core/param/configuration.h"

namespace lookahead {

/// Reads, and so checks, all keys that the components of this program read, without making the components: all
/// parameters except those of variants, every slot that has a default, and the parameters of the variant in that slot.
/// Then the effective configuration and its hash are known. ConfigurationError for an unknown variant.
void read_registered(const Configuration& configuration);

/// Reads the parameters of a variant, even if the slot has another one.
void read_variant(std::string_view slot, const std::string& name, const Configuration& configuration);

}  // namespace lookahead
