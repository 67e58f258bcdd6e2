#pragma once

#include <cstdint>

namespace lookahead::cli {

/// Of the part in the whole; 0 of nothing.
constexpr double percentage(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace lookahead::cli
