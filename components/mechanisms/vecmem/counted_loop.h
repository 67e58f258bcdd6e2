#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "components/mechanisms/vecmem/access.h"
#include "components/mechanisms/vecmem/if_conversion.h"

namespace lookahead::vecmem {

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
