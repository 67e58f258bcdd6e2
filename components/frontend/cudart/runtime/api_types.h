#pragma once

#include <cstddef>
#include <cstdint>

#include "components/frontend/cudart/protocol.h"

namespace lookahead::cudart {

/// dim3 as the CUDA runtime passes it.
struct Dim3 {
    unsigned x, y, z;
};

/// cudaFuncAttributes of CUDA 13.
struct FunctionAttributes {
    std::size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads_per_block, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared_bytes;
    int others[24];
};
static_assert(sizeof(FunctionAttributes) == 144);

/// The device that programs see. They embed PTX for sm_75; its limits are those of CUDA's table for that capability.
inline constexpr int kCapabilityMajor = 7, kCapabilityMinor = 5;
inline constexpr int kMultiprocessors = 15;
inline constexpr int kMaxThreadsPerBlock = 1024;
inline constexpr int kMaxThreadsPerMultiprocessor = 1024;
inline constexpr int kMaxBlocksPerMultiprocessor = 16;
inline constexpr int kSharedBytesPerBlock = 48 * 1024;
inline constexpr int kSharedBytesPerMultiprocessor = 64 * 1024;
inline constexpr int kRegistersPerMultiprocessor = 65536;
inline constexpr int kConstantBytes = 64 * 1024;
inline constexpr int kL2Bytes = 768 * 1024;
inline constexpr int kMemoryBusBits = 384;
inline constexpr std::size_t kMemoryBytes = std::size_t{4} << 30;

/// Address and size of the __device__ or __constant__ variable behind a shadow variable of the host.
bool find_symbol(const void* symbol, std::uint64_t& address, std::uint64_t& bytes);

}  // namespace lookahead::cudart
