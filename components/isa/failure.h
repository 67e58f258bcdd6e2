#pragma once

#include <cstdint>
#include <string>

#include "components/isa/kernel.h"

namespace lookahead::isa {

/// What a trap with TrapMode::assertion says of itself, for one lane.
struct FailedAssertion {
    std::uint64_t expression, file, function;  ///< addresses of texts
    std::uint32_t line;

    /// From the rows of source[0] (four) and source[1] (three).
    static FailedAssertion read(const std::uint32_t* const* texts, const std::uint32_t* const* rest, unsigned lane);
};

/// CUDA's sentence: "file.cu:6: void k(int): block: [0,0,0], thread: [3,0,0] Assertion `n > 3` failed." The texts are
/// literals of the program, so that they are taken from what its variables hold at first.
std::string sentence(const FailedAssertion& assertion, const ModuleImage& image, const Dim3& ctaid, const Dim3& block,
                     std::uint32_t thread);

/// What an indirect call did: "calls 0x10, ...".
std::string wrong_call_sentence(std::uint32_t low, std::uint32_t high);

/// For TrapMode::stack.
std::string stack_overflow_sentence();

/// For a `*.sync` instruction that `active` execute on a stack, and `missing` do not (warp_exchange.h, missing_members).
std::string missing_members_sentence(LaneMask active, LaneMask missing);

}  // namespace lookahead::isa
