#include "components/frontend/finaliser/spill_registers.h"

#include "components/frontend/finaliser/allocate.h"
#include "components/frontend/finaliser/dead_code.h"
#include "components/frontend/finaliser/live_ranges.h"
#include "components/frontend/finaliser/spill_choice.h"
#include "components/frontend/finaliser/spill_rewrite.h"
#include "components/frontend/finaliser/spill_view.h"

namespace lookahead::finaliser {

bool spill_registers(VirtualKernel& kernel, unsigned limit) {
    SpilledValues values;
    values.originals = static_cast<std::uint32_t>(kernel.groups.size());
    // Each round takes a long life from a group; groups that spilling makes can be victims a few times.
    for (std::size_t rounds = 8 * std::size_t{values.originals} + 64; rounds > 0; --rounds) {
        const Allocation allocation = allocate(kernel);
        if (allocation.registers <= limit) return true;
        const SpillView view(kernel, live_ranges_of(kernel));
        const SpillChoice choice = choose_victims(view, allocation, limit, values);
        if (choice.victims.empty()) return false;
        rewrite_spilled(kernel, view, choice, values);
        remove_dead_code(kernel);
    }
    return false;
}

}  // namespace lookahead::finaliser
