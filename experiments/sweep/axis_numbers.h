#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "experiments/sweep/study.h"

namespace lookahead {

/// The finite number of which the whole text consists, as "8", "0.5" or "2000e6"; nothing for other texts.
std::optional<double> number_of(std::string_view text);

/// Whether all values of the axis are numbers: its column of the index then has numbers, else texts.
bool is_numeric(const Axis&);

/// The unit of the axis's configuration key; empty if the axis does not set exactly one key, or the key has no unit.
std::string unit_of(const Axis&);

}  // namespace lookahead
