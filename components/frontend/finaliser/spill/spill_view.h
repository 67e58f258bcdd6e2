#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "components/frontend/finaliser/analysis/live_ranges.h"
#include "components/frontend/finaliser/analysis/single_writes.h"
#include "components/frontend/finaliser/code/lists.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/frontend/finaliser/spill/recipes.h"

namespace lookahead::finaliser {

/// One instruction that reads or writes rows of a group.
struct Access {
    std::uint32_t position = 0;  ///< the instruction's number in the kernel
    Place place;
    double weight = 1;       ///< how often it may run
    VirtualOperand operand;  ///< the operand that is read or written
};

/// The kernel between two rounds of spilling. It must not change during the use of this object.
class SpillView {
  public:
    /// `ranges` are `kernel`'s.
    SpillView(const VirtualKernel& kernel, std::vector<RangeSet> ranges);

    const VirtualKernel& kernel() const { return kernel_; }
    const Recipes& recipes() const { return recipes_; }
    std::uint32_t instructions() const { return instructions_; }
    std::span<const RangeSet> rows_of(std::uint32_t group) const {
        return std::span(ranges_).subspan(kernel_.groups[group].first, kernel_.groups[group].rows);
    }
    /// The reads of a group in the order of the code; an instruction that reads a group twice appears twice.
    std::span<const Access> reads(std::uint32_t group) const { return reads_[group]; }
    std::span<const Access> writes(std::uint32_t group) const { return writes_[group]; }
    /// Whether a write of the group cannot go through other rows.
    bool is_fixed(std::uint32_t group) const { return fixed_[group]; }

  private:
    const VirtualKernel& kernel_;
    std::vector<RangeSet> ranges_;
    Recipes recipes_;
    Lists<Access> reads_;   ///< by group
    Lists<Access> writes_;  ///< by group
    std::vector<bool> fixed_;
    std::uint32_t instructions_ = 0;
};

/// The state of spilling from one round to the next.
struct SpilledValues {
    std::uint32_t originals = 0;         ///< number of groups before spilling
    std::vector<std::uint32_t> slot_of;  ///< row -> byte of local memory that holds its value too, or kNone
    std::vector<bool> pinned;            ///< by group: guarded results pass through it
    std::vector<bool> affine;            ///< by row, if needed: whether its values are affine vectors
    bool rematerialise = true;
    bool affine_first = false;

    /// Whether the group's values are already in local memory because spilling made the group.
    bool is_backed(const RowGroup& group) const;
    /// Whether all its rows hold affine vectors, or values of such rows.
    bool is_affine(const RowGroup& group) const;
    bool is_pinned(std::uint32_t group) const { return group < pinned.size() && pinned[group]; }
};

}  // namespace lookahead::finaliser
