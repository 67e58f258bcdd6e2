#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "components/mechanisms/vecmem/linear_form.h"

namespace lookahead::vecmem {

/// Where a word is copied to a row of its own: behind its definition, or at the beginning of the block that it is a
/// join of.
struct WordCopy {
    std::uint32_t block = 0;
    std::uint32_t behind = finaliser::kNone;  ///< instruction; kNone: at the block's beginning
    std::uint32_t row = 0;                    ///< the new one
    VirtualOperand word;                      ///< what is copied
};

/// New rows for values that are needed elsewhere than where the program uses them. Whoever reads a value where its
/// definition dominates finds it in such a row: what the program's own row holds by then may be something else.
class KeptValues {
  public:
    KeptValues(VirtualKernel& kernel, const finaliser::Values& values) : kernel_(kernel), values_(values) {}

    /// The operand that reads the term's rows, its extension aside.
    VirtualOperand operand(const Term& term);
    /// The copies that the operands of such terms need.
    std::vector<WordCopy> copies(const Term& term);

  private:
    WordCopy copy_of(ValueId id, std::uint32_t row) const;

    VirtualKernel& kernel_;
    const finaliser::Values& values_;
    std::map<std::pair<ValueId, ValueId>, std::uint32_t> rows_;
};

/// The copy as an instruction that stands for `served`.
VirtualInstruction as_instruction(const WordCopy& copy, const VirtualInstruction& served);

}  // namespace lookahead::vecmem
