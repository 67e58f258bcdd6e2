#pragma once

#include <cstdint>
#include <vector>

#include "components/mechanisms/vecmem/counted_loop.h"

namespace lookahead::vecmem {

/// A loop of several rounds at once in front of the original loop, which does the rounds that are left over:
///
/// entry:  enough rounds? else to next
/// checks: any further conditions; else to next
/// rounds: `factor` rounds; again while there are enough
/// rest:   are rounds left? else to the code after the loop
/// next:   the loop of fewer rounds at once, if there is one, built the same way; then the original loop, `scalar`
struct UnrolledLoop {
    std::uint32_t entry = 0, checks = 0, rounds = 0, rest = 0, next = 0;  ///< blocks, in this order
    std::uint32_t scalar = 0, scalar_blocks = 1;                          ///< its first block, and its number of blocks
    std::uint32_t round_size = 0;        ///< instructions of the first round in `rounds`
    std::vector<ExactRecurrence> exact;  ///< from the loop's test of its counter, and from checks of other words
};

inline constexpr std::uint32_t kUnrolledBlocks = 4;

/// Why the loop cannot run `factor` rounds at once; none if it can.
Reason refuse_unrolling(const VirtualKernel& kernel, const CountedLoop& loop, unsigned factor);

/// The words other than the counter that the loop increases and extends, and that a check can prove not to wrap.
std::vector<Induction> extended_inductions(const CountedLoop& loop);

/// Puts `factor` rounds in front of the loop; with `checks_words`, they run only if no extended_inductions wrap. They
/// go before `fewer`, the loop of fewer rounds, if there is one. Later blocks move by kUnrolledBlocks.
UnrolledLoop unroll(VirtualKernel& kernel, const CountedLoop& loop, unsigned factor, bool checks_words,
                    const UnrolledLoop* fewer = nullptr);

/// Appends to a block, before its final branch if it has one.
class BlockWriter {
  public:
    BlockWriter(VirtualKernel& kernel, std::uint32_t block, const VirtualInstruction& served)
        : kernel_(kernel), block_(block), served_(finaliser::beside(served)) {}

    /// An operand of `rows` rows with the value `value`.
    VirtualOperand literal(std::uint64_t value, unsigned rows);
    /// Appends `operation`.`type` of a, b and c; returns its result, in new rows.
    VirtualOperand compute(isa::Operation operation, isa::Type type, const VirtualOperand& a,
                           const VirtualOperand& b = {}, const VirtualOperand& c = {},
                           isa::Type source_type = isa::Type::none);
    /// A predicate: a <comparison> b, and `also` if given.
    std::uint32_t compare(isa::Comparison comparison, isa::Type type, const VirtualOperand& a, const VirtualOperand& b,
                          std::uint32_t also = finaliser::kNone);
    /// Appends the instruction.
    void put(VirtualInstruction instruction);

    /// Ends the block with a branch to `target` where the predicate does not hold, replacing any branch there.
    void leave_unless(std::uint32_t predicate, std::uint32_t target);
    /// The predicate of that branch; kNone: the block has none.
    std::uint32_t condition() const;

  private:
    VirtualKernel& kernel_;
    std::uint32_t block_;
    VirtualInstruction served_;
};

}  // namespace lookahead::vecmem
