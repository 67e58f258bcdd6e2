#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "components/frontend/finaliser/analysis/dependences.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/frontend/finaliser/schedule/pressure.h"

namespace lookahead::finaliser {

/// An order for a stretch of code by a list scheduler: of what keeps within the target first what need not wait, then
/// what has the longest way to the stretch's end; where nothing does, what goes least beyond it, in the old order. For
/// loads there is a target of their own, which leaves registers for the arithmetic between them.
std::vector<std::uint32_t> list_order(std::span<const VirtualInstruction> code, Dependences dependences,
                                      const StretchValues& values, Live target, Live target_of_loads);

}  // namespace lookahead::finaliser
