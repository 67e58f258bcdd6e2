#pragma once

namespace lookahead {

/// Whether the value is one of the others.
constexpr bool is_one_of(const auto& value, const auto&... others) {
    return ((value == others) || ...);
}

}  // namespace lookahead
