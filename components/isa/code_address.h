#pragma once

#include <cstdint>

namespace lookahead::isa {

/// Addresses of device functions in the virtual address layout (address_space.h): between the local window and global
/// memory. There is no memory there; an address only names a function.
inline constexpr std::uint64_t kFunctionBase = 0x0000'0004'0000'0000;
inline constexpr std::uint64_t kFunctionAlignment = 16;

/// The address of the function with the given number in its module.
constexpr std::uint64_t code_address(std::uint32_t function) {
    return kFunctionBase + function * kFunctionAlignment;
}

/// Bytes of local memory per thread for the frames of recursive functions, in kernels that call some. CUDA gives 1 KiB
/// for all functions that are not inlined, unless the program requests more (CUDA C++ Programming Guide, "Call Stack":
/// cudaDeviceSetLimit); this size is fixed, and larger.
inline constexpr std::uint32_t kCallStackBytes = 32 << 10;

}  // namespace lookahead::isa
