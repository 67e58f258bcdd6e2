#pragma once

#include <optional>
#include <vector>

#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/frontend/ptx/graph.h"

namespace lookahead::finaliser {

/// Rows with exactly one writing instruction. Valid until instructions are added, removed or moved.
///
/// Their values can be followed: if the only write to x, at W, dominates a read of x at R, and y is written only at S,
/// which dominates W, then no path leads from W through S to R without passing W again; else a path through S could
/// reach R without W. So at R, y still has its value at W.
class SingleWrites {
  public:
    explicit SingleWrites(const VirtualKernel& kernel);

    /// The place of the only write to `row`, if there is only one.
    std::optional<Place> place(std::uint32_t row) const;
    const VirtualInstruction& at(Place place) const { return kernel_.blocks[place.block].code[place.index]; }
    /// Whether all paths to `b` lead through `a`, and the two places differ.
    bool before(Place a, Place b) const;
    /// Whether `operand`, read by the single write at `write`, holds the same value wherever that write dominates.
    bool is_stable(const VirtualOperand& operand, Place write) const;

  private:
    const VirtualKernel& kernel_;
    ptx::DominatorTree dominators_;
    std::vector<std::uint32_t> count_;
    std::vector<Place> place_;
};

}  // namespace lookahead::finaliser
