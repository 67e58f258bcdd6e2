#pragma once

#include <vector>

#include "components/frontend/finaliser/analysis/live_ranges.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// The row of another group into which a group of rows was merged; they share registers.
struct Merged {
    std::uint32_t group = 0;   ///< index in VirtualKernel::groups of the group that holds all
    std::uint32_t offset = 0;  ///< the row of it at which this group begins
};

/// Merges the groups on both sides of a copy, or of a copy into an element of a vector or half of a wide value, if
/// their values never live at the same time; the copy vanishes. Updates `ranges`, by row. Result by group.
std::vector<Merged> coalesce_copies(const VirtualKernel& kernel, std::vector<RangeSet>& ranges);

}  // namespace lookahead::finaliser
