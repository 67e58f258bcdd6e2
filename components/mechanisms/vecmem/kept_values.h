#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "components/mechanisms/vecmem/linear_form.h"

namespace lookahead::vecmem {

/// A copy of a word to a new row: after its definition, or for a join at the beginning of the join's block.
struct WordCopy {
    std::uint32_t block = 0;
    std::uint32_t behind = finaliser::kNone;  ///< instruction; kNone: at the block's beginning
    std::uint32_t row = 0;                    ///< the new one
    VirtualOperand word;                      ///< the operand to copy
};

/// Copies values to new rows, because the program's own row may hold another value where the copy is read. A copy may
/// be read wherever the value's definition dominates.
class KeptValues {
  public:
    KeptValues(VirtualKernel& kernel, const finaliser::Values& values) : kernel_(kernel), values_(values) {}

    /// The operand that reads the term's rows, without its extension.
    VirtualOperand operand(const Term& term);
    /// The copies that operand(term) needs.
    std::vector<WordCopy> copies(const Term& term);

  private:
    WordCopy copy_of(ValueId id, std::uint32_t row) const;

    VirtualKernel& kernel_;
    const finaliser::Values& values_;
    std::map<std::pair<ValueId, ValueId>, std::uint32_t> rows_;
};

/// Moves a word to a row.
VirtualInstruction move_of(const VirtualOperand& word, std::uint32_t row, const VirtualInstruction& served);
/// The instruction `operation`.`type` of the sources, with its result in new rows.
VirtualInstruction computation(VirtualKernel& kernel, const VirtualInstruction& served, isa::Operation operation,
                               isa::Type type, const std::array<VirtualOperand, 3>& sources,
                               isa::Type source_type = isa::Type::none);
/// The operand that reads the instruction's result.
VirtualOperand result_of(const VirtualInstruction& instruction);

}  // namespace lookahead::vecmem
