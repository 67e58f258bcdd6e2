#include "components/frontend/finaliser/simplify/simplify.h"

#include "components/frontend/finaliser/analysis/liveness.h"

namespace lookahead::finaliser {

namespace {

bool writes_live_unit(const VirtualKernel& kernel, const VirtualInstruction& instruction, const BitSet& live) {
    bool found = false;
    for_each_write(kernel, instruction, [&](std::uint32_t unit) { found |= live.contains(unit); });
    return found;
}

/// PTX has red for all of atom's operations except exch and cas.
bool can_be_reduction(const VirtualInstruction& instruction) {
    const isa::AtomicOp op = instruction.machine.atomic;
    return instruction.machine.operation == isa::Operation::atomic && op != isa::AtomicOp::exch &&
           op != isa::AtomicOp::cas;
}

}  // namespace

bool remove_dead_code(VirtualKernel& kernel) {
    const Liveness liveness(kernel);
    bool changed = false;
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
        BitSet live = liveness.out(block);
        auto& code = kernel.blocks[block].code;
        auto kept = code.end();  // kept instructions are moved to the end
        for (auto instruction = code.end(); instruction != code.begin();) {
            --instruction;
            if (!writes_live_unit(kernel, *instruction, live)) {
                if (!has_side_effect(*instruction)) { continue; }
                if (can_be_reduction(*instruction)) {
                    instruction->machine.operation = isa::Operation::reduce;
                    instruction->destination = kNone;
                    instruction->destination_rows = 0;
                    changed = true;
                }
            }
            step_back(kernel, *instruction, live);
            if (--kept != instruction) { *kept = *instruction; }
        }
        changed |= kept != code.begin();
        code.erase(code.begin(), kept);
    }
    return changed;
}

}  // namespace lookahead::finaliser
