#pragma once

#include <cstdint>

namespace lookahead::gpu {

inline constexpr std::uint32_t kNoWay = ~std::uint32_t{0};

/// The index of the tag in [first, first + ways), the places of one set; kNoWay if it is not there.
inline std::uint32_t find_way(const std::uint64_t* tags, std::uint32_t first, std::uint32_t ways, std::uint64_t tag) {
    for (std::uint32_t place = first; place < first + ways; ++place) {
        if (tags[place] == tag) { return place; }
    }
    return kNoWay;
}

}  // namespace lookahead::gpu
