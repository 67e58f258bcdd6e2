#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "components/mechanisms/vecmem/access.h"
#include "components/mechanisms/vecmem/if_conversion.h"

namespace lookahead::vecmem {

/// A row, or a pair, to which a loop adds the same in each round, once and under no guard.
struct Induction {
    std::uint32_t row = 0;  ///< the first
    std::uint8_t rows = 1;
    isa::Type type = isa::Type::none;
    std::uint32_t update = 0;             ///< index of the sum
    std::optional<std::int64_t> literal;  ///< what is added, where it is known,
    VirtualOperand step;                  ///< or where that stands: nothing in the loop writes it
};

/// A loop that goes on while counter <comparison> bound holds for the counter's new value. Indices are the body's.
struct CountedLoop {
    LoopBody body;
    Induction counter;
    std::vector<Induction> inductions;  ///< all, the counter included
    isa::Type type = isa::Type::none;   ///< of the comparison
    isa::Comparison comparison = isa::Comparison::none;
    VirtualOperand bound;                 ///< nothing in the loop writes it
    std::uint32_t test = 0;               ///< index of the comparison; the branch is the last instruction
    bool test_is_read = false;            ///< in the loop, by more than the branch
    std::optional<std::uint64_t> rounds;  ///< where they are known
};

/// What the loop is, or why it cannot be unrolled.
struct LoopFinding {
    Reason reason = Reason::none;
    std::optional<CountedLoop> loop;
};
/// `header`: of an innermost loop. `names` gives predicates to what has several blocks.
LoopFinding counted_loop(const VirtualKernel& kernel, const LoopBodies& bodies, const finaliser::Values& values,
                         const Forms& forms, std::uint32_t header, VirtualKernel& names);

}  // namespace lookahead::vecmem
