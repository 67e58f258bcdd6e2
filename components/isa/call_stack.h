#pragma once

#include <cstdint>

namespace lookahead::isa {

/// Bytes of local memory per thread for the frames of recursive functions, in kernels that call some. CUDA gives 1 KiB
/// for all functions that are not inlined, unless the program requests more (CUDA C++ Programming Guide, "Call Stack":
/// cudaDeviceSetLimit); this size is fixed, and larger.
inline constexpr std::uint32_t kCallStackBytes = 32 << 10;

}  // namespace lookahead::isa
