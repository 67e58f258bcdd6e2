#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/ptx/graph.h"
#include "components/isa/kernel.h"

namespace lookahead::finaliser {

/// The control-flow graph of machine code.
struct MachineCfg {
    std::vector<std::uint32_t> first;     ///< block -> its first instruction
    std::vector<std::uint32_t> block_of;  ///< instruction -> block
    ptx::Graph graph;
};

MachineCfg machine_cfg(const std::vector<isa::Instruction>& code);

/// Whether control may go elsewhere than to the next instruction: bra, exit, trap.
bool is_jump(const isa::Instruction& instruction);

/// Sets the reconvergence point of every guarded branch: the first instruction of its immediate post-dominator. Lanes
/// that exit on the way do not count, because they need not meet others: the post-dominators are those of the paths to
/// the exit that most of the code leads to. For branches that cannot reach that exit they are those of the whole graph.
/// Where every exit is guarded, what is left without them is a loop, whose beginning stands for the exit.
/// Also marks the branches back in loops that may wait for other lanes (Instruction::yields).
void set_reconvergence(std::vector<isa::Instruction>& code);

}  // namespace lookahead::finaliser
