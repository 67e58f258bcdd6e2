#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/device/device.h"
#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/ptx/module.h"

namespace lookahead::finaliser::test {

/// Runs the kernel `k(u64 out, u32 a)` of `module` on the scalar interpreter of PTX with `words` zeroed words at `out`;
/// returns those words.
std::vector<std::uint32_t> interpret(const ptx::Module& module, const LaunchConfiguration& configuration,
                                     std::uint32_t a, std::uint32_t words);

/// The same on the emulator, after the finaliser.
std::vector<std::uint32_t> emulate(const ptx::Module& module, const FinaliserOptions& options,
                                   const LaunchConfiguration& configuration, std::uint32_t a, std::uint32_t words);

/// The reference for the emulator's words: the interpreter, or none for programs that it does not support.
enum class Oracle { interpreter, none };

/// Parses the text and runs it on the interpreter and, finalised with several limits, on the emulator. Checks that all
/// agree; returns the words.
std::vector<std::uint32_t> run_everywhere(const std::string& text, const LaunchConfiguration& configuration,
                                          std::uint32_t a = 0, std::uint32_t words = 64,
                                          Oracle oracle = Oracle::interpreter);

/// `before`, then the kernel k around `body`. Declared: %r0-31, %rd0-15, %f0-15, %fd0-7, %rs0-7, %p0-7; %out holds the
/// address of the thread's word, %t its %tid.x, %a the parameter.
std::string kernel_text(const std::string& body, const std::string& before = "");

ptx::Module kernel_module(const std::string& body, const std::string& before = "");

}  // namespace lookahead::finaliser::test
