#include "experiments/workloads/compare.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace lookahead {

namespace {

template <class T, class E, class Same>
CheckReport compare(std::string_view what, const std::vector<T>& got, const std::vector<E>& expected,
                    const std::string& how, Same same) {
    if (got.size() != expected.size()) {
        return {Outputs::mismatch, fmt::format("{} has {} elements, expected {}", what, got.size(), expected.size())};
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (!same(got[i], expected[i])) {
            return {Outputs::mismatch,
                    fmt::format("{}[{}] is {}, the CPU reference says {}", what, i, got[i], expected[i])};
        }
    }
    return {Outputs::match, fmt::format("{} elements of {} {}", got.size(), what, how)};
}

}  // namespace

template <class T>
CheckReport compare_exact(std::string_view what, const std::vector<T>& got, const std::vector<T>& expected) {
    return compare(what, got, expected, "equal", [](T a, T b) { return a == b; });
}
template CheckReport compare_exact(std::string_view, const std::vector<std::int32_t>&,
                                   const std::vector<std::int32_t>&);
template CheckReport compare_exact(std::string_view, const std::vector<std::uint32_t>&,
                                   const std::vector<std::uint32_t>&);
template CheckReport compare_exact(std::string_view, const std::vector<std::uint8_t>&,
                                   const std::vector<std::uint8_t>&);
template CheckReport compare_exact(std::string_view, const std::vector<float>&, const std::vector<float>&);

CheckReport compare_close(std::string_view what, const std::vector<float>& got, const std::vector<double>& expected,
                          double tolerance, double scale) {
    return compare(what, got, expected, fmt::format("within a relative {:g}", tolerance), [=](float a, double b) {
        return std::abs(static_cast<double>(a) - b) <= tolerance * std::max(scale, std::abs(b));
    });
}

CheckReport all_of(const std::vector<CheckReport>& reports) {
    std::vector<std::string> texts;
    for (const CheckReport& report : reports) {
        if (report.outputs != Outputs::match) { return report; }
        texts.push_back(report.message);
    }
    return {Outputs::match, fmt::format("{}", fmt::join(texts, ", "))};
}

}  // namespace lookahead
