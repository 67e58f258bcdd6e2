#pragma once

#include <string_view>
#include <vector>

#include "experiments/workloads/workload.h"

namespace lookahead {

/// Compares numbers exactly, element by element; the report names the first difference. 0 equals -0, and a NaN equals
/// nothing. For T that compare.cpp names.
template <class T>
CheckReport compare_exact(std::string_view what, const std::vector<T>& got, const std::vector<T>& expected);

/// |got - expected| <= tolerance * max(scale, |expected|); a NaN never matches.
CheckReport compare_close(std::string_view what, const std::vector<float>& got, const std::vector<double>& expected,
                          double tolerance, double scale = 1.0);

/// The first report of a mismatch, or all messages as one.
CheckReport all_of(const std::vector<CheckReport>& reports);

}  // namespace lookahead
