#pragma once

#include <cstdint>

namespace lookahead::isa {

struct Dim3 {
    std::uint32_t x = 1, y = 1, z = 1;
    std::uint64_t count() const { return std::uint64_t{x} * y * z; }
    bool operator==(const Dim3&) const = default;
};

}  // namespace lookahead::isa
