#pragma once

#include "components/frontend/finaliser/analysis/values.h"
#include "components/mechanisms/dac/flow.h"

namespace lookahead::dac {

using finaliser::AllRows;
using finaliser::kNoValue;
using finaliser::Position;
using finaliser::Reads;
using finaliser::Value;
using finaliser::ValueId;
using finaliser::Values;

}  // namespace lookahead::dac
