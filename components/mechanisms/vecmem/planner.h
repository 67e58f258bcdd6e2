#pragma once

#include <cstdint>
#include <vector>

#include "components/mechanisms/vecmem/pack_kernel.h"

namespace lookahead::vecmem {

/// Finds for each block the plan that packs most: of a loop the fewest rounds at once that give vectors of the first length
/// that can be had, within the registers. Jumps end their blocks.
class Planner {
  public:
    /// `lengths`: those that vectors may have, the wanted ones first.
    Planner(const VirtualKernel& kernel, std::vector<unsigned> lengths, unsigned register_limit);

    PackedKernel run();

  private:
    struct Loop {
        std::uint32_t block = 0;
        bool decided = false;
        bool extends_words = false;  ///< that a check could say do not wrap
        std::uint32_t elements = 0;  ///< packed by the plan that it has
    };

    void read_loops();
    void try_lengths();
    void try_factor(unsigned length, unsigned factor, bool checks_words);
    /// Takes away what needs too many registers.
    PackedKernel fitted();
    bool is_too_much(const BlockOutcome& outcome, std::uint32_t block) const;

    const VirtualKernel& kernel_;
    const std::vector<unsigned> lengths_;
    const unsigned register_limit_;
    std::vector<BlockPlan> plans_;
    std::vector<Loop> loops_;
    std::vector<BlockOutcome> before_;  ///< by block: as it is
};

}  // namespace lookahead::vecmem
