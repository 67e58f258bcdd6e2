#pragma once

#include "components/frontend/finaliser/analysis/control_flow.h"

namespace lookahead::dac {

using finaliser::BitSet;
using finaliser::Flow;
using finaliser::Loop;
using finaliser::split_at_jumps;
using finaliser::VirtualInstruction;
using finaliser::VirtualKernel;

}  // namespace lookahead::dac
