#pragma once

#include "components/frontend/finaliser/analysis/values.h"

/// Names of the finaliser and the ISA that this folder uses.
namespace lookahead::vecmem {

using finaliser::kAlways;
using finaliser::kNone;
using finaliser::kNoValue;
using finaliser::Position;
using finaliser::Value;
using finaliser::ValueId;
using finaliser::VirtualBlock;
using finaliser::VirtualInstruction;
using finaliser::VirtualKernel;
using finaliser::VirtualOperand;
using isa::Comparison;
using isa::Operand;
using isa::Operation;
using isa::Type;

}  // namespace lookahead::vecmem
