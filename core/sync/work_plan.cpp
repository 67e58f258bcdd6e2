#include "core/sync/work_plan.h"

#include <algorithm>
#include <numeric>

namespace lookahead {

WorkPlan::WorkPlan(std::size_t items) : order_(items), begin_{0, items}, home_(items, 0) {
    std::iota(order_.begin(), order_.end(), 0u);
}

void WorkPlan::make(std::size_t parts, std::span<const std::uint64_t> costs) {
    const std::size_t items = home_.size();
    if (parts != this->parts()) {
        for (std::size_t item = 0; item < items; ++item) {
            home_[item] = static_cast<std::uint32_t>(item * parts / items);
        }
        begin_.assign(parts + 1, 0);
    }
    even_out(costs);
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
        return home_[a] != home_[b] ? home_[a] < home_[b] : costs[a] != costs[b] ? costs[a] > costs[b] : a < b;
    });
    std::ranges::fill(begin_, 0);
    for (const std::uint32_t home : home_) { ++begin_[home + 1]; }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
}

/// Moves the largest item that is at most half the difference from the fullest home to the emptiest, and repeats.
void WorkPlan::even_out(std::span<const std::uint64_t> costs) {
    std::vector<std::uint64_t> loads(parts(), 0);
    for (std::size_t item = 0; item < home_.size(); ++item) { loads[home_[item]] += costs[item]; }
    const std::uint64_t mean = std::reduce(loads.begin(), loads.end()) / loads.size();
    const std::uint64_t tolerance = mean / 20;  // claiming others' items evens out as much; a move costs cache misses
    for (std::size_t moves = 0; moves < home_.size(); ++moves) {
        const auto [least, most] = std::ranges::minmax_element(loads);
        if (*most <= mean + tolerance) { return; }
        const auto from = static_cast<std::uint32_t>(most - loads.begin());
        const auto to = static_cast<std::uint32_t>(least - loads.begin());
        const std::uint64_t half = (*most - *least) / 2;
        std::size_t best = home_.size();
        for (std::size_t item = 0; item < home_.size(); ++item) {
            const bool fits = home_[item] == from && costs[item] <= half && costs[item] > 0;
            if (fits && (best == home_.size() || costs[item] > costs[best])) { best = item; }
        }
        if (best == home_.size()) { return; }
        home_[best] = to;
        loads[from] -= costs[best];
        loads[to] += costs[best];
    }
}

}  // namespace lookahead
