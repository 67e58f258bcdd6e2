#pragma once

#include "components/isa/instruction_form.h"

namespace lookahead::gpu::lsu {

constexpr bool is_acquire(const isa::InstructionForm& instruction) {
    return instruction.order == isa::Order::acquire || instruction.order == isa::Order::acq_rel ||
           instruction.order == isa::Order::sc;
}
constexpr bool is_release(const isa::InstructionForm& instruction) {
    return instruction.order == isa::Order::release || instruction.order == isa::Order::acq_rel ||
           instruction.order == isa::Order::sc;
}
/// Whether the instruction's scope reaches beyond the SM: all scopes but cta.
constexpr bool leaves_sm(const isa::InstructionForm& instruction) {
    return instruction.scope != isa::Scope::cta;
}
constexpr bool has_result(const isa::InstructionForm& instruction) {
    return isa::is_load(instruction.operation) || instruction.operation == isa::Operation::atomic;
}

}  // namespace lookahead::gpu::lsu
