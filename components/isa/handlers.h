#pragma once

#include "components/isa/instruction_form.h"
#include "components/isa/lane_mask.h"

namespace lookahead::isa {

/// The most rows of an operand of an ALU instruction.
inline constexpr unsigned kMostAluRows = 8;

/// The rows of one ALU instruction. A row is 32 consecutive 32-bit words, one per lane, 128-byte aligned. Index 1 of a
/// source or destination is the high word of a 64-bit value, or index i the i-th word of a longer one; those beyond the
/// operand's rows are not set. Rows are given one by one, so that renaming may put them anywhere. A destination may
/// alias a source row exactly.
struct OperandRows {
    std::uint32_t* destination[kMostAluRows];
    const std::uint32_t* source[3][kMostAluRows];
    LaneMask source_predicate;        ///< value of source_predicate, negation applied
    LaneMask source_predicate2;       ///< likewise
    LaneMask destination_predicate;   ///< in: old value; out: new value (lanes outside the mask keep the old)
    LaneMask destination_predicate2;  ///< likewise
};

/// Executes one instruction for the lanes of `active`; lanes outside it keep their destination values.
using AluHandler = void (*)(OperandRows& rows, LaneMask active, const InstructionForm& instruction);

/// The handler of `instruction`, or nullptr for operations that no handler executes (control, memory, barriers,
/// read_special). Chosen once, when a kernel is loaded.
AluHandler select_handler(const InstructionForm& instruction);

}  // namespace lookahead::isa
