#include "components/frontend/finaliser/emit/machine_cfg.h"

#include <algorithm>
#include <ranges>

#include "components/isa/instruction.h"

namespace lookahead::finaliser {

using isa::Instruction;
using isa::Operation;

bool is_jump(const Instruction& instruction) {
    return instruction.operation == Operation::bra || instruction.operation == Operation::exit ||
           instruction.operation == Operation::trap;
}

namespace {

bool is_guarded(const Instruction& instruction) {
    return instruction.guard != isa::kTruePredicate;
}

std::vector<bool> block_starts(const std::vector<Instruction>& code) {
    std::vector<bool> starts(code.size() + 1, false);
    starts[0] = true;
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (!is_jump(code[i])) { continue; }
        starts[i + 1] = true;
        if (code[i].operation == Operation::bra && code[i].target < code.size()) { starts[code[i].target] = true; }
    }
    return starts;
}

/// The graph without the paths to exits other than the one that most blocks lead to, and the remaining blocks. If all
/// exits are guarded, lanes that go on are in an endless loop: `again`, a block more than there are, is then its first
/// one, `start`, in its next turn.
struct MainWays {
    ptx::Graph graph;
    std::vector<bool> contains;
    std::uint32_t start = ptx::kNoNode;

    std::uint32_t again() const { return graph.size() - 1; }
};

/// The first block of the endless loop that most blocks lead to, if guarded exits are none.
std::uint32_t start_of_endless_loop(const ptx::Graph& graph,
                                    const std::vector<std::vector<std::uint32_t>>& predecessors) {
    std::uint32_t start = ptx::kNoNode;
    std::ptrdiff_t most = 0;
    for (const std::uint32_t block : ptx::reverse_post_order(graph)) {
        const std::vector<bool> ahead = ptx::reached_from(block, graph.successors);
        const std::vector<bool> behind = ptx::reached_from(block, predecessors);
        const auto size = std::ranges::count(behind, true);
        const auto leaves = [&](std::size_t other) { return ahead[other] && !behind[other]; };
        if (size <= most || std::ranges::any_of(std::views::iota(std::size_t{0}, ahead.size()), leaves)) { continue; }
        most = size;
        start = block;
    }
    return start;
}

MainWays main_ways(const ptx::Graph& graph) {
    const auto predecessors = ptx::predecessors(graph);
    MainWays ways{graph, std::vector<bool>(graph.size(), false)};
    std::uint32_t main_exit = ptx::kNoNode;
    std::ptrdiff_t most = 0;
    for (std::uint32_t block = 0; block < graph.size(); ++block) {
        if (!graph.exits[block] || !graph.successors[block].empty()) { continue; }
        std::vector<bool> reach = ptx::reached_from(block, predecessors);
        const auto size = std::ranges::count(reach, true);
        if (size < most) { continue; }
        most = size;
        main_exit = block;
        ways.contains = std::move(reach);
    }
    if (main_exit == ptx::kNoNode) {
        ways.start = start_of_endless_loop(graph, predecessors);
        ways.contains = ptx::reached_from(ways.start, predecessors);
        const std::vector<bool> loop = ptx::reached_from(ways.start, graph.successors);
        main_exit = graph.size();
        ways.graph.successors.emplace_back();
        ways.graph.exits.push_back(false);
        ways.contains.push_back(true);
        for (std::uint32_t block = 0; block < graph.size(); ++block) {
            if (loop[block]) { std::ranges::replace(ways.graph.successors[block], ways.start, ways.again()); }
        }
    }
    for (std::uint32_t block = 0; block < ways.graph.size(); ++block) {
        if (!ways.contains[block]) { continue; }
        std::erase_if(ways.graph.successors[block], [&](std::uint32_t next) { return !ways.contains[next]; });
        ways.graph.exits[block] = block == main_exit;
    }
    return ways;
}

/// Whether a lane can see or await others' work by the instruction: loops without such instructions cannot wait.
bool may_observe(const Instruction& instruction) {
    const Operation operation = instruction.operation;
    return operation == Operation::load
               ? instruction.order != isa::Order::weak
               : operation == Operation::atomic || operation == Operation::membar || operation == Operation::nop;
}

}  // namespace

MachineCfg machine_cfg(const std::vector<Instruction>& code) {
    MachineCfg cfg;
    const std::vector<bool> starts = block_starts(code);
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (starts[i]) { cfg.first.push_back(i); }
        cfg.block_of.push_back(static_cast<std::uint32_t>(cfg.first.size() - 1));
    }
    const auto blocks = static_cast<std::uint32_t>(cfg.first.size());
    cfg.graph.successors.resize(blocks);
    cfg.graph.exits.resize(blocks, false);
    for (std::uint32_t block = 0; block < blocks; ++block) {
        const std::uint32_t end = block + 1 < blocks ? cfg.first[block + 1] : static_cast<std::uint32_t>(code.size());
        const Instruction& last = code[end - 1];
        auto& next = cfg.graph.successors[block];
        if (last.operation == Operation::bra && last.target < code.size()) {
            next.push_back(cfg.block_of[last.target]);
        } else if (is_jump(last)) {
            cfg.graph.exits[block] = true;
        }
        if (is_jump(last) && !is_guarded(last)) { continue; }
        if (block + 1 == blocks) {
            cfg.graph.exits[block] = true;
        } else if (std::ranges::find(next, block + 1) == next.end()) {
            next.push_back(block + 1);
        }
    }
    return cfg;
}

/// Marks branches in loops that may wait for other lanes, as NVIDIA's compilers place YIELD.
void set_yields(std::vector<Instruction>& code) {
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        Instruction& branch = code[i];
        branch.yields = branch.operation == Operation::bra && branch.target <= i &&
                        std::any_of(code.begin() + branch.target, code.begin() + i, may_observe);
    }
}

void set_reconvergence(std::vector<Instruction>& code) {
    const MachineCfg cfg = machine_cfg(code);
    const MainWays ways = main_ways(cfg.graph);
    const std::vector<std::uint32_t> on_main_ways = ptx::immediate_post_dominators(ways.graph);
    const std::vector<std::uint32_t> elsewhere = ptx::immediate_post_dominators(cfg.graph);
    set_yields(code);
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (code[i].operation != Operation::bra || !is_guarded(code[i])) { continue; }
        const std::uint32_t block = cfg.block_of[i];
        std::uint32_t join = ways.contains[block] ? on_main_ways[block] : elsewhere[block];
        if (ways.start != ptx::kNoNode && join == ways.again()) { join = ways.start; }
        code[i].reconvergence = join == ptx::kNoNode ? isa::kNoTarget : cfg.first[join];
    }
}

}  // namespace lookahead::finaliser
