#pragma once

#include "components/isa/handlers.h"

/// Internal to components/isa: the handlers of each file of semantics; nullptr for instructions of other files.
namespace lookahead::isa {

AluHandler select_move(const Instruction& instruction);
AluHandler select_integer(const Instruction& instruction);
AluHandler select_float(const Instruction& instruction);
AluHandler select_half(const Instruction& instruction);
AluHandler select_approximate(const Instruction& instruction);
AluHandler select_logic(const Instruction& instruction);
AluHandler select_bit_field(const Instruction& instruction);
AluHandler select_compare(const Instruction& instruction);
AluHandler select_predicate(const Instruction& instruction);
AluHandler select_convert(const Instruction& instruction);
AluHandler select_warp(const Instruction& instruction);

}  // namespace lookahead::isa
