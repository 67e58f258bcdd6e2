#pragma once

#include <algorithm>
#include <limits>

namespace lookahead::finaliser {

/// A range of register limits, from `least` to `most`, with the same result.
struct RegisterBounds {
    unsigned least = 0;
    unsigned most = std::numeric_limits<unsigned>::max();

    bool contain(unsigned registers) const { return least <= registers && registers <= most; }
    void narrow_to(const RegisterBounds& other) {
        least = std::max(least, other.least);
        most = std::min(most, other.most);
    }
};

}  // namespace lookahead::finaliser
