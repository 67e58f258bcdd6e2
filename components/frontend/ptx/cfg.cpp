#include "components/frontend/ptx/cfg.h"

#include <algorithm>

namespace lookahead::ptx {
namespace {

bool leaves(const Instruction& instruction) {
    return instruction.opcode == Opcode::ret || instruction.opcode == Opcode::exit ||
           instruction.opcode == Opcode::trap;
}

bool ends_block(const Instruction& instruction) {
    return leaves(instruction) || instruction.opcode == Opcode::bra || instruction.opcode == Opcode::brx_idx;
}

std::vector<std::uint32_t> branch_targets(const Instruction& instruction) {
    std::vector<std::uint32_t> targets;
    for (const Operand& operand : instruction.operands) {
        if (operand.kind == OperandKind::label) { targets.push_back(operand.target); }
        if (operand.kind == OperandKind::labels) {
            targets.insert(targets.end(), operand.targets.begin(), operand.targets.end());
        }
    }
    return targets;
}

std::vector<BasicBlock> find_blocks(const Function& function) {
    const auto count = static_cast<std::uint32_t>(function.instructions.size());
    std::vector<bool> leader(count + 1, false);
    leader[0] = true;
    leader[count] = true;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!ends_block(function.instructions[i])) { continue; }
        leader[i + 1] = true;
        for (const std::uint32_t target : branch_targets(function.instructions[i])) { leader[target] = true; }
    }
    std::vector<BasicBlock> blocks;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (leader[i]) { blocks.push_back({i, i}); }
        blocks.back().end = i + 1;
    }
    return blocks;
}

}  // namespace

Cfg build_cfg(const Function& function) {
    Cfg cfg;
    cfg.blocks = find_blocks(function);
    const auto count = static_cast<std::uint32_t>(function.instructions.size());
    cfg.block_of.resize(count);
    for (std::uint32_t b = 0; b < cfg.blocks.size(); ++b) {
        std::fill(cfg.block_of.begin() + cfg.blocks[b].first, cfg.block_of.begin() + cfg.blocks[b].end, b);
    }

    cfg.graph.successors.resize(cfg.blocks.size());
    cfg.graph.exits.resize(cfg.blocks.size(), false);
    for (std::uint32_t b = 0; b < cfg.blocks.size(); ++b) {
        const auto lead_to = [&](std::uint32_t instruction) {
            if (instruction == count) {
                cfg.graph.exits[b] = true;  // running off the end returns
                return;
            }
            auto& successors = cfg.graph.successors[b];
            const std::uint32_t to = cfg.block_of[instruction];
            if (std::find(successors.begin(), successors.end(), to) == successors.end()) { successors.push_back(to); }
        };
        const Instruction& last = function.instructions[cfg.blocks[b].end - 1];
        if (leaves(last)) { cfg.graph.exits[b] = true; }
        if (!ends_block(last) || last.guard) { lead_to(cfg.blocks[b].end); }
        for (const std::uint32_t target : branch_targets(last)) { lead_to(target); }
    }
    return cfg;
}

}  // namespace lookahead::ptx
