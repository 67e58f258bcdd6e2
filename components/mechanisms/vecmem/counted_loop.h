#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "components/frontend/finaliser/analysis/liveness.h"
#include "components/mechanisms/vecmem/access.h"
#include "components/mechanisms/vecmem/kernel_terms.h"

namespace lookahead::vecmem {

/// One round of an innermost loop as one block. The loop's blocks are those from `header` to `latch`.
struct LoopBody {
    std::uint32_t header = 0;
    std::uint32_t latch = 0;               ///< its only branch back and exit
    std::vector<VirtualInstruction> code;  ///< ends with the branch back
    std::vector<Position> from;            ///< by instruction: its position in the program, or that of the instruction
                                           ///< it serves
};

/// The most instructions, on all paths of a round together, for which masking is tried.
inline constexpr std::uint32_t kMostMasked = 96;

/// Finds the bodies of loops. If a loop has several blocks, masks replace the branches inside (if-conversion: Allen,
/// Kennedy, Porterfield and Warren, POPL 1983). Pure computation runs in all lanes if no lane needs the values that it
/// overwrites; loads and stores keep their masks.
class LoopBodies {
  public:
    explicit LoopBodies(const VirtualKernel& kernel) : kernel_(kernel), flow_(kernel), liveness_(kernel) {}

    const finaliser::Flow& flow() const { return flow_; }
    /// The blocks of the innermost loop with this header; empty if there is none.
    std::vector<std::uint32_t> blocks(std::uint32_t header) const;
    /// The body of the loop, with new predicates from `names`. Nothing for loops with inner loops, several branches
    /// back or exits, masked code under conditions, blocks with several conditions, or more than kMostMasked
    /// instructions.
    std::optional<LoopBody> find(std::uint32_t header, VirtualKernel& names) const;

  private:
    const finaliser::Loop* loop(std::uint32_t header) const;

    const VirtualKernel& kernel_;
    const finaliser::Flow flow_;
    const finaliser::Liveness liveness_;
};

/// A row or a pair that a loop increases by the same amount in each round, once and without a guard.
struct Induction {
    std::uint32_t row = 0;  ///< the first
    std::uint8_t rows = 1;
    isa::Type type = isa::Type::none;
    std::uint32_t update = 0;             ///< index of the addition
    std::optional<std::int64_t> literal;  ///< the increment, if it is known,
    VirtualOperand step;                  ///< or its operand, which the loop does not write
};

/// A loop that continues while `counter <comparison> bound` holds for the counter's new value. Indices are the body's.
struct CountedLoop {
    LoopBody body;
    Induction counter;
    std::vector<Induction> inductions;  ///< all, the counter included
    isa::Type type = isa::Type::none;   ///< of the comparison
    isa::Comparison comparison = isa::Comparison::none;
    VirtualOperand bound;                 ///< the loop does not write it
    std::uint32_t test = 0;               ///< index of the comparison; the branch is the last instruction
    bool test_is_read = false;            ///< in the loop, by more than the branch
    std::optional<std::uint64_t> rounds;  ///< if they are known
};

/// The loop, or why it cannot be unrolled.
struct LoopFinding {
    Reason reason = Reason::none;
    std::optional<CountedLoop> loop;
};
/// Analyses the innermost loop with this header. `names` gives predicates for masks if it has several blocks.
LoopFinding counted_loop(const VirtualKernel& kernel, const LoopBodies& bodies, const finaliser::Values& values,
                         const Forms& forms, std::uint32_t header, VirtualKernel& names);

}  // namespace lookahead::vecmem
