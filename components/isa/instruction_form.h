#pragma once

#include <cstdint>

#include "components/isa/operation.h"
#include "components/isa/type.h"

namespace lookahead::isa {

/// The part of an Instruction that allocation does not change: all but its registers, predicates and targets.
struct InstructionForm {
    Operation operation = Operation::nop;
    Type type = Type::none;         ///< of the operation; of the result for `convert`
    Type source_type = Type::none;  ///< of the source for `convert`, mul_wide and mad_wide
    Comparison comparison = Comparison::none;
    Combine combine = Combine::none;
    Rounding rounding = Rounding::none;
    bool flush_to_zero = false;
    bool saturate = false;
    Space space = Space::none;
    Order order = Order::weak;
    Scope scope = Scope::none;
    AtomicOp atomic = AtomicOp::none;
    SpecialRegister special = SpecialRegister::none;
    BarrierKind barrier = BarrierKind::sync;
    bool yields = false;  ///< branch back in a loop that may wait for other lanes
    /// A load or store without source[0] takes its address from the warp's queue; a branch takes its guard from it,
    /// which is written to destination_predicate first.
    bool dequeues = false;
    std::uint8_t mode = 0;            ///< lop3 table, shuffle or vote mode, barrier number
    std::uint8_t address_window = 0;  ///< high word of a memory address whose operand is one row
    std::uint8_t vector = 1;          ///< elements of a load or store: 1, 2, 4, 8 or 16; vector memory: 4, 8 or 16
    std::int32_t offset = 0;          ///< displacement of a memory address, bytes
    std::uint32_t line = 0;           ///< line of the PTX file, for messages
    std::uint16_t modifiers = 0;      ///< of native code's sources (modes.h)
    bool uniform = false;             ///< executed once for the warp: all lanes get the result, active or not
};

}  // namespace lookahead::isa
