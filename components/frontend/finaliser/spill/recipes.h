#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "components/frontend/finaliser/analysis/live_ranges.h"
#include "components/frontend/finaliser/analysis/single_writes.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Whether the instruction's only effect is on its destination, however often and wherever it runs.
bool is_plain(const VirtualInstruction& instruction);

/// How to recompute values where they are needed, instead of keeping them: by a few instructions from constants,
/// special registers and rows that still hold their values and live there anyway.
class Recipes {
  public:
    /// `ranges` are `kernel`'s; neither may change during the use of this object.
    Recipes(const VirtualKernel& kernel, std::span<const RangeSet> ranges);

    /// Returns instructions that recompute `rows` of `group` at the instruction at `place`, number `position` in the
    /// kernel, without reading rows of the group. They write the original rows. Returns nothing if that is impossible.
    std::optional<std::vector<VirtualInstruction>> recipe(const VirtualOperand& rows, const RowGroup& group,
                                                          Place place, std::uint32_t position) const;

  private:
    struct Request {
        const RowGroup& group;
        std::uint32_t position;
    };
    bool collect(std::uint32_t row, const Request& request, std::vector<VirtualInstruction>& made) const;
    bool is_there(std::uint32_t row, Place before, const Request& request) const;

    SingleWrites writes_;
    std::span<const RangeSet> ranges_;
};

/// Appends `recipe` over new rows of `kernel`; returns the row that replaces `row`.
std::uint32_t append_recipe(VirtualKernel& kernel, std::vector<VirtualInstruction> recipe, std::uint32_t row,
                            std::vector<VirtualInstruction>& code);

}  // namespace lookahead::finaliser
