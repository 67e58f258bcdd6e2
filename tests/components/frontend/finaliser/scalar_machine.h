#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/isa/dim3.h"
#include "components/isa/kernel.h"

namespace lookahead::finaliser::test {

/// A kernel as one list of instructions, before or after allocation; branch targets are indices into it.
struct Program {
    isa::KernelFrame frame;
    std::vector<VirtualInstruction> code;
    std::uint32_t rows = 0;
    std::uint32_t predicates = 0;
};

Program flatten(const VirtualKernel& kernel);
Program flatten(const isa::Kernel& kernel);

/// Global memory of the tests: bytes from isa::kGlobalBase on.
using Memory = std::vector<std::byte>;

struct Launch {
    isa::Dim3 grid;
    isa::Dim3 block;
    std::vector<std::byte> parameters;
    std::uint32_t dynamic_shared_bytes = 0;
};

/// Runs a launch thread by thread, without warps: each thread runs to its next barrier or its end. Slow, plain, and
/// without reconvergence. Registers initially hold garbage. Returns the number of instructions executed.
std::uint64_t execute(const Program& program, const Launch& launch, Memory& memory);

/// Appends a parameter's bytes at its natural alignment.
template <typename T>
void append(std::vector<std::byte>& parameters, const T& value) {
    parameters.resize((parameters.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const auto bytes = std::as_bytes(std::span(&value, 1));
    parameters.insert(parameters.end(), bytes.begin(), bytes.end());
}

}  // namespace lookahead::finaliser::test
