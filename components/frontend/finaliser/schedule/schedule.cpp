#include "components/frontend/finaliser/schedule/schedule.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "components/frontend/finaliser/analysis/dependences.h"
#include "components/frontend/finaliser/analysis/liveness.h"
#include "components/frontend/finaliser/schedule/orders.h"
#include "components/frontend/finaliser/schedule/pressure.h"

namespace lookahead::finaliser {

namespace {

/// Longer stretches are ordered in parts, because memory accesses that may all overlap have as many dependences as
/// pairs. Parts are not much shorter, because a part's results for the next one stay where they are.
constexpr std::size_t kLongestStretch = std::size_t{1} << 15;

/// A stretch of one block that no instruction may leave or enter, and the live units at its ends.
struct Stretch {
    std::span<VirtualInstruction> code;
    BitSet live_in;
    BitSet live_out;
};

/// The most that lives at once in the given order, for each kind separately.
Live peak_of(const StretchValues& values, std::span<const std::uint32_t> order) {
    Pressure pressure(values);
    Live peak = pressure.live();
    for (std::uint32_t i : order) {
        pressure.place(i, [](std::uint32_t) {});
        peak = {std::max(peak.rows, pressure.live().rows), std::max(peak.predicates, pressure.live().predicates)};
    }
    return peak;
}

Live target_of(const ScheduleLimits& limits, Live old_peak) {
    const int most = static_cast<int>(limits.registers);
    const int preferred = static_cast<int>(limits.preferred_registers);
    return {std::min(most, std::max(preferred, old_peak.rows)), static_cast<int>(limits.predicates)};
}

/// Puts the stretch in the order that `order_of(values, old_peak)` gives, if `is_better(peak, old_peak)`.
template <typename OrderOf, typename IsBetter>
void reorder(const VirtualKernel& kernel, const Stretch& stretch, std::vector<std::uint32_t>& scratch, OrderOf order_of,
             IsBetter is_better) {
    std::vector<std::uint32_t> old_order(stretch.code.size());
    std::iota(old_order.begin(), old_order.end(), 0U);
    const StretchValues values(kernel, stretch.code, stretch.live_in, stretch.live_out, scratch);
    const Live old_peak = peak_of(values, old_order);
    const std::vector<std::uint32_t> order = order_of(values, old_peak);
    if (!is_better(peak_of(values, order), old_peak)) { return; }
    std::vector<VirtualInstruction> ordered;
    for (std::uint32_t i : order) { ordered.push_back(stretch.code[i]); }
    std::ranges::copy(ordered, stretch.code.begin());
}

/// Calls `visit(stretch)` for every stretch of the kernel that nothing holds.
template <typename Visit>
void for_each_stretch(VirtualKernel& kernel, Visit visit) {
    const Liveness liveness(kernel);
    for (std::size_t number = 0; number < kernel.blocks.size(); ++number) {
        VirtualBlock& block = kernel.blocks[number];
        BitSet live = liveness.out(number);
        std::size_t end = block.code.size();
        while (end > 0) {
            std::size_t first = end;
            Stretch stretch;
            stretch.live_out = live;
            while (first > 0 && end - first < kLongestStretch && !holds_everything(block.code[first - 1])) {
                step_back(kernel, block.code[--first], live);
            }
            stretch.live_in = live;
            stretch.code = std::span(block.code).subspan(first, end - first);
            if (stretch.code.size() > 1) { visit(stretch); }
            if (first > 0 && holds_everything(block.code[first - 1])) { step_back(kernel, block.code[--first], live); }
            end = first;
        }
    }
}

}  // namespace

void schedule(VirtualKernel& kernel, const ScheduleLimits& limits) {
    DependenceFinder finder(kernel);
    std::vector<std::uint32_t> scratch(unit_count(kernel), kNone);
    for_each_stretch(kernel, [&](const Stretch& stretch) {
        const auto order_of = [&](const StretchValues& values, Live old_peak) {
            const Live target = target_of(limits, old_peak);
            const int reserve = std::min(old_peak.rows, target.rows / 4);
            return list_order(stretch.code, finder.in(stretch.code), values, target,
                              {target.rows - reserve, target.predicates});
        };
        reorder(kernel, stretch, scratch, order_of, [&limits](Live peak, Live old_peak) {
            const Live target = target_of(limits, old_peak);
            return peak.excess(target) <= old_peak.excess(target);
        });
    });
}

void order_for_pressure(VirtualKernel& kernel) {
    DependenceFinder finder(kernel);
    std::vector<std::uint32_t> scratch(unit_count(kernel), kNone);
    for_each_stretch(kernel, [&](const Stretch& stretch) {
        reorder(
            kernel, stretch, scratch,
            [&](const StretchValues& values, Live) { return order_for_few_rows(finder.in(stretch.code), values); },
            [](Live peak, Live old_peak) { return peak.rows < old_peak.rows; });
    });
}

}  // namespace lookahead::finaliser
