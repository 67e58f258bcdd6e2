#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/workloads/workload.h"

namespace lookahead {

/// Compares element by element for equality.
template <class T>
CheckReport compare_exact(std::string_view what, const std::vector<T>& got, const std::vector<T>& expected) {
    CheckReport report{got.size() == expected.size(), got.size(), {}};
    for (std::size_t i = 0; report.match && i < got.size(); ++i) {
        if (got[i] != expected[i]) {
            report.match = false;
            report.message = std::string(what) + "[" + std::to_string(i) + "] is " + std::to_string(got[i]) +
                             ", the CPU reference says " + std::to_string(expected[i]);
        }
    }
    if (report.match) {
        report.message = std::to_string(got.size()) + " elements of " + std::string(what) + " equal";
    } else if (report.message.empty()) {
        report.message = std::string(what) + " has " + std::to_string(got.size()) + " elements, expected " +
                         std::to_string(expected.size());
    }
    return report;
}

/// Compares with |got - expected| <= tolerance * max(1, |expected|); a NaN never matches.
inline CheckReport compare_close(std::string_view what, const std::vector<float>& got,
                                 const std::vector<double>& expected, double tolerance) {
    CheckReport report{got.size() == expected.size(), got.size(), {}};
    for (std::size_t i = 0; report.match && i < got.size(); ++i) {
        const double error = std::abs(static_cast<double>(got[i]) - expected[i]);
        if (!(error <= tolerance * std::max(1.0, std::abs(expected[i])))) {
            report.match = false;
            report.message = std::string(what) + "[" + std::to_string(i) + "] is " + std::to_string(got[i]) +
                             ", the CPU reference says " + std::to_string(expected[i]);
        }
    }
    if (report.match) {
        report.message = std::to_string(got.size()) + " elements of " + std::string(what) + " within a relative " +
                         std::to_string(tolerance);
    } else if (report.message.empty()) {
        report.message = std::string(what) + " has " + std::to_string(got.size()) + " elements, expected " +
                         std::to_string(expected.size());
    }
    return report;
}

}  // namespace lookahead
