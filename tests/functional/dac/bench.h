#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "components/frontend/finaliser/code/options.h"
#include "components/isa/dim3.h"
#include "components/isa/kernel.h"

namespace lookahead::dac::test {

/// A kernel before and after the pass, and what happened when both ran.
struct Outcome {
    isa::Kernel original;
    isa::Kernel decoupled;
    std::uint64_t compared = 0;   ///< accesses and predicates of warps compared with the original's
    std::size_t most_tuples = 0;  ///< of an operand
    std::uint64_t reports = 0;    ///< of warps

    /// Printed instructions, of the kernel's own stream and of the affine one.
    std::vector<std::string> own() const;
    std::vector<std::string> affine() const;
    /// The pass's tags, without "dac.", for the one instruction of the kernel's own stream whose text contains `text`.
    std::string says(std::string_view text) const;
    bool enqueues(std::string_view text) const;
};

/// With the transform `name`, and keys that are set as in `-o`: "dac.reports=true".
finaliser::FinaliserOptions with(const std::string& name, finaliser::FinaliserOptions options = {},
                                 const std::vector<std::string>& keys = {});

inline constexpr std::uint32_t kWords = 1 << 16;  ///< in the buffer that a kernel works on

/// Runs the first kernel of the PTX text with `parameters`: the first is the address of a buffer of kWords words that
/// count up from 1, the rest are 32-bit words. Runs it before and after the pass, and requires that every entry equals
/// the original's value, and that both leave the same bytes.
Outcome run(const std::string& ptx, isa::Dim3 grid, isa::Dim3 block, const std::vector<std::uint32_t>& parameters,
            const finaliser::FinaliserOptions& options = {}, const std::vector<std::string>& keys = {});

/// `body` inside the kernel k(u64 out, u32 a, u32 b) with the names of finaliser::test::module_of; also %gid, the
/// thread's number, %in = out + 128 KiB, and %mine = out + 16 * gid.
std::string kernel_text(const std::string& body);

}  // namespace lookahead::dac::test
