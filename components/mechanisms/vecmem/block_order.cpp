#include "components/mechanisms/vecmem/block_order.h"

#include <algorithm>
#include <unordered_map>

#include "components/frontend/finaliser/analysis/dependences.h"
#include "core/bits/one_of.h"

namespace lookahead::vecmem {

namespace {

struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool inside = false;  ///< two nodes of one group may have this edge
};

/// Finds the order that registers require, and the instructions that none may pass.
class EdgeFinder {
  public:
    EdgeFinder(const VirtualKernel& kernel, const std::vector<OrderNode>& nodes) : kernel_(kernel), nodes_(nodes) {}

    std::vector<Edge> run() {
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            order_units(i);
            order_parting(i);
            order_meeting(i);
        }
        return std::move(edges_);
    }

  private:
    struct History {
        std::uint32_t writer = kNone;
        std::vector<std::uint32_t> readers;
    };

    void order_units(std::uint32_t i) {
        finaliser::for_each_read(kernel_, nodes_[i].view, [&](std::uint32_t unit) {
            History& history = units_[unit];
            if (history.writer != kNone) { edges_.push_back({history.writer, i, false}); }
            history.readers.push_back(i);
        });
        finaliser::for_each_write(kernel_, nodes_[i].view, [&](std::uint32_t unit) {
            History& history = units_[unit];
            // A vector instruction reads all sources before it writes.
            for (std::uint32_t reader : history.readers) {
                if (reader != i) { edges_.push_back({reader, i, true}); }
            }
            if (history.writer != kNone && history.writer != i) { edges_.push_back({history.writer, i, false}); }
            history.readers.clear();
            history.writer = i;
        });
    }

    void order_parting(std::uint32_t i) {
        const VirtualInstruction& view = nodes_[i].view;
        if (finaliser::holds_everything(view)) {
            for (std::uint32_t j = wall_ == kNone ? 0 : wall_; j < i; ++j) { edges_.push_back({j, i, false}); }
            wall_ = i;
            parting_ = kNone;
            accesses_.clear();
            return;
        }
        if (wall_ != kNone) { edges_.push_back({wall_, i, false}); }
        const bool parts = parts_accesses(view);
        if (!parts && !isa::is_memory(view.machine.operation)) { return; }
        if (parting_ != kNone) { edges_.push_back({parting_, i, false}); }
        if (parts) {
            for (std::uint32_t access : accesses_) { edges_.push_back({access, i, false}); }
            accesses_.clear();
            parting_ = i;
        } else {
            accesses_.push_back(i);
        }
    }

    /// Instructions that lanes execute together keep their order; parts_accesses holds the accesses around them.
    void order_meeting(std::uint32_t i) {
        if (!finaliser::meets_lanes(nodes_[i].view)) { return; }
        if (meeting_ != kNone) { edges_.push_back({meeting_, i, false}); }
        meeting_ = i;
    }

    const VirtualKernel& kernel_;
    const std::vector<OrderNode>& nodes_;
    std::vector<Edge> edges_;
    std::unordered_map<std::uint32_t, History> units_;
    std::vector<std::uint32_t> accesses_;  ///< since the last instruction that parts accesses
    std::uint32_t wall_ = kNone, parting_ = kNone, meeting_ = kNone;
};

