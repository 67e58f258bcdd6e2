#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "components/mechanisms/vecmem/access.h"

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

/// A loop of one block that goes on while counter <comparison> bound holds for the counter's new value.
struct CountedLoop {
    std::uint32_t block = 0;
    Induction counter;
    std::vector<Induction> inductions;  ///< all, the counter included
    isa::Type type = isa::Type::none;   ///< of the comparison
    isa::Comparison comparison = isa::Comparison::none;
    VirtualOperand bound;                 ///< nothing in the loop writes it
    std::uint32_t test = 0;               ///< index of the comparison; the branch is the last instruction
    bool test_is_read = false;            ///< in the loop, by more than the branch
    std::optional<std::uint64_t> rounds;  ///< where they are known
};

/// What the loop of one block is, or why it cannot be unrolled.
struct LoopFinding {
    Reason reason = Reason::none;
    std::optional<CountedLoop> loop;
};
LoopFinding counted_loop(const VirtualKernel& kernel, const finaliser::Flow& flow, const finaliser::Values& values,
                         const Forms& forms, std::uint32_t block);

/// Whether the block is a loop by itself: its last instruction is a branch under a guard to its beginning.
bool is_loop_of_one_block(const VirtualKernel& kernel, std::uint32_t block);

}  // namespace lookahead::vecmem
