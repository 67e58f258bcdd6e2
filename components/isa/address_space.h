#pragma once

#include <cstdint>

namespace lookahead::isa {

/// The one virtual address layout, independent of machine, finaliser and front end. Generic addresses in the shared
/// and local windows name the thread's own shared and local memory; everything else is global.
inline constexpr std::uint64_t kSharedWindowBase = 0x0000'0001'0000'0000;
inline constexpr std::uint64_t kSharedWindowBytes = 0x0000'0000'0100'0000;
inline constexpr std::uint64_t kLocalWindowBase = 0x0000'0002'0000'0000;
inline constexpr std::uint64_t kLocalWindowBytes = 0x0000'0001'0000'0000;
inline constexpr std::uint64_t kGlobalBase = 0x0000'0010'0000'0000;
/// The size of the range for allocations, from kGlobalBase on: larger than any GPU's memory.
inline constexpr std::uint64_t kGlobalBytes = std::uint64_t{256} << 30;
/// After all allocations: a module's .global and its .const variables (module_image.h). Addresses in .const are these
/// addresses too, so that constants need no conversion to be generic.
inline constexpr std::uint64_t kModuleBase = 0x0000'0050'0000'0000;
inline constexpr std::uint64_t kModuleBytes = 0x0000'0001'0000'0000;
inline constexpr std::uint64_t kConstantBase = kModuleBase + kModuleBytes;
inline constexpr std::uint64_t kConstantBytes = 0x0000'0001'0000'0000;
/// The addresses of kernels' code and the launches' constant bank for the SMs' instruction and constant caches.
/// Programs cannot address the code, and nothing is ever written there: the bytes do not matter, only the traffic. In
/// the bank programs can address only the parameters, which are written there for kernels that read them by address
/// (kParameterBase).
inline constexpr std::uint64_t kCodeBase = 0x0000'0060'0000'0000;
inline constexpr std::uint64_t kConstantBankBase = 0x0000'0061'0000'0000;
inline constexpr std::uint64_t kConstantBankBytes = std::uint64_t{2} << 20;
/// The address of the threads' local memory, after all memory that programs can address.
inline constexpr std::uint64_t kLocalMemoryBase = kConstantBase + kConstantBytes;
/// Bytes of one row of local memory: the same word of each lane of a warp.
inline constexpr std::uint64_t kLocalRowBytes = 128;

/// Bytes of memory for the local memory of a warp whose threads have `local_bytes` each.
constexpr std::uint64_t local_memory_per_warp(std::uint32_t local_bytes) {
    return (local_bytes + 3) / 4 * kLocalRowBytes;
}
/// The offset of byte `offset` of lane `lane`'s local memory in the memory of its warp. The words of the lanes are
/// interleaved, so that the same word of all of them is one line (CUDA C++ Programming Guide, "Local Memory").
constexpr std::uint64_t local_memory_offset(std::uint64_t offset, unsigned lane) {
    return offset / 4 * kLocalRowBytes + lane * 4 + offset % 4;
}

/// The range of addresses in 32-bit registers, from kGlobalBase on.
inline constexpr std::uint64_t kPointerReach = std::uint64_t{1} << 32;

/// cudaMalloc's alignment.
inline constexpr std::uint64_t kAllocationAlignment = 256;

}  // namespace lookahead::isa
