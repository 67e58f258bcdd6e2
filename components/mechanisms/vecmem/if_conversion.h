#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "components/frontend/finaliser/analysis/liveness.h"
#include "components/mechanisms/vecmem/kernel_terms.h"

namespace lookahead::vecmem {

/// What an innermost loop does in a round, as one block. Its blocks stand from `header` to `latch` and are its own.
struct LoopBody {
    std::uint32_t header = 0;
    std::uint32_t latch = 0;               ///< its only way back, and out
    std::vector<VirtualInstruction> code;  ///< ends with the branch back
    std::vector<Position> from;            ///< by instruction: where the program has it, or what it stands for
};

/// More instructions than these, in all ways of a round together, are no matter of some lanes.
inline constexpr std::uint32_t kMostMasked = 96;

/// Finds loops' bodies. Where a loop has several blocks, what is done under conditions is masked by them
/// (if-conversion: Allen, Kennedy, Porterfield and Warren, POPL 1983). What only computes is done in all lanes where no
/// lane needs what it writes over; loads and stores are done where the program does them.
class LoopBodies {
  public:
    explicit LoopBodies(const VirtualKernel& kernel) : kernel_(kernel), flow_(kernel), liveness_(kernel) {}

    const finaliser::Flow& flow() const { return flow_; }
    /// Those of the innermost loop that begins with `header`; none: no such loop does.
    std::vector<std::uint32_t> blocks(std::uint32_t header) const;
    /// Nothing for loops with inner loops, several ways back or out, masked code under conditions, blocks with several
    /// conditions, or more than kMostMasked instructions. New predicates are `names`'.
    std::optional<LoopBody> find(std::uint32_t header, VirtualKernel& names) const;

  private:
    const finaliser::Loop* loop(std::uint32_t header) const;

    const VirtualKernel& kernel_;
    const finaliser::Flow flow_;
    const finaliser::Liveness liveness_;
};

}  // namespace lookahead::vecmem
