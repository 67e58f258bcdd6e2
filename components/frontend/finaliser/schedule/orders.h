#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "components/frontend/finaliser/analysis/dependences.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/frontend/finaliser/schedule/pressure.h"

namespace lookahead::finaliser {

/// Returns an order for a stretch of code, made by a list scheduler: among instructions within the target, first those
/// that need not wait, then those with the longest path to the stretch's end; if none is within the target, the one
/// that exceeds it least, in the old order. Loads have a separate target, which leaves registers for the arithmetic
/// between them.
std::vector<std::uint32_t> list_order(std::span<const VirtualInstruction> code, Dependences dependences,
                                      const StretchValues& values, Live target, Live target_of_loads);

/// Returns an order for a stretch of code, built from its end: it always chooses the instruction before which the
/// fewest rows live, which brings the writer of a value close to its readers; among equals it chooses the last one of
/// the old order.
std::vector<std::uint32_t> order_for_few_rows(const Dependences& dependences, const StretchValues& values);

}  // namespace lookahead::finaliser
