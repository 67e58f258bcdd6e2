#pragma once

#include <cstdint>

namespace lookahead::isa {

/// Bytes of local memory a thread has for the frames of recursive functions, in kernels that call some. CUDA gives 1 KiB
/// unless the program asks for more (CUDA C++ Programming Guide, "Call Stack": cudaDeviceSetLimit), for all functions
/// that are not inlined; this one is fixed, and larger.
inline constexpr std::uint32_t kCallStackBytes = 32 << 10;

}  // namespace lookahead::isa
