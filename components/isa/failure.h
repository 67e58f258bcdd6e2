#pragma once

#include <cstdint>
#include <string>

#include "components/isa/dim3.h"
#include "components/isa/lane_mask.h"
#include "components/isa/module_image.h"

namespace lookahead::isa {

/// The message of a trap with TrapMode::assertion, for one lane.
struct FailedAssertion {
    std::uint64_t expression, file, function;  ///< addresses of texts
    std::uint32_t line;

    /// Reads it from the rows of source[0] (four) and source[1] (three).
    static FailedAssertion read(const std::uint32_t* const* texts, const std::uint32_t* const* rest, unsigned lane);
};

/// CUDA's sentence: "file.cu:6: void k(int): block: [0,0,0], thread: [3,0,0] Assertion `n > 3` failed." The texts are
/// literals of the program, so they are read from the first contents of its variables.
std::string sentence(const FailedAssertion& assertion, const ModuleImage& image, const Dim3& ctaid, const Dim3& block,
                     std::uint32_t thread);

/// The message of an invalid indirect call: "calls 0x10, ...".
std::string wrong_call_sentence(std::uint32_t low, std::uint32_t high);

/// The message for TrapMode::stack.
std::string stack_overflow_sentence();

/// The message for a `*.sync` instruction that the lanes `active` execute on a stack, and `missing` do not
/// (warp_exchange.h, missing_members).
std::string missing_members_sentence(LaneMask active, LaneMask missing);

}  // namespace lookahead::isa
