#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/workloads/workload.h"

namespace lookahead {

/// Compares element by element by `same(got, expected)`; the report names the first difference.
template <class T, class E, class Same>
CheckReport compare(std::string_view what, const std::vector<T>& got, const std::vector<E>& expected,
                    const std::string& how, Same same) {
    if (got.size() != expected.size()) {
        return {Outputs::mismatch, std::string(what) + " has " + std::to_string(got.size()) + " elements, expected " +
                                       std::to_string(expected.size())};
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (!same(got[i], expected[i])) {
            return {Outputs::mismatch, std::string(what) + "[" + std::to_string(i) + "] is " + std::to_string(got[i]) +
                                           ", the CPU reference says " + std::to_string(expected[i])};
        }
    }
    return {Outputs::match, std::to_string(got.size()) + " elements of " + std::string(what) + " " + how};
}

template <class T>
CheckReport compare_exact(std::string_view what, const std::vector<T>& got, const std::vector<T>& expected) {
    return compare(what, got, expected, "equal", [](T a, T b) { return a == b; });
}

/// |got - expected| <= tolerance * max(1, |expected|); a NaN never matches.
inline CheckReport compare_close(std::string_view what, const std::vector<float>& got,
                                 const std::vector<double>& expected, double tolerance) {
    return compare(what, got, expected, "within a relative " + std::to_string(tolerance), [=](float a, double b) {
        return std::abs(static_cast<double>(a) - b) <= tolerance * std::max(1.0, std::abs(b));
    });
}

}  // namespace lookahead
