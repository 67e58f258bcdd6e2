#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace lookahead {

/// Counts of values in N bins, and of those below and above them. The edges belong to the declaration of the
/// statistic (HistogramOf), not to the state: bin i counts edges[i] <= value < edges[i + 1].
template <std::size_t N>
struct Histogram {
    static_assert(N > 0);
    using Edges = std::array<std::uint64_t, N + 1>;

    std::array<std::uint64_t, N> counts{};
    std::uint64_t underflow = 0;
    std::uint64_t overflow = 0;

    void add(std::uint64_t value, const Edges& edges, std::uint64_t times = 1) {
        if (value < edges.front()) {
            underflow += times;
        } else if (value >= edges.back()) {
            overflow += times;
        } else {
            const auto after = std::upper_bound(edges.begin(), edges.end(), value);
            counts[static_cast<std::size_t>(after - edges.begin()) - 1] += times;
        }
    }

    bool operator==(const Histogram&) const = default;
};

/// Edges first, first + width, first + 2 width …
template <std::size_t N>
constexpr std::array<std::uint64_t, N + 1> linear_edges(std::uint64_t first, std::uint64_t width) {
    std::array<std::uint64_t, N + 1> edges{};
    for (std::size_t i = 0; i <= N; ++i) { edges[i] = first + i * width; }
    return edges;
}

/// Edges first, 2 first, 4 first …
template <std::size_t N>
constexpr std::array<std::uint64_t, N + 1> doubling_edges(std::uint64_t first) {
    static_assert(N < 64);
    std::array<std::uint64_t, N + 1> edges{};
    for (std::size_t i = 0; i <= N; ++i) { edges[i] = first << i; }
    return edges;
}

}  // namespace lookahead
