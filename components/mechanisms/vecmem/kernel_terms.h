#pragma once

#include "components/frontend/finaliser/analysis/values.h"

/// The terms of the finaliser and of the machine ISA in which this folder speaks of kernels.
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
