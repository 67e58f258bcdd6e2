#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "experiments/sweep/study.h"

namespace lookahead {

/// The finite number that a text is from its first letter to its last, as "8", "0.5" or "2000e6"; nothing for other texts.
std::optional<double> number_of(std::string_view text);

/// Whether all values of the axis are numbers: its column of the index then is one of numbers, else of texts.
bool is_numeric(const Axis&);

/// The unit of the configuration key that the axis's values are of; empty where it is not of one key, or the key has none.
std::string unit_of(const Axis&);

}  // namespace lookahead
