#pragma once

#include <cstdint>

namespace lookahead::cli {

/// The part as a percentage of the whole; 0 if the whole is 0.
constexpr double percentage(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace lookahead::cli
