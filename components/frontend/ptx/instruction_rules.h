#pragma once

#include "components/frontend/ptx/instruction.h"

namespace lookahead::ptx {

/// Checks what the instruction table cannot say (which conversions need a rounding, the size of vector accesses) and
/// fills in what PTX leaves to defaults (memory ordering and scope). Throws Problem.
void apply_instruction_rules(Instruction& instruction);

}  // namespace lookahead::ptx
