#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "components/frontend/finaliser/code/options.h"
#include "components/isa/kernel.h"

/// Kernels before and after the pass `vecmem`, and their results.
namespace lookahead::vecmem::test {

inline constexpr std::uint32_t kThreads = 40;       ///< a full warp and a part of one
inline constexpr std::uint32_t kThreadWords = 512;  ///< of the buffer, for each thread

struct Outcome {
    isa::Kernel packed;
    std::uint64_t executed = 0;  ///< vector memory instructions, by warps

    /// How many instructions of the code have a text that begins so: "LD.STRIDE".
    unsigned count(std::string_view mnemonic) const;
    /// The pass's reasons for accesses that stay: "alias".
    std::set<std::string> reasons() const;
    std::string text() const;
};

/// `length`: "8", or with further parameters of the pass, "8 spaces=global".
finaliser::FinaliserOptions with_pass(const std::string& length, finaliser::FinaliserOptions options = {});

/// `body` in the kernel k(u64 out, u32 a, u32 b), with %out, %a, %b; %mine is the middle of the thread's words, whose
/// address is a multiple of 16, %gid its number, and %r, %f, %rd, %p registers.
std::string kernel_text(const std::string& body);

/// Runs the kernel with the pass and without, on the emulator, and requires that both leave the same words in a buffer
/// of kThreads * kThreadWords words, which counted up from 1. In every thread's words.
Outcome run(const std::string& body, const std::string& length = "4", std::uint32_t a = 0, std::uint32_t b = 0,
            const finaliser::FinaliserOptions& options = {});
/// The words that a kernel leaves, with no pass at all, by the interpreter of PTX, which shares the parser only.
std::vector<std::uint32_t> interpreted(const std::string& body, std::uint32_t a, std::uint32_t b);
/// The words that the kernel leaves on the emulator.
std::vector<std::uint32_t> emulated(const isa::Kernel& kernel, std::uint32_t a, std::uint32_t b,
                                    std::uint64_t* vectors = nullptr);
isa::Kernel finalised(const std::string& body, const finaliser::FinaliserOptions& options);

}  // namespace lookahead::vecmem::test
