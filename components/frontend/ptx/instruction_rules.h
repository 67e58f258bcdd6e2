#pragma once

#include "components/frontend/ptx/instruction.h"
#include "components/frontend/ptx/module.h"

namespace lookahead::ptx {

/// Checks rules that the instruction table cannot express (which conversions need a rounding, the size of vector
/// accesses) and fills in PTX's defaults (memory ordering and scope). Throws Problem.
void apply_instruction_rules(Instruction& instruction);

/// Compares a call's results and arguments with the callee's parameters in number, size and kind of type, and gives
/// the arguments the parameters' types. Throws Problem.
void check_call(const Module& module, const Function& caller, Instruction& call);

}  // namespace lookahead::ptx
