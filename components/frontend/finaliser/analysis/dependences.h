#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// The order constraints between the instructions of a straight stretch of code.
struct Dependences {
    struct Edge {
        std::uint32_t to = 0;
        std::uint32_t latency = 0;  ///< estimated cycles until `to` can follow
    };
    std::vector<std::vector<Edge>> successors;  ///< by instruction of the stretch
    std::vector<std::uint32_t> predecessors;    ///< number of edges that end at each
};

/// The accesses to a row or predicate so far.
struct UnitHistory {
    static constexpr std::uint32_t kNone = UINT32_MAX;
    std::uint32_t writer = kNone;
    std::vector<std::uint32_t> readers;  ///< since the last write
    std::uint64_t writes = 0;
};

/// Finds the dependences in stretches of one kernel. Large kernels have many rows and many stretches, so the data per
/// row are reused from stretch to stretch.
class DependenceFinder {
  public:
    explicit DependenceFinder(const VirtualKernel& kernel) : kernel_(kernel), units_(unit_count(kernel)) {}

    /// Returns the dependences in `code` through rows, predicates and memory. Accesses to different state spaces, and
    /// to disjoint bytes from one base, may pass each other; loads may pass loads; barriers, fences and ordered
    /// accesses hold all accesses.
    Dependences in(std::span<const VirtualInstruction> code);

  private:
    const VirtualKernel& kernel_;
    std::vector<UnitHistory> units_;  ///< in their initial state between stretches
};

/// Whether no instruction may move across this one: jumps, nop, reading a clock; vector memory instructions, whose
/// intrinsics are scheduling barriers (Crago et al., TACO 2018, section 7.1).
bool holds_everything(const VirtualInstruction& instruction);

}  // namespace lookahead::finaliser
