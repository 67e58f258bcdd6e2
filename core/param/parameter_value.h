#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace lookahead {

/// The value of a configuration key.
using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

/// The value as TOML writes it: true, 42, 1.5, "text".
std::string to_toml(const ParameterValue& value);

}  // namespace lookahead
