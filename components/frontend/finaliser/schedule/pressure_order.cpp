#include "components/frontend/finaliser/schedule/orders.h"

#include <algorithm>
#include <cstdlib>
#include <queue>

#include "components/frontend/finaliser/code/lists.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

namespace {

/// The most rows that one instruction can begin or end.
constexpr int kMostGrowth = isa::kMostVectorMemoryRows;

class PressureScheduler {
  public:
    PressureScheduler(const Dependences& dependences, const StretchValues& values)
        : values_(values),
          predecessors_(values.instructions(),
                        [&](auto add) {
                            for (std::uint32_t i = 0; i < dependences.successors.size(); ++i) {
                                for (const Dependences::Edge& edge : dependences.successors[i]) { add(edge.to, i); }
                            }
                        }),
          accesses_(values.values().size(),
                    [&](auto add) {
                        for (std::uint32_t i = 0; i < values.instructions(); ++i) {
                            for (const std::uint32_t value : values.reads(i)) { add(value, i); }
                            for (const std::uint32_t value : values.writes(i)) { add(value, i); }
                        }
                    }),
          successors_left_(values.instructions(), 0),
          growth_(values.instructions(), 0),
          is_placed_(values.instructions(), false),
          live_(values.values().size()) {
        for (std::size_t value = 0; value < live_.size(); ++value) { live_[value] = values.values()[value].outlives; }
        for (std::uint32_t i = 0; i < growth_.size(); ++i) {
            growth_[i] = growth(i);
            successors_left_[i] = static_cast<std::uint32_t>(dependences.successors[i].size());
            if (successors_left_[i] == 0) { add(i); }
        }
    }

    std::vector<std::uint32_t> run() {
        std::vector<std::uint32_t> order;
        order.reserve(growth_.size());
        while (order.size() < growth_.size()) {
            const std::uint32_t i = choose();
            is_placed_[i] = true;
            order.push_back(i);
            for (std::uint32_t value : values_.writes(i)) { live_[value] = false; }
            for (std::uint32_t value : values_.reads(i)) { begin(value); }
            for (std::uint32_t before : predecessors_[i]) {
                if (--successors_left_[before] == 0) { add(before); }
            }
        }
        std::ranges::reverse(order);
        return order;
    }

  private:
    /// Rows that live before the instruction but not after it, minus the reverse.
    int growth(std::uint32_t i) const {
        int result = 0;
        for (std::uint32_t value : values_.writes(i)) { result -= live_[value] && is_row(value); }
        for (std::uint32_t value : values_.reads(i)) { result += !live_[value] && is_row(value); }
        return result;
    }

    bool is_row(std::uint32_t value) const { return !values_.values()[value].predicate; }

    /// From here towards the start the value lives: its other readers add nothing, and its write removes a live value.
    void begin(std::uint32_t value) {
        if (live_[value]) { return; }
        live_[value] = true;
        if (!is_row(value)) { return; }
        for (const std::uint32_t i : accesses_[value]) {
            --growth_[i];
            if (successors_left_[i] == 0 && !is_placed_[i]) { add(i); }
        }
    }

    /// Queues an instruction that can come next by its growth. Old entries stay in their queues until chosen.
    void add(std::uint32_t i) { queue_at(growth_[i]).push(i); }

    std::priority_queue<std::uint32_t>& queue_at(int growth) {
        LOOKAHEAD_ASSERT(std::abs(growth) <= kMostGrowth, "an instruction begins and ends few values");
        return ready_[static_cast<std::size_t>(growth + kMostGrowth)];
    }

    std::uint32_t choose() {
        for (int growth = -kMostGrowth; growth <= kMostGrowth; ++growth) {
            auto& queue = queue_at(growth);
            while (!queue.empty() && (is_placed_[queue.top()] || growth_[queue.top()] != growth)) { queue.pop(); }
            if (!queue.empty()) { return queue.top(); }
        }
        throw InternalError("dependences have no cycles");
    }

    const StretchValues& values_;
    Lists<std::uint32_t> predecessors_;  ///< by instruction
    Lists<std::uint32_t> accesses_;      ///< by value: the instructions that read or begin it
    std::vector<std::uint32_t> successors_left_;
    std::vector<int> growth_;  ///< by instruction, at present
    std::vector<bool> is_placed_;
    std::vector<bool> live_;                                                      ///< by value
    std::priority_queue<std::uint32_t> ready_[std::size_t{2} * kMostGrowth + 1];  ///< by growth
};

}  // namespace

std::vector<std::uint32_t> order_for_few_rows(const Dependences& dependences, const StretchValues& values) {
    return PressureScheduler(dependences, values).run();
}

}  // namespace lookahead::finaliser
