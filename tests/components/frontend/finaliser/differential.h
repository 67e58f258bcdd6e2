#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/device/device.h"
#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/ptx/module.h"

namespace lookahead::finaliser::test {

/// Runs the kernel `k(u64 out, u32 a)` of `module` with `words` words at `out`, zero before, on the scalar interpreter
/// of PTX; gives those words.
std::vector<std::uint32_t> interpret(const ptx::Module& module, const LaunchConfiguration& configuration,
                                     std::uint32_t a, std::uint32_t words);

/// Likewise finalised, on the emulator.
std::vector<std::uint32_t> emulate(const ptx::Module& module, const FinaliserOptions& options,
                                   const LaunchConfiguration& configuration, std::uint32_t a, std::uint32_t words);

/// The reference for the emulator's words: the interpreter, or for programs that it does not support the emulator
/// itself.
enum class Oracle { interpreter, none };

/// Parses and runs on the interpreter and, finalised with several limits, on the emulator; checks that all agree and
/// gives the words.
std::vector<std::uint32_t> run_everywhere(const std::string& text, const LaunchConfiguration& configuration,
                                          std::uint32_t a = 0, std::uint32_t words = 64,
                                          Oracle oracle = Oracle::interpreter);

/// `before`, then the kernel k around `body`, with %r0-31, %rd0-15, %f0-15, %fd0-7, %rs0-7, %p0-7 declared; %out holds
/// the address of the thread's own word, %t its %tid.x, %a the parameter.
std::string kernel_text(const std::string& body, const std::string& before = "");

/// The module of that text.
ptx::Module kernel_module(const std::string& body, const std::string& before = "");

}  // namespace lookahead::finaliser::test
