#pragma once

#include <cstdint>
#include <vector>

#include "components/mechanisms/vecmem/counted_loop.h"

namespace lookahead::vecmem {

/// A loop of several rounds in front of the loop as it was, which does the rounds that are left over:
///
///     entry:  enough rounds? else to next
///     checks: whatever else is asked for; else to next
///     rounds: `factor` rounds; again while there are enough
///     rest:   are rounds left? else to what is behind the loop
///     next:   the loop of fewer rounds that there may be, likewise; then the loop as it was, `scalar`
struct UnrolledLoop {
    std::uint32_t entry = 0, checks = 0, rounds = 0, rest = 0, next = 0;  ///< blocks, one behind the other
    std::uint32_t scalar = 0, scalar_blocks = 1;                          ///< its first block, and how many it has
    std::uint32_t round_size = 0;        ///< instructions of a round, which `rounds` begins with
    std::vector<ExactRecurrence> exact;  ///< what the loop's test says of its counter, and its checks of other words
};

inline constexpr std::uint32_t kUnrolledBlocks = 4;

/// Why the loop cannot have `factor` rounds at once; none where it can.
Reason refuse_unrolling(const VirtualKernel& kernel, const CountedLoop& loop, unsigned factor);

/// Words, but for the counter, to which the loop adds and which it extends: for which a check can say that they do not
/// wrap.
std::vector<Induction> extended_inductions(const CountedLoop& loop);

/// Puts `factor` rounds in front of the loop; with `checks_words` only where no extended_inductions wrap. `fewer`: in
/// front of that loop, which is in front of this one already. Blocks behind it move by kUnrolledBlocks.
UnrolledLoop unroll(VirtualKernel& kernel, const CountedLoop& loop, unsigned factor, bool checks_words,
                    const UnrolledLoop* fewer = nullptr);

/// Appends to a block, in front of the branch that it ends in, if it does.
class BlockWriter {
  public:
    /// What it puts in stands for `served`.
    BlockWriter(VirtualKernel& kernel, std::uint32_t block, const VirtualInstruction& served)
        : kernel_(kernel), block_(block), served_(finaliser::beside(served)) {}

    VirtualOperand literal(std::uint64_t value, unsigned rows);
    /// type.operation a, b, c to new rows.
    VirtualOperand compute(isa::Operation operation, isa::Type type, const VirtualOperand& a,
                           const VirtualOperand& b = {}, const VirtualOperand& c = {},
                           isa::Type source_type = isa::Type::none);
    /// A predicate: a <comparison> b, and `also` if that is one.
    std::uint32_t compare(isa::Comparison comparison, isa::Type type, const VirtualOperand& a, const VirtualOperand& b,
                          std::uint32_t also = finaliser::kNone);
    void put(VirtualInstruction instruction);

    /// Ends the block with a branch to `target` where the predicate does not hold, instead of the one that there may
    /// be.
    void leave_unless(std::uint32_t predicate, std::uint32_t target);
    /// By which predicate it does so already; kNone: it does not.
    std::uint32_t condition() const;

  private:
    VirtualKernel& kernel_;
    std::uint32_t block_;
    VirtualInstruction served_;
};

}  // namespace lookahead::vecmem
