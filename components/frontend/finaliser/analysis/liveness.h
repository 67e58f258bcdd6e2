#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/finaliser/code/bit_set.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Units (rows and predicates) whose value may still be read, at the bounds of each block. A guarded write does not
/// end the life of the value before it: lanes whose guard fails keep that.
class Liveness {
  public:
    explicit Liveness(const VirtualKernel& kernel);

    /// All units that live after the block, over all units of the kernel.
    BitSet out(std::size_t block) const;
    /// Calls `visit(unit)` for every unit that lives before or after the block, in ascending order.
    template <typename Visit>
    void for_each_in(std::size_t block, Visit visit) const {
        in_[block].for_each([&](std::uint32_t number) { visit(units_[number]); });
    }
    template <typename Visit>
    void for_each_out(std::size_t block, Visit visit) const {
        out_[block].for_each([&](std::uint32_t number) { visit(units_[number]); });
    }

  private:
    void number_units(const VirtualKernel& kernel);
    void solve(const VirtualKernel& kernel);

    std::size_t unit_count_;
    /// The units that may live at a block's bound, ascending: those that some block reads before it writes them. In
    /// large kernels these are few, because most values stay in their block; the sets below are over their numbers
    /// here.
    std::vector<std::uint32_t> units_;
    std::vector<std::uint32_t> number_of_;  ///< by unit; kNone for the others
    std::vector<BitSet> in_;                ///< by block
    std::vector<BitSet> out_;               ///< by block
};

/// Turns `live`, the units live after `instruction`, into the units live before it.
void step_back(const VirtualKernel& kernel, const VirtualInstruction& instruction, BitSet& live);

}  // namespace lookahead::finaliser
