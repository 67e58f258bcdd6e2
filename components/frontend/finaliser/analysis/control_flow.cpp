#include "components/frontend/finaliser/analysis/control_flow.h"

#include <algorithm>
#include <utility>

namespace lookahead::finaliser {

using ptx::kNoNode;

void split_at_jumps(VirtualKernel& kernel) {
    std::vector<VirtualBlock> blocks;
    std::vector<std::uint32_t> first;
    for (VirtualBlock& block : kernel.blocks) {
        first.push_back(static_cast<std::uint32_t>(blocks.size()));
        blocks.emplace_back();
        for (std::size_t i = 0; i < block.code.size(); ++i) {
            blocks.back().code.push_back(block.code[i]);
            if (is_jump(block.code[i]) && i + 1 < block.code.size()) { blocks.emplace_back(); }
        }
    }
    kernel.blocks = std::move(blocks);
    for_each_instruction(kernel, [&first](VirtualInstruction& instruction) {
        if (instruction.machine.operation == isa::Operation::bra) { instruction.target = first[instruction.target]; }
    });
}

Flow::Flow(const VirtualKernel& kernel)
    : graph_(flow_of(kernel)),
      predecessors_(ptx::predecessors(graph_)),
      order_(ptx::reverse_post_order(graph_)),
      reachable_(graph_.size(), false),
      post_dominators_(ptx::immediate_post_dominators(graph_)),
      branches_(graph_.size(), nullptr),
      loops_(natural_loops(graph_, ptx::DominatorTree(ptx::immediate_dominators(graph_)), order_)) {
    for (std::uint32_t block : order_) { reachable_[block] = true; }
    for (auto& list : predecessors_) {
        std::erase_if(list, [this](std::uint32_t block) { return !reachable_[block]; });
    }
    for (std::uint32_t block = 0; block < blocks(); ++block) {
        const auto& code = kernel.blocks[block].code;
        if (!code.empty() && is_jump(code.back()) && code.back().guarded()) { branches_[block] = &code.back(); }
    }
    find_controllers();
}

void Flow::find_controllers() {
    controllers_.resize(blocks());
    for (std::uint32_t from : order_) {
        if (branches_[from] == nullptr) { continue; }
        for (std::uint32_t next : graph_.successors[from]) {
            for (std::uint32_t at = next; at != kNoNode && at != post_dominators_[from]; at = post_dominators_[at]) {
                if (auto& list = controllers_[at]; std::ranges::find(list, from) == list.end()) {
                    list.push_back(from);
                }
            }
        }
    }
}

std::vector<std::uint32_t> Flow::names_from(std::uint32_t block, std::vector<std::uint32_t>& joins) const {
    const std::uint32_t meeting = post_dominators_[block];
    const auto& ways = graph_.successors[block];
    std::vector<std::uint32_t> names(blocks(), kNoNode);
    std::vector<bool> joined(blocks(), false);
    for (std::uint32_t next : ways) { names[next] = next; }
    // The common name of the predecessors that have one; two different names make it a join, which it stays.
    const auto name_of = [&](std::uint32_t at) {
        const bool begins = std::ranges::find(ways, at) != ways.end();
        std::uint32_t name = begins ? at : kNoNode;
        for (std::uint32_t before : predecessors_[at]) {
            if (before == meeting || before == block || names[before] == kNoNode) { continue; }
            if (name != kNoNode && names[before] != name) { joined[at] = true; }
            name = names[before];
        }
        return joined[at] || begins ? at : name;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t at : order_) {
            const std::uint32_t name = name_of(at);
            if (name == names[at]) { continue; }
            names[at] = name;
            changed = true;
        }
    }
    for (std::uint32_t at : order_) {
        if (joined[at]) { joins.push_back(at); }
    }
    return names;
}

std::vector<std::uint32_t> Flow::joins_of(std::uint32_t block) const {
    std::vector<std::uint32_t> joins;
    names_from(block, joins);
    return joins;
}

std::vector<std::uint32_t> Flow::loops_left_at(std::uint32_t block) const {
    std::vector<std::uint32_t> joins;
    const std::vector<std::uint32_t> names = names_from(block, joins);
    std::vector<std::uint32_t> left;
    for (std::uint32_t i = 0; i < loops_.size(); ++i) {
        if (!loops_[i].blocks.contains(block)) { continue; }
        const std::uint32_t meeting = post_dominators_[block];
        bool leaves = meeting == kNoNode || !loops_[i].blocks.contains(meeting);
        for (std::uint32_t at = 0; at < blocks() && !leaves; ++at) {
            leaves = names[at] != kNoNode && !loops_[i].blocks.contains(at);
        }
        if (leaves) { left.push_back(i); }
    }
    return left;
}

BitSet Flow::behind(std::uint32_t block) const {
    return reached_from({block}, BitSet(blocks()));
}

BitSet Flow::up_to(std::uint32_t block, std::uint32_t end) const {
    BitSet reached(blocks());
    if (block == end) { return reached; }
    reached.insert(block);
    if (end != kNoNode) { reached.insert(end); }
    reached = reached_from({block}, std::move(reached));
    if (end != kNoNode) { reached.erase(end); }
    return reached;
}

/// `reached`, and all blocks after `open` on paths that do not lead through `reached`.
BitSet Flow::reached_from(std::vector<std::uint32_t> open, BitSet reached) const {
    while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        for (std::uint32_t next : graph_.successors[at]) {
            if (reached.contains(next)) { continue; }
            reached.insert(next);
            open.push_back(next);
        }
    }
    return reached;
}

}  // namespace lookahead::finaliser
