#include "components/frontend/finaliser/simplify/simplify.h"

namespace lookahead::finaliser {

namespace {

bool only_exits(const VirtualKernel& kernel, std::uint32_t block) {
    while (block < kernel.blocks.size() && kernel.blocks[block].code.empty()) { ++block; }
    if (block == kernel.blocks.size()) { return false; }
    const VirtualInstruction& first = kernel.blocks[block].code.front();
    return first.machine.operation == Operation::exit && !first.guarded();
}

}  // namespace

bool turn_branches_to_exits(VirtualKernel& kernel) {
    bool changed = false;
    for_each_instruction(kernel, [&](VirtualInstruction& instruction) {
        if (instruction.machine.operation != Operation::bra || !only_exits(kernel, instruction.target)) { return; }
        instruction.machine.operation = Operation::exit;
        instruction.target = kNone;
        changed = true;
    });
    return changed;
}

}  // namespace lookahead::finaliser
