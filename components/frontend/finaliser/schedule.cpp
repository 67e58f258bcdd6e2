#include "components/frontend/finaliser/schedule.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "components/frontend/finaliser/dependences.h"
#include "components/frontend/finaliser/liveness.h"
#include "components/frontend/finaliser/pressure.h"

namespace lookahead::finaliser {

namespace {

/// A stretch of one block that nothing may leave or enter, and what lives at its ends.
struct Stretch {
    std::span<VirtualInstruction> code;
    BitSet live_in;
    BitSet live_out;
};

/// Orders one stretch.
class ListScheduler {
  public:
    ListScheduler(DependenceFinder& finder, const Stretch& stretch, const StretchValues& values, Live target,
                  int reserve)
        : dependences_(finder.in(stretch.code)),
          pressure_(values),
          height_(stretch.code.size(), 0),
          earliest_(stretch.code.size(), 0),
          target_(target),
          target_of_loads_{target.rows - reserve, target.predicates} {
        for (const VirtualInstruction& instruction : stretch.code)
            is_load_.push_back(instruction.machine.operation == isa::Operation::load ||
                               instruction.machine.operation == isa::Operation::texture);
        for (std::size_t i = stretch.code.size(); i-- > 0;)
            for (const Dependences::Edge& edge : dependences_.successors[i])
                height_[i] = std::max(height_[i], height_[edge.to] + edge.latency);
        for (std::uint32_t i = 0; i < stretch.code.size(); ++i)
            if (dependences_.predecessors[i] == 0) ready_.push_back(i);
    }

    std::vector<std::uint32_t> run() {
        std::vector<std::uint32_t> order;
        for (std::uint64_t cycle = 0; !ready_.empty();) {
            const std::size_t choice = choose(cycle);
            const std::uint32_t i = ready_[choice];
            ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(choice));
            order.push_back(i);
            pressure_.place(i);
            cycle = std::max(cycle, earliest_[i]) + 1;
            for (const Dependences::Edge& edge : dependences_.successors[i]) {
                earliest_[edge.to] = std::max(earliest_[edge.to], cycle - 1 + edge.latency);
                if (--dependences_.predecessors[edge.to] == 0) ready_.push_back(edge.to);
            }
        }
        return order;
    }

  private:
    /// How far beyond its target the choice of `i` would lead.
    int excess_of(std::uint32_t i) const {
        return pressure_.live_after(i).excess(is_load_[i] ? target_of_loads_ : target_);
    }

    /// What stays within the target, by urgency; if nothing does, what goes least beyond it, in the old order.
    std::size_t choose(std::uint64_t cycle) const {
        std::size_t best = 0;
        int best_excess = excess_of(ready_[0]);
        for (std::size_t i = 1; i < ready_.size(); ++i) {
            const int excess = excess_of(ready_[i]);
            const bool better = excess != best_excess ? excess < best_excess
                                : excess == 0         ? is_sooner(ready_[i], ready_[best], cycle)
                                                      : ready_[i] < ready_[best];
            if (!better) continue;
            best = i;
            best_excess = excess;
        }
        return best;
    }

    /// What need not wait comes before what must; then the longer way to the end; then the old order.
    bool is_sooner(std::uint32_t a, std::uint32_t b, std::uint64_t cycle) const {
        const std::uint64_t wait_a = std::max(earliest_[a], cycle);
        const std::uint64_t wait_b = std::max(earliest_[b], cycle);
        if (wait_a != wait_b) return wait_a < wait_b;
        if (height_[a] != height_[b]) return height_[a] > height_[b];
        return a < b;
    }

    Dependences dependences_;
    Pressure pressure_;
    std::vector<std::uint64_t> height_;    ///< cycles from here to the end of the stretch
    std::vector<std::uint64_t> earliest_;  ///< cycle at which all sources are there
    std::vector<std::uint32_t> ready_;     ///< all that they depend on is placed
    Live target_;
    Live target_of_loads_;  ///< leaves registers for the arithmetic between them
    std::vector<bool> is_load_;
};

/// Orders one stretch from its end: always the instruction before which fewest rows live, which brings what makes a value
/// close to what reads it; among equals the one that stood last.
class PressureScheduler {
  public:
    PressureScheduler(DependenceFinder& finder, const Stretch& stretch, const StretchValues& values)
        : values_(values),
          predecessors_(stretch.code.size()),
          successors_left_(stretch.code.size(), 0),
          live_(values.values().size()) {
        const Dependences dependences = finder.in(stretch.code);
        for (std::uint32_t i = 0; i < stretch.code.size(); ++i)
            for (const Dependences::Edge& edge : dependences.successors[i]) {
                predecessors_[edge.to].push_back(i);
                ++successors_left_[i];
            }
        for (std::size_t value = 0; value < live_.size(); ++value) live_[value] = values.values()[value].outlives;
        for (std::uint32_t i = 0; i < stretch.code.size(); ++i)
            if (successors_left_[i] == 0) ready_.push_back(i);
    }

