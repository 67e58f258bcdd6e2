#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "components/mechanisms/vecmem/access.h"
#include "components/mechanisms/vecmem/packer.h"

namespace lookahead::vecmem {

/// What is to be done with a block.
struct BlockPlan {
    std::vector<unsigned> lengths;  ///< of its vectors, the wanted ones first; none: it stays
    unsigned factor = 1;            ///< rounds that a loop, of which this is the first block, does at once
    unsigned fewer = 1;             ///< likewise, of those that are left over, with vectors of the last length
    bool mixes_rounds = false;      ///< PackOptions::rounds, for loops that need too many registers otherwise
    bool checks_words = false;      ///< only where words that it extends do not wrap
    Reason reason = Reason::none;   ///< why not more
    std::map<std::uint32_t, Reason> reasons;  ///< likewise, by the accesses' origins
};

/// What became of a block, for the next plan.
struct BlockOutcome {
    Reason refused = Reason::none;  ///< it cannot be unrolled so
    std::uint32_t vectors = 0;
    std::uint32_t elements = 0;
    std::uint32_t longest = 0;             ///< elements of the longest
    std::uint32_t strided = 0;             ///< accesses in strided ones
    std::uint64_t cost = 0;                ///< of a round, or of the block where it is none (kCostScale)
    std::uint32_t registers = 0;           ///< that live at once, with the loop's further rounds
    std::map<std::uint32_t, Reason> left;  ///< by origin: why accesses are in no vector
};

/// What an instruction costs; the lengths of vectors divide it.
inline constexpr std::uint64_t kCostScale = 32;

struct PackedKernel {
    VirtualKernel kernel;
    std::vector<std::uint32_t> masked;  ///< blocks of rounds of what were several blocks
    std::vector<BlockOutcome> blocks;   ///< by block of the kernel as it was
};

/// Whether any access could be in a vector.
bool has_candidates(const VirtualKernel& kernel);

/// Packs the kernel, whose jumps end their blocks, by a plan for each of its blocks.
PackedKernel pack_kernel(const VirtualKernel& kernel, const std::vector<BlockPlan>& plans, const VectorKinds& kinds);

}  // namespace lookahead::vecmem
