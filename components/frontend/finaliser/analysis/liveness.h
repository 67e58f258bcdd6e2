#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "components/frontend/finaliser/code/bit_set.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Units (rows and predicates) whose value may still be read, at the bounds of each block. A guarded write does not end
/// the life of the value before it: lanes whose guard fails keep it.
class Liveness {
  public:
    explicit Liveness(const VirtualKernel& kernel);

    /// The units that live after the block, as a set over all units of the kernel.
    BitSet out(std::size_t block) const;
    /// Calls `visit(unit)` for every unit that lives before or after the block, in ascending order.
    template <typename Visit>
    void for_each_in(std::size_t block, Visit visit) const {
        for_each_bit(row(in_, block), [&](std::uint32_t number) { visit(units_[number]); });
    }
    template <typename Visit>
    void for_each_out(std::size_t block, Visit visit) const {
        for_each_bit(row(out_, block), [&](std::uint32_t number) { visit(units_[number]); });
    }

  private:
    /// The sets of all blocks, one after another.
    using Sets = std::vector<std::uint64_t>;

    void number_units(const VirtualKernel& kernel);
    void solve(const VirtualKernel& kernel);
    std::span<const std::uint64_t> row(const Sets& sets, std::size_t block) const {
        return std::span(sets).subspan(block * words_, words_);
    }

    std::size_t unit_count_;
    /// The units that may live at a block's bound, ascending: some block reads them before it writes them. Few in large
    /// kernels, because most values stay in their block; the sets below are over their indices here.
    std::vector<std::uint32_t> units_;
    std::vector<std::uint32_t> number_of_;  ///< by unit; kNone for the others
    std::size_t words_ = 0;                 ///< of a set
    Sets in_;
    Sets out_;
};

/// Turns `live`, the units live after `instruction`, into the units live before it.
void step_back(const VirtualKernel& kernel, const VirtualInstruction& instruction, BitSet& live);

}  // namespace lookahead::finaliser
