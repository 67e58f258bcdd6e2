#pragma once

#include <algorithm>
#include <cstdint>

#include "components/frontend/ptx/function.h"
#include "components/frontend/ptx/operand.h"

namespace lookahead::finaliser {

// This folder works on PTX before it is lowered.
using ptx::Function;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::StateSpace;
using ptx::SymbolKind;
using ptx::Type;

inline ptx::Operand register_operand(std::uint32_t reg, ptx::Type type) {
    return {.kind = ptx::OperandKind::reg, .type = type, .reg = reg};
}

inline ptx::Operand number_operand(std::uint64_t value, ptx::Type type) {
    return {.kind = ptx::OperandKind::immediate, .type = type, .value = value};
}

/// Instruction `target` of the function, as a branch names it.
inline ptx::Operand label_operand(std::uint32_t target) {
    return {.kind = ptx::OperandKind::label, .target = target};
}

/// The address `offset` bytes after a symbol's.
inline ptx::Operand address_operand(ptx::SymbolReference symbol, std::uint64_t offset) {
    return {.kind = ptx::OperandKind::address, .type = ptx::Type::u64, .symbol = symbol, .value = offset};
}

/// The address of a kernel's parameter as a value, as `mov` takes it.
inline bool is_parameter_address(const ptx::Operand& operand) {
    return operand.kind == ptx::OperandKind::symbol && operand.symbol.kind == ptx::SymbolKind::parameter;
}

/// The operand in brackets; null if the instruction accesses no memory.
inline const ptx::Operand* address_of(const ptx::Instruction& instruction) {
    const auto found = std::ranges::find(instruction.operands, ptx::OperandKind::address, &ptx::Operand::kind);
    return found == instruction.operands.end() ? nullptr : &*found;
}

}  // namespace lookahead::finaliser
