#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/finaliser/analysis/dependences.h"
#include "components/frontend/finaliser/schedule/pressure.h"

namespace lookahead::finaliser {

/// An order for a stretch of code, found from its end: always the instruction before which fewest rows live, which
/// brings the writers of a value close to its readers; among equals the last one of the old order.
std::vector<std::uint32_t> order_for_few_rows(const Dependences& dependences, const StretchValues& values);

}  // namespace lookahead::finaliser
