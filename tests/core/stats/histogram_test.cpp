#include <doctest/doctest.h>

#include "core/stats/histogram.h"

namespace lookahead {
namespace {

TEST_CASE("a histogram counts a value on an edge in the bin above it") {
    constexpr auto edges = linear_edges<3>(10, 5);  // 10 15 20 25
    Histogram<3> histogram;
    for (const std::uint64_t value : {9, 10, 14, 15, 24, 25, 1000}) { histogram.add(value, edges); }
    CHECK(histogram.underflow == 1);
    CHECK(histogram.counts == std::array<std::uint64_t, 3>{2, 1, 1});
    CHECK(histogram.overflow == 2);
}

TEST_CASE("a histogram adds a value several times at once") {
    constexpr auto edges = doubling_edges<2>(1);  // 1 2 4
    Histogram<2> histogram;
    histogram.add(3, edges, 40);
    histogram.add(0, edges, 2);
    CHECK(histogram.counts == std::array<std::uint64_t, 2>{0, 40});
    CHECK(histogram.underflow == 2);
}

}  // namespace
}  // namespace lookahead
