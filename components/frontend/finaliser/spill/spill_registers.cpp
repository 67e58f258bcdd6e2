#include "components/frontend/finaliser/spill/spill_registers.h"

#include <algorithm>
#include <vector>

#include "components/frontend/finaliser/allocate/allocate.h"
#include "components/frontend/finaliser/analysis/affinity.h"
#include "components/frontend/finaliser/analysis/live_ranges.h"
#include "components/frontend/finaliser/analysis/liveness.h"
#include "components/frontend/finaliser/simplify/simplify.h"
#include "components/frontend/finaliser/spill/spill_choice.h"
#include "components/frontend/finaliser/spill/spill_view.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

namespace {

/// Rows that may be read before they are written.
std::vector<std::uint32_t> unwritten_rows(const VirtualKernel& kernel) {
    std::vector<std::uint32_t> rows;
    Liveness(kernel).for_each_in(0, [&](std::uint32_t unit) {
        if (unit < kernel.rows()) { rows.push_back(unit); }
    });
    return rows;
}

/// By row; empty if the order of spills does not depend on it.
std::vector<bool> affine_rows(const VirtualKernel& kernel, SpillRules rules) {
    std::vector<bool> rows;
    if (!rules.affine_first) { return rows; }
    for (const Affinity each : affinities(kernel)) { rows.push_back(each <= Affinity::affine); }
    return rows;
}

bool spill(VirtualKernel& kernel, unsigned limit, SpillRules rules) {
    SpilledValues values;
    values.rematerialise = rules.rematerialise;
    values.affine_first = rules.affine_first;
    values.affine = affine_rows(kernel, rules);
    values.originals = static_cast<std::uint32_t>(kernel.groups.size());
    // Each round removes a long life of a group; groups made by spilling can be victims a few times.
    for (std::size_t rounds = 8 * std::size_t{values.originals} + 64; rounds > 0; --rounds) {
        const Allocation allocation = allocate(kernel);
        if (allocation.registers <= limit) { return true; }
        const SpillView view(kernel, live_ranges_of(kernel));
        const SpillChoice choice = choose_victims(view, allocation, limit, values);
        if (choice.victims.empty()) { return false; }
        rewrite_spilled(kernel, view, choice, values);
        remove_dead_code(kernel);
    }
    return false;
}

}  // namespace

bool spill_registers(VirtualKernel& kernel, unsigned limit, SpillRules rules) {
    const std::vector<std::uint32_t> before = unwritten_rows(kernel);
    const bool fits = spill(kernel, limit, rules);
    LOOKAHEAD_ASSERT(std::ranges::includes(before, unwritten_rows(kernel)),
                     "spilling must leave no row that is read and not written");
    return fits;
}

}  // namespace lookahead::finaliser
