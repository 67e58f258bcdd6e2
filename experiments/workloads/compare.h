#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/workloads/workload.h"

namespace lookahead {

/// Compares element by element; the report names the first difference.
CheckReport compare_exact(std::string_view what, const std::vector<std::int32_t>& got,
                          const std::vector<std::int32_t>& expected);
CheckReport compare_exact(std::string_view what, const std::vector<std::uint32_t>& got,
                          const std::vector<std::uint32_t>& expected);
CheckReport compare_exact(std::string_view what, const std::vector<std::uint8_t>& got,
                          const std::vector<std::uint8_t>& expected);
/// Compares as numbers, exactly: 0 equals -0, and a NaN equals nothing.
CheckReport compare_exact(std::string_view what, const std::vector<float>& got, const std::vector<float>& expected);

/// |got - expected| <= tolerance * max(scale, |expected|); a NaN never matches.
CheckReport compare_close(std::string_view what, const std::vector<float>& got, const std::vector<double>& expected,
                          double tolerance, double scale = 1.0);

/// The first report of a mismatch, or all messages as one.
CheckReport all_of(const std::vector<CheckReport>& reports);

}  // namespace lookahead
