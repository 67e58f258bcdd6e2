#pragma once

#include "components/frontend/ptx/instruction.h"

namespace lookahead::ptx {

/// Checks rules that the instruction table cannot express (which conversions need a rounding, the size of vector
/// accesses) and fills in PTX's defaults (memory ordering and scope). Throws Problem.
void apply_instruction_rules(Instruction& instruction);

}  // namespace lookahead::ptx
