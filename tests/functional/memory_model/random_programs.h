#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/transport/transport.h"

namespace lookahead::gpu::test {

/// Threads, steps per thread, and shared words.
struct ProgramShape {
    std::uint32_t ctas;
    std::uint32_t threads_of_cta;
    std::uint32_t steps;
    std::uint32_t locations;  ///< a power of two
    bool local = false;       ///< before each step a thread also accesses its local memory

    std::uint32_t threads() const { return ctas * threads_of_cta; }
    std::uint32_t operations() const { return threads() * steps; }
};
/// Many threads share every word, so that the limits of all tables are reached.
inline constexpr ProgramShape kDense{8, 64, 24, 64};
/// Few threads: copies in L1 live long enough to become stale.
inline constexpr ProgramShape kSparse{8, 3, 40, 16};
/// Local lines and copies of global ones compete for L1.
inline constexpr ProgramShape kLocal{8, 64, 24, 64, true};

/// Runs a random program in PTX, whose output shows what every operation read, on a machine of four SMs with these
/// options, over all ranks. Returns an empty text, the failure of the run, or the violated axiom of the memory model
/// (history_checker.h). With `waits` a thread uses each value as soon as it has read it. Ranks without the host check
/// nothing.
std::string random_program_fault(std::uint32_t seed, const ProgramShape& shape, const std::vector<std::string>& options,
                                 Transport& transport, bool waits = false);

}  // namespace lookahead::gpu::test
