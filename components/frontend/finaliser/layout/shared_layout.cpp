#include "components/frontend/finaliser/layout/layout.h"

#include <algorithm>

namespace lookahead::finaliser {

namespace {

std::uint32_t align_up(std::uint32_t value, unsigned alignment) {
    return alignment < 2 ? value : (value + alignment - 1) / alignment * alignment;
}

bool is_dynamic(const ptx::Variable& variable) {
    return variable.is_extern;
}

std::vector<bool> module_variables_named_in(const ptx::Module& module, const ptx::Function& kernel) {
    std::vector<bool> named(module.variables.size(), false);
    for (const ptx::Instruction& instruction : kernel.instructions) {
        for (const ptx::Operand& operand : instruction.operands) {
            ptx::for_each_part(operand, [&named](const ptx::Operand& part) {
                if (part.symbol.kind == ptx::SymbolKind::module_variable) { named[part.symbol.index] = true; }
            });
        }
    }
    return named;
}

}  // namespace

SharedLayout lay_out_shared(const ptx::Module& module, const ptx::Function& kernel) {
    SharedLayout layout;
    layout.module_offset.resize(module.variables.size());
    layout.function_offset.resize(kernel.variables.size());
    const std::vector<bool> named = module_variables_named_in(module, kernel);
    unsigned dynamic_alignment = 1;

    const auto place = [&](const ptx::Variable& variable, std::uint32_t& offset) {
        if (is_dynamic(variable)) {
            dynamic_alignment = std::max(dynamic_alignment, variable.alignment);
            return;
        }
        offset = align_up(layout.static_bytes, variable.alignment);
        layout.static_bytes = offset + static_cast<std::uint32_t>(variable.size());
    };
    const auto for_each_shared = [&](auto&& visit) {
        for (std::size_t i = 0; i < module.variables.size(); ++i) {
            if (module.variables[i].space == ptx::StateSpace::shared && named[i]) {
                visit(module.variables[i], layout.module_offset[i]);
            }
        }
        for (std::size_t i = 0; i < kernel.variables.size(); ++i) {
            if (kernel.variables[i].space == ptx::StateSpace::shared) {
                visit(kernel.variables[i], layout.function_offset[i]);
            }
        }
    };
    for_each_shared(place);
    layout.static_bytes = align_up(layout.static_bytes, dynamic_alignment);
    for_each_shared([&](const ptx::Variable& variable, std::uint32_t& offset) {
        if (is_dynamic(variable)) { offset = layout.static_bytes; }
    });
    return layout;
}

}  // namespace lookahead::finaliser
