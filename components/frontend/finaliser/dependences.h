#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "components/frontend/finaliser/virtual_kernel.h"

namespace lookahead::finaliser {

/// Which instructions of a straight stretch of code must stay behind which.
struct Dependences {
    struct Edge {
        std::uint32_t to = 0;
        std::uint32_t latency = 0;  ///< estimated cycles until `to` can follow
    };
    std::vector<std::vector<Edge>> successors;  ///< by instruction of the stretch
    std::vector<std::uint32_t> predecessors;    ///< number of edges that end at each
};

/// Dependences through rows, predicates and memory. Accesses to different state spaces, and to disjoint bytes from
/// one base, may pass each other; loads may pass loads; barriers, fences and ordered accesses hold all accesses.
Dependences dependences_of(const VirtualKernel& kernel, std::span<const VirtualInstruction> code);

/// Whether nothing at all may move across the instruction: jumps, nop, reading a clock.
bool holds_everything(const VirtualInstruction& instruction);

}  // namespace lookahead::finaliser