/// The graph with each group contracted to its first node.
class Contracted {
  public:
    Contracted(const std::vector<OrderNode>& nodes, const std::vector<OrderGroup>& groups)
        : nodes_(nodes), groups_(groups), first_(groups.size(), kNone), last_(groups.size(), kNone) {
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            const std::uint32_t group = nodes[i].group;
            if (group == kNone) { continue; }
            if (first_[group] == kNone) { first_[group] = i; }
            last_[group] = i;
        }
        before_.resize(nodes.size());
    }

    bool add(const Edge& edge) {
        const std::uint32_t from = node(edge.from), to = node(edge.to);
        if (from == to) { return edge.inside || nodes_[edge.from].group == kNone; }
        before_[to].push_back(from);
        return true;
    }

    /// Nothing if there is a cycle.
    std::optional<std::vector<std::uint32_t>> sequence() {
        for (auto& list : before_) { std::ranges::sort(list); }
        std::vector<std::uint32_t> topological;
        if (!visit_all(all_by_place(), topological)) { return std::nullopt; }
        set_keys(topological);
        std::vector<std::uint32_t> wanted = all_by_place();
        std::ranges::stable_sort(wanted, {}, [this](std::uint32_t i) { return key_[i]; });
        std::vector<std::uint32_t> result;
        visit_all(wanted, result);
        return result;
    }

  private:
    using Key = std::pair<std::uint64_t, std::uint32_t>;

    std::uint32_t node(std::uint32_t i) const { return nodes_[i].group == kNone ? i : first_[nodes_[i].group]; }

    std::vector<std::uint32_t> all_by_place() const {
        std::vector<std::uint32_t> all;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            if (node(i) == i) { all.push_back(i); }
        }
        return all;
    }

    /// Appends each node in the wanted order, its predecessors first.
    bool visit_all(const std::vector<std::uint32_t>& wanted, std::vector<std::uint32_t>& result) const {
        enum class State : std::uint8_t { fresh, open, done };
        std::vector<State> state(nodes_.size(), State::fresh);
        std::vector<std::pair<std::uint32_t, std::size_t>> stack;
        for (std::uint32_t root : wanted) {
            if (state[root] == State::fresh) { stack.emplace_back(root, 0); }
            while (!stack.empty()) {
                auto& [at, next] = stack.back();
                state[at] = State::open;
                if (next == before_[at].size()) {
                    state[at] = State::done;
                    result.push_back(at);
                    stack.pop_back();
                    continue;
                }
                const std::uint32_t needed = before_[at][next++];
                if (state[needed] == State::open) { return false; }
                if (state[needed] == State::fresh) { stack.emplace_back(needed, 0); }
            }
        }
        return true;
    }

    /// Vector loads go to the place of their first element, stores to that of their last. Of loads with interleaved
    /// elements, those that need fewer earlier loads go first, so that none waits behind one that waits for data.
    void set_keys(const std::vector<std::uint32_t>& topological) {
        std::vector<std::uint32_t> level(nodes_.size(), 0);
        for (std::uint32_t i : topological) {
            for (std::uint32_t needed : before_[i]) {
                level[i] = std::max(level[i], level[needed] + isa::is_load(nodes_[needed].view.machine.operation));
            }
        }
        key_.resize(nodes_.size());
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) { key_[i] = {nodes_[i].wanted, kNone}; }
        std::vector<std::uint32_t> loads;
        for (std::uint32_t group = 0; group < groups_.size(); ++group) {
            if (first_[group] == kNone) { continue; }
            Key& key = key_[first_[group]];
            if (groups_[group].loads) {
                key.second = level[first_[group]];
                loads.push_back(group);
            } else {
                key.first = nodes_[last_[group]].wanted;
            }
        }
        std::ranges::stable_sort(loads, {}, [&](std::uint32_t group) { return level[first_[group]]; });
        for (std::size_t late = loads.size(); late-- > 0;) {
            for (std::size_t early = late; early-- > 0;) {
                Key& key = key_[first_[loads[early]]];
                const Key& other = key_[first_[loads[late]]];
                if (key.second < other.second && first_[loads[early]] < last_[loads[late]]) {
                    key.first = std::min(key.first, other.first);
                }
            }
        }
    }

    const std::vector<OrderNode>& nodes_;
    const std::vector<OrderGroup>& groups_;
    std::vector<std::uint32_t> first_, last_;  ///< by group
    std::vector<std::vector<std::uint32_t>> before_;
    std::vector<Key> key_;
};

}  // namespace

bool parts_accesses(const VirtualInstruction& instruction) {
    if (finaliser::holds_everything(instruction) || finaliser::meets_lanes(instruction)) { return true; }
    const isa::InstructionForm& machine = instruction.machine;
    const Operation op = machine.operation;
    if (is_one_of(op, Operation::barrier, Operation::membar, Operation::enqueue, Operation::dequeue)) { return true; }
    if (is_one_of(op, Operation::atomic, Operation::reduce)) { return machine.order > isa::Order::relaxed; }
    return isa::is_memory(op) && (machine.order != isa::Order::weak || machine.dequeues);
}

BlockOrder order_block(const VirtualKernel& kernel, const std::vector<OrderNode>& nodes,
                       const std::vector<OrderGroup>& groups, const OrderPairs& memory, const OrderPairs& needs) {
    const std::vector<Edge> edges = EdgeFinder(kernel, nodes).run();
    const auto sequence = [&](bool with_memory) -> std::optional<std::vector<std::uint32_t>> {
        Contracted contracted(nodes, groups);
        for (const Edge& edge : edges) {
            if (!contracted.add(edge)) { return std::nullopt; }
        }
        for (const auto& [from, to] : needs) { contracted.add({from, to, false}); }
        if (with_memory) {
            for (const auto& [from, to] : memory) {
                if (!contracted.add({from, to, true})) { return std::nullopt; }
            }
        }
        return contracted.sequence();
    };
    if (auto found = sequence(true)) { return {OrderFault::none, std::move(*found)}; }
    return {sequence(false) ? OrderFault::memory : OrderFault::data, {}};
}

}  // namespace lookahead::vecmem
