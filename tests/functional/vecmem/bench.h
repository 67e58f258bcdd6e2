#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "components/frontend/finaliser/code/options.h"
#include "components/isa/kernel.h"

/// Runs kernels before and after the pass `vecmem`.
namespace lookahead::vecmem::test {

inline constexpr std::uint32_t kThreads = 40;       ///< one full warp and a partial one
inline constexpr std::uint32_t kThreadWords = 512;  ///< of the buffer, per thread

struct Outcome {
    isa::Kernel packed;
    std::uint64_t executed = 0;  ///< vector memory instructions executed by warps

    /// The number of instructions whose text begins with `mnemonic`: "LD.STRIDE".
    unsigned count(std::string_view mnemonic) const;
    /// The pass's reasons for the accesses that it leaves: "alias".
    std::set<std::string> reasons() const;
    std::string text() const;
};

/// `length`: "8", or with further parameters of the pass, "8 spaces=global".
finaliser::FinaliserOptions with_pass(const std::string& length, finaliser::FinaliserOptions options = {});

/// `body` in the kernel k(u64 out, u32 a, u32 b), with %out, %a, %b, the registers %r, %f, %rd, %p, %gid, the thread's
/// number, and %mine, the middle of the thread's words at a multiple of 16.
std::string kernel_text(const std::string& body);

/// Runs the kernel with the pass and without, on the emulator, and requires equal words in a buffer of kThreads *
/// kThreadWords words, which initially count up from 1.
Outcome run(const std::string& body, const std::string& length = "4", std::uint32_t a = 0, std::uint32_t b = 0,
            const finaliser::FinaliserOptions& options = {});
/// The words left by the kernel without the pass on the PTX interpreter, which shares only the parser.
std::vector<std::uint32_t> interpreted(const std::string& body, std::uint32_t a, std::uint32_t b);
std::vector<std::uint32_t> emulated(const isa::Kernel& kernel, std::uint32_t a, std::uint32_t b,
                                    std::uint64_t* vectors = nullptr);
isa::Kernel finalised(const std::string& body, const finaliser::FinaliserOptions& options);

}  // namespace lookahead::vecmem::test
