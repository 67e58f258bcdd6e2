#include "components/frontend/finaliser/emit/emit.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "components/isa/instruction.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

namespace {

using isa::Instruction;

void move_targets(Instruction& instruction, std::uint32_t entry) {
    for (std::uint32_t* target : {&instruction.target, &instruction.reconvergence}) {
        if (*target != isa::kNoTarget) { *target += entry; }
    }
}

void move_literals(Instruction& instruction, std::uint32_t first_literal, std::uint32_t distance) {
    for (Operand& operand : instruction.source) {
        if (operand.kind == Operand::Kind::constant && operand.index >= first_literal) {
            operand.index = static_cast<std::uint16_t>(operand.index + distance);
        }
    }
}

}  // namespace

void append_program(isa::Kernel& kernel, const std::string& name, const isa::Kernel& program) {
    LOOKAHEAD_ASSERT(program.parameter_bytes == kernel.parameter_bytes && program.programs.empty(),
                     "a kernel's programs have its parameters");
    const auto entry = static_cast<std::uint32_t>(kernel.code.size());
    const auto literals = static_cast<std::uint32_t>(kernel.literals.size());
    for (Instruction instruction : program.code) {
        move_targets(instruction, entry);
        move_literals(instruction, kernel.first_literal_row(), literals);
        kernel.code.push_back(instruction);
    }
    kernel.origins.insert(kernel.origins.end(), program.origins.begin(), program.origins.end());
    for (isa::Annotation annotation : program.annotations) {
        annotation.instruction += entry;
        kernel.annotations.push_back(std::move(annotation));
    }
    kernel.literals.insert(kernel.literals.end(), program.literals.begin(), program.literals.end());
    LOOKAHEAD_ASSERT(kernel.constant_rows() <= std::numeric_limits<std::uint16_t>::max(),
                     "a launch's constant rows have numbers of 16 bits");
    kernel.local_bytes = program.local_bytes;
    kernel.spill_bytes += program.spill_bytes;
    for (const std::uint32_t offset : program.pointer_parameters) {
        if (std::ranges::find(kernel.pointer_parameters, offset) == kernel.pointer_parameters.end()) {
            kernel.pointer_parameters.push_back(offset);
        }
    }
    kernel.programs.push_back(
        {name, entry, static_cast<std::uint32_t>(kernel.code.size()), program.registers, program.predicates});
}

}  // namespace lookahead::finaliser
