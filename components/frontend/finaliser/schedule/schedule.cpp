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

void schedule_stretch(const VirtualKernel& kernel, DependenceFinder& finder, const Stretch& stretch,
                      const ScheduleLimits& limits, std::vector<std::uint32_t>& scratch) {
    std::vector<std::uint32_t> old_order(stretch.code.size());
    std::iota(old_order.begin(), old_order.end(), 0U);
    const StretchValues values(kernel, stretch.code, stretch.live_in, stretch.live_out, scratch);
    const Live old_peak = peak_of(values, old_order);
    const Live target = target_of(limits, old_peak);
    const int reserve = std::min(old_peak.rows, target.rows / 4);
    const std::vector<std::uint32_t> order =
        list_order(stretch.code, finder.in(stretch.code), values, target, {target.rows - reserve, target.predicates});
    const int excess = peak_of(values, order).excess(target);
    if (excess > old_peak.excess(target)) { return; }
    std::vector<VirtualInstruction> scheduled;
    for (std::uint32_t i : order) { scheduled.push_back(stretch.code[i]); }
    std::ranges::copy(scheduled, stretch.code.begin());
}

void order_stretch_for_pressure(const VirtualKernel& kernel, DependenceFinder& finder, const Stretch& stretch,
                                std::vector<std::uint32_t>& scratch) {
    std::vector<std::uint32_t> old_order(stretch.code.size());
    std::iota(old_order.begin(), old_order.end(), 0U);
    const StretchValues values(kernel, stretch.code, stretch.live_in, stretch.live_out, scratch);
    const Live old_peak = peak_of(values, old_order);
    const std::vector<std::uint32_t> order = order_for_few_rows(finder.in(stretch.code), values);
    const Live peak = peak_of(values, order);
    if (peak.rows >= old_peak.rows) { return; }
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
    for_each_stretch(kernel,
                     [&](const Stretch& stretch) { schedule_stretch(kernel, finder, stretch, limits, scratch); });
}

void order_for_pressure(VirtualKernel& kernel) {
    DependenceFinder finder(kernel);
    std::vector<std::uint32_t> scratch(unit_count(kernel), kNone);
    for_each_stretch(kernel,
                     [&](const Stretch& stretch) { order_stretch_for_pressure(kernel, finder, stretch, scratch); });
}

}  // namespace lookahead::finaliser
