#include "components/frontend/finaliser/layout/layout.h"

#include <algorithm>

namespace lookahead::finaliser {

LocalLayout lay_out_local(const ptx::Function& kernel) {
    LocalLayout layout;
    layout.offset.resize(kernel.variables.size());
    for (std::size_t i = 0; i < kernel.variables.size(); ++i) {
        const ptx::Variable& variable = kernel.variables[i];
        if (variable.space != ptx::StateSpace::local) { continue; }
        const std::uint32_t alignment = std::max(variable.alignment, 1U);
        layout.offset[i] = (layout.bytes + alignment - 1) / alignment * alignment;
        layout.bytes = layout.offset[i] + static_cast<std::uint32_t>(variable.size());
    }
    layout.bytes = (layout.bytes + 3) / 4 * 4;
    return layout;
}

bool makes_generic_local_addresses(const ptx::Function& kernel) {
    return std::ranges::any_of(kernel.instructions, [](const ptx::Instruction& instruction) {
        return instruction.opcode == ptx::Opcode::cvta && !instruction.modifiers.to &&
               instruction.modifiers.space == ptx::StateSpace::local;
    });
}

}  // namespace lookahead::finaliser
