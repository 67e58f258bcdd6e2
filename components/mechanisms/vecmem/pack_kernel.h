#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "components/mechanisms/vecmem/access.h"
#include "components/mechanisms/vecmem/packer.h"

namespace lookahead::vecmem {

/// How to pack a block.
struct BlockPlan {
    std::vector<unsigned> lengths;            ///< of its vectors, preferred ones first; empty: the block stays
    unsigned factor = 1;                      ///< rounds to run at once, if the block is a loop's first
    unsigned fewer = 1;                       ///< the same for left-over rounds, with vectors of the last length
    bool mixes_rounds = false;                ///< PackOptions::rounds, for loops that need too many registers otherwise
    bool checks_words = false;                ///< whether the rounds run only if the words that they extend do not wrap
    Reason reason = Reason::none;             ///< why it packs no more
    std::map<std::uint32_t, Reason> reasons;  ///< the same by the accesses' origins
};

/// The result of packing a block, for the next plan.
struct BlockOutcome {
    Reason refused = Reason::none;  ///< why the block cannot be unrolled so
    std::uint32_t vectors = 0;
    std::uint32_t elements = 0;
    std::uint32_t longest = 0;             ///< elements of the longest vector
    std::uint32_t strided = 0;             ///< accesses in strided vectors
    std::uint64_t cost = 0;                ///< of a round, or of the whole block outside loops (kCostScale)
    std::uint32_t registers = 0;           ///< live at once, with the loop's further rounds
    std::map<std::uint32_t, Reason> left;  ///< by origin: why accesses are in no vector
};

/// The cost of one instruction; a multiple of all vector lengths.
inline constexpr std::uint64_t kCostScale = 32;

struct PackedKernel {
    VirtualKernel kernel;
    std::vector<std::uint32_t> masked;  ///< rounds made of several blocks
    std::vector<BlockOutcome> blocks;   ///< by block of the original kernel
};

/// Whether any access could be in a vector.
bool has_candidates(const VirtualKernel& kernel);

/// Packs the kernel by a plan for each of its blocks; jumps must end their blocks.
PackedKernel pack_kernel(const VirtualKernel& kernel, const std::vector<BlockPlan>& plans, const VectorKinds& kinds);

}  // namespace lookahead::vecmem
