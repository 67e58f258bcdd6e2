#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "components/frontend/cudart/protocol.h"
#include "components/frontend/cudart/runtime/connection.h"

/// CUDA's types as in the interface of its runtime.
namespace lookahead::cudart {

struct Dim3 {
    unsigned x, y, z;
};

enum CopyKind { kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice, kDefault };

struct Extent {
    std::size_t width, height, depth;
};
struct Position {
    std::size_t x, y, z;
};
struct PitchedPointer {
    void* pointer;
    std::size_t pitch, width, height;
};

/// cudaMemcpy3DParms.
struct Copy3d {
    void* source_array = nullptr;
    Position source_position{};
    PitchedPointer source{};
    void* destination_array = nullptr;
    Position destination_position{};
    PitchedPointer destination{};
    Extent extent{};
    int kind = kHostToHost;
};
static_assert(sizeof(Copy3d) == 160);

/// cudaFuncAttributes of CUDA 13; those of 11 and 12 are its beginning.
struct FunctionAttributes {
    std::size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads_per_block, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared_bytes;
    int preferred_carveout;
    int others[23];
};
static_assert(sizeof(FunctionAttributes) == 144);

/// A launch as CUDA programs describe it.
struct LaunchShape {
    Dim3 grid, block;
    std::size_t shared_bytes;
};

/// The kernel of a host stub function.
struct RegisteredKernel {
    std::uint32_t module = 0;
    std::string name;
    bool known = false;  ///< whether the members below have been requested
    CudaError error = kSuccess;
    KernelInformation information{};
    std::vector<ParameterPlace> places{};
    std::uint32_t max_dynamic_shared_bytes = 0;  ///< cudaFuncSetAttribute; 0: as every kernel may
    int carveout = -1;
};

/// The kernel of a stub function, with its properties requested; nullptr if there is none: then missing_kernel()
/// returns the error.
RegisteredKernel* find_kernel(const void* function);
CudaError missing_kernel(const void* function);
/// Address and size of the __device__ or __constant__ variable of a host shadow variable.
CudaError find_symbol(const void* symbol, std::uint64_t& address, std::uint64_t& bytes);

inline std::uint64_t address_of(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}
inline CudaError error_of(const Reply& reply) {
    return static_cast<CudaError>(reply.error);
}

/// Stores an answer where the program wants it; cudaErrorInvalidValue if `place` is null.
template <class Value>
CudaError give(Value* place, std::type_identity_t<Value> value) {
    if (place == nullptr) { return remember(kInvalidValue); }
    *place = value;
    return kSuccess;
}

/// Releases an allocation of the device.
CudaError release_allocation(std::uint64_t address);

/// Copy or fill at once, whatever the stream; the public functions use them.
CudaError copy_now(void* to, const void* from, std::size_t bytes, int kind);
CudaError fill_now(void* to, std::uint32_t value, unsigned value_bytes, std::size_t bytes);
CudaError copy_box_now(const Copy3d& box);

}  // namespace lookahead::cudart
