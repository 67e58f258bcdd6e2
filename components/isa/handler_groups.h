#pragma once

#include "components/isa/handlers.h"

/// Internal to components/isa: the handlers of each file of semantics; nullptr for instructions of other files.
namespace lookahead::isa {

AluHandler select_move(const InstructionForm& instruction);
AluHandler select_integer(const InstructionForm& instruction);
AluHandler select_float(const InstructionForm& instruction);
AluHandler select_half(const InstructionForm& instruction);
AluHandler select_approximate(const InstructionForm& instruction);
AluHandler select_logic(const InstructionForm& instruction);
AluHandler select_bit_field(const InstructionForm& instruction);
AluHandler select_compare(const InstructionForm& instruction);
AluHandler select_predicate(const InstructionForm& instruction);
AluHandler select_convert(const InstructionForm& instruction);
AluHandler select_warp(const InstructionForm& instruction);

}  // namespace lookahead::isa