    std::vector<std::uint32_t> run() {
        std::vector<std::uint32_t> order;
        while (!ready_.empty()) {
            const auto chosen = std::ranges::min_element(ready_, [this](std::uint32_t a, std::uint32_t b) {
                const int growth_a = growth(a), growth_b = growth(b);
                return growth_a != growth_b ? growth_a < growth_b : a > b;
            });
            const std::uint32_t i = *chosen;
            ready_.erase(chosen);
            order.push_back(i);
            for (std::uint32_t value : values_.writes(i)) live_[value] = false;
            for (std::uint32_t value : values_.reads(i)) live_[value] = true;
            for (std::uint32_t before : predecessors_[i])
                if (--successors_left_[before] == 0) ready_.push_back(before);
        }
        std::ranges::reverse(order);
        return order;
    }

  private:
    /// Rows that live before the instruction and not behind it, less the reverse.
    int growth(std::uint32_t i) const {
        int result = 0;
        for (std::uint32_t value : values_.writes(i)) result -= live_[value] && is_row(value);
        for (std::uint32_t value : values_.reads(i)) result += !live_[value] && is_row(value);
        return result;
    }

    bool is_row(std::uint32_t value) const { return !values_.values()[value].predicate; }

    const StretchValues& values_;
    std::vector<std::vector<std::uint32_t>> predecessors_;
    std::vector<std::uint32_t> successors_left_;
    std::vector<bool> live_;            ///< by value
    std::vector<std::uint32_t> ready_;  ///< all that depend on it are placed
};

/// The most that lives at once in the given order, each kind by itself.
Live peak_of(const StretchValues& values, std::span<const std::uint32_t> order) {
    Pressure pressure(values);
    Live peak = pressure.live();
    for (std::uint32_t i : order) {
        pressure.place(i);
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
                      const ScheduleLimits& limits) {
    std::vector<std::uint32_t> old_order(stretch.code.size());
    std::iota(old_order.begin(), old_order.end(), 0U);
    const StretchValues values(kernel, stretch.code, stretch.live_in, stretch.live_out);
    const Live old_peak = peak_of(values, old_order);
    const Live target = target_of(limits, old_peak);
    const int reserve = std::min(old_peak.rows, target.rows / 4);
    const std::vector<std::uint32_t> order = ListScheduler(finder, stretch, values, target, reserve).run();
    const int excess = peak_of(values, order).excess(target);
    if (excess > old_peak.excess(target)) return;
    std::vector<VirtualInstruction> scheduled;
    for (std::uint32_t i : order) scheduled.push_back(stretch.code[i]);
    std::ranges::copy(scheduled, stretch.code.begin());
}

void order_stretch_for_pressure(const VirtualKernel& kernel, DependenceFinder& finder, const Stretch& stretch) {
    std::vector<std::uint32_t> old_order(stretch.code.size());
    std::iota(old_order.begin(), old_order.end(), 0U);
    const StretchValues values(kernel, stretch.code, stretch.live_in, stretch.live_out);
    const Live old_peak = peak_of(values, old_order);
    const std::vector<std::uint32_t> order = PressureScheduler(finder, stretch, values).run();
    const Live peak = peak_of(values, order);
    if (peak.rows >= old_peak.rows) return;
    std::vector<VirtualInstruction> ordered;
    for (std::uint32_t i : order) ordered.push_back(stretch.code[i]);
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
            while (first > 0 && !holds_everything(block.code[first - 1])) step_back(kernel, block.code[--first], live);
            stretch.live_in = live;
            stretch.code = std::span(block.code).subspan(first, end - first);
            if (stretch.code.size() > 1) visit(stretch);
            if (first > 0) step_back(kernel, block.code[--first], live);
            end = first;
        }
    }
}

}  // namespace

void schedule(VirtualKernel& kernel, const ScheduleLimits& limits) {
    DependenceFinder finder(kernel);
    for_each_stretch(kernel, [&](const Stretch& stretch) { schedule_stretch(kernel, finder, stretch, limits); });
}

void order_for_pressure(VirtualKernel& kernel) {
    DependenceFinder finder(kernel);
    for_each_stretch(kernel, [&](const Stretch& stretch) { order_stretch_for_pressure(kernel, finder, stretch); });
}

}  // namespace lookahead::finaliser
