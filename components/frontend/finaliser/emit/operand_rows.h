#pragma once

#include <array>
#include <cstdint>

#include "components/isa/instruction.h"

namespace lookahead::finaliser {

/// The numbers of rows of an instruction's operands.
struct OperandShape {
    std::uint8_t destination = 0;
    /// Bit n set: the source may have n rows (0: be absent).
    std::array<std::uint32_t, 4> source = {1, 1, 1, 1};
    bool writes_predicate = false;  ///< has no other result
};

OperandShape shape_of(const isa::Instruction& instruction);

}  // namespace lookahead::finaliser
