#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/run_record.h"

namespace lookahead {

/// Reads /instructions of a result file. InputError if it is no result file, or has no such group, because an earlier
/// program wrote it.
InstructionCounts read_instruction_counts(const std::string& path);

/// What instructions of one kernel cost that have something in common: one of them, or all of a line.
struct InstructionCost {
    std::string kernel;
    std::string place;                  ///< the program counter, or the line
    std::string text;                   ///< of the instruction, or of the line
    std::vector<std::uint64_t> counts;  ///< as InstructionCosts::counters
};

enum class CostPlace { instruction, ptx, cuda };

/// The costs in a run's kernels, by place.
class InstructionCosts {
  public:
    /// Rows are in the order of the code. Instructions without a line are in a row of their kernel without a text.
    InstructionCosts(const InstructionCounts& counts, CostPlace place);

    const std::vector<InstructionCost>& rows() const { return rows_; }
    const std::vector<InstructionCounts::Counter>& counters() const { return counters_; }

    /// 0 for a counter that the run does not have.
    std::uint64_t count(const InstructionCost& row, std::string_view counter) const;
    /// The cycles of warps at these instructions.
    std::uint64_t warp_cycles(const InstructionCost& row) const;
    /// The counter of waits with the most cycles; empty if there are none.
    std::string_view main_wait(const InstructionCost& row) const;
    /// The sum of a kernel's rows.
    InstructionCost total(std::string_view kernel) const;
    /// Names of the kernels, in the order of the rows.
    std::vector<std::string> kernels() const;

  private:
    std::vector<InstructionCounts::Counter> counters_;
    std::vector<std::size_t> waits_;  ///< indices of the counters that divide the warps' cycles
    std::vector<InstructionCost> rows_;
};

}  // namespace lookahead
