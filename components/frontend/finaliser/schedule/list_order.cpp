#include "components/frontend/finaliser/schedule/orders.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <queue>

#include "core/error/error.h"

namespace lookahead::finaliser {

namespace {

/// The sort keys of an instruction that could come next; the greatest comes first.
struct ByHeight {
    std::uint64_t height;
    std::uint32_t i;
    friend bool operator<(const ByHeight& a, const ByHeight& b) {
        return a.height != b.height ? a.height < b.height : a.i > b.i;
    }
};
struct ByTime {
    std::uint64_t earliest;
    ByHeight then;
    friend bool operator<(const ByTime& a, const ByTime& b) {
        return a.earliest != b.earliest ? a.earliest > b.earliest : a.then < b.then;
    }
};

/// Instructions that could come next and change the live registers equally, so that all or none are within the target.
/// Placed ones stay in the queues until they reach the front.
struct Alike {
    bool is_load = false;
    Live change;
    std::priority_queue<ByTime> waiting;  ///< for their sources
    std::priority_queue<ByHeight> open;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> in_old_order;
};

/// The most rows and predicates that one instruction can begin or end.
constexpr int kMostRows = isa::kMostVectorMemoryRows;
constexpr int kMostPredicates = 4;

class ListScheduler {
  public:
    ListScheduler(std::span<const VirtualInstruction> code, Dependences dependences, const StretchValues& values,
                  Live target, Live target_of_loads)
        : dependences_(std::move(dependences)),
          pressure_(values),
          height_(code.size(), 0),
          earliest_(code.size(), 0),
          place_(code.size(), kNone),
          targets_{target, target_of_loads} {
        for (const VirtualInstruction& instruction : code) {
            is_load_.push_back(instruction.machine.operation == isa::Operation::load ||
                               instruction.machine.operation == isa::Operation::texture);
        }
        for (std::size_t i = code.size(); i-- > 0;) {
            for (const Dependences::Edge& edge : dependences_.successors[i]) {
                height_[i] = std::max(height_[i], height_[edge.to] + edge.latency);
            }
        }
        index_of_.fill(kNone);
        for (std::uint32_t i = 0; i < code.size(); ++i) {
            if (dependences_.predecessors[i] == 0) { add(i); }
        }
    }

    std::vector<std::uint32_t> run() {
        std::vector<std::uint32_t> order;
        order.reserve(height_.size());
        while (order.size() < height_.size()) {
            const std::uint32_t i = choose();
            place_[i] = kNone;
            order.push_back(i);
            pressure_.place(i, [this](std::uint32_t other) {
                if (place_[other] != kNone) { add(other); }
            });
            cycle_ = std::max(cycle_, earliest_[i]) + 1;
            for (const Dependences::Edge& edge : dependences_.successors[i]) {
                earliest_[edge.to] = std::max(earliest_[edge.to], cycle_ - 1 + edge.latency);
                if (--dependences_.predecessors[edge.to] == 0) { add(edge.to); }
            }
        }
        return order;
    }

  private:
    /// Adds an instruction that could come next to its queue.
    void add(std::uint32_t i) {
        place_[i] = place_for(is_load_[i], pressure_.change(i));
        Alike& alike = all_[place_[i]];
        alike.in_old_order.push(i);
        if (earliest_[i] > cycle_) {
            alike.waiting.push({earliest_[i], {height_[i], i}});
        } else {
            alike.open.push({height_[i], i});
        }
    }

    std::uint32_t place_for(bool is_load, Live change) {
        LOOKAHEAD_ASSERT(std::abs(change.rows) <= kMostRows && std::abs(change.predicates) <= kMostPredicates,
                         "an instruction begins and ends few values");
        const int key =
            ((is_load ? 1 : 0) * (2 * kMostRows + 1) + change.rows + kMostRows) * (2 * kMostPredicates + 1) +
            change.predicates + kMostPredicates;
        std::uint32_t& index = index_of_[static_cast<std::size_t>(key)];
        if (index == kNone) {
            index = static_cast<std::uint32_t>(all_.size());
            all_.push_back({is_load, change, {}, {}, {}});
        }
        return index;
    }

    /// Drops placed instructions, and moves those that need not wait any more. Returns whether any is left.
    bool is_there(std::uint32_t place) {
        Alike& alike = all_[place];
        const auto drop = [&](auto& queue, auto number) {
            while (!queue.empty() && place_[number(queue.top())] != place) { queue.pop(); }
        };
        drop(alike.in_old_order, [](std::uint32_t i) { return i; });
        for (; !alike.waiting.empty() && alike.waiting.top().earliest <= cycle_; alike.waiting.pop()) {
            alike.open.push(alike.waiting.top().then);
        }
        drop(alike.open, [](const ByHeight& entry) { return entry.i; });
        drop(alike.waiting, [](const ByTime& entry) { return entry.then.i; });
        return !alike.in_old_order.empty();
    }

    int excess_of(const Alike& alike) const {
        const Live live{pressure_.live().rows + alike.change.rows,
                        pressure_.live().predicates + alike.change.predicates};
        return live.excess(targets_[alike.is_load ? 1 : 0]);
    }

    /// An instruction that need not wait counts as ready at the present cycle.
    ByTime soonest(const Alike& alike) const {
        return alike.open.empty() ? alike.waiting.top() : ByTime{cycle_, alike.open.top()};
    }

    std::uint32_t choose() {
        std::uint32_t best = kNone;
        int best_excess = 0;
        for (std::uint32_t place = 0; place < all_.size(); ++place) {
            if (!is_there(place)) { continue; }
            const int excess = excess_of(all_[place]);
            const bool better = best == kNone           ? true
                                : excess != best_excess ? excess < best_excess
                                : excess == 0           ? soonest(all_[best]) < soonest(all_[place])
                                              : all_[place].in_old_order.top() < all_[best].in_old_order.top();
            if (!better) { continue; }
            best = place;
            best_excess = excess;
        }
        LOOKAHEAD_ASSERT(best != kNone, "dependences have no cycles");
        return best_excess == 0 ? soonest(all_[best]).then.i : all_[best].in_old_order.top();
    }

    Dependences dependences_;
    Pressure pressure_;
    std::uint64_t cycle_ = 0;
    std::vector<std::uint64_t> height_;    ///< cycles from here to the end of the stretch
    std::vector<std::uint64_t> earliest_;  ///< cycle at which all sources are available
    std::vector<bool> is_load_;
    std::vector<std::uint32_t> place_;  ///< by instruction: its index in `all_`; kNone: it cannot come next
    std::vector<Alike> all_;
    std::array<std::uint32_t, 2 * (2 * kMostRows + 1) * (2 * kMostPredicates + 1)> index_of_;  ///< in `all_`, or kNone
    std::array<Live, 2> targets_;                                                              ///< the second: of loads
};

}  // namespace

std::vector<std::uint32_t> list_order(std::span<const VirtualInstruction> code, Dependences dependences,
                                      const StretchValues& values, Live target, Live target_of_loads) {
    return ListScheduler(code, std::move(dependences), values, target, target_of_loads).run();
}

}  // namespace lookahead::finaliser
