#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/ptx/module.h"
#include "components/isa/kernel.h"

namespace lookahead::finaliser::test {

/// A module with the kernel `k(u64 out, u32 a, u32 b)` around `body`. Declared: %r0-31, %rd0-15, %f0-15, %fd0-7,
/// %rs0-7, %p0-15; %out, %a and %b hold the parameters. `before` precedes the kernel, `ret;` follows the body.
ptx::Module module_of(const std::string& body, const std::string& before = "");

isa::Kernel kernel_of(const std::string& body, const FinaliserOptions& options = {});

/// The printed instructions, without program counters.
std::vector<std::string> lines_of(const isa::Kernel& kernel);
/// The number of printed instructions that contain `text`.
unsigned count(const isa::Kernel& kernel, std::string_view text);
/// Index of the first printed instruction that contains `text`; fails the test if there is none.
unsigned position(const isa::Kernel& kernel, std::string_view text);

/// Runs one thread and returns the 64 words at `out`, initially 0.
std::vector<std::uint32_t> run(const std::string& body, std::uint32_t a = 0, std::uint32_t b = 0);
std::vector<std::uint32_t> run(const isa::Kernel& kernel, std::uint32_t a = 0, std::uint32_t b = 0);

}  // namespace lookahead::finaliser::test
