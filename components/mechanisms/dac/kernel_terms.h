#pragma once

#include "components/frontend/finaliser/analysis/control_flow.h"
#include "components/frontend/finaliser/analysis/values.h"

/// Names of the finaliser and the ISA that this folder uses.
namespace lookahead::dac {

using finaliser::Flow;
using finaliser::kAlways;
using finaliser::kNone;
using finaliser::kNoValue;
using finaliser::Position;
using finaliser::Reads;
using finaliser::Value;
using finaliser::ValueId;
using finaliser::Values;
using finaliser::VirtualInstruction;
using finaliser::VirtualKernel;
using finaliser::VirtualOperand;
using isa::Operation;
using isa::Space;
using isa::Type;

}  // namespace lookahead::dac
