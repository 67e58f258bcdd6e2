// Memory: allocation, copies, symbols. Every call is complete when it returns, whatever its stream.
#include <cstdlib>
#include <cstring>

#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/connection.h"
#include "components/isa/address_space.h"

namespace lookahead::cudart {

namespace {

enum CopyKind { kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice, kDefault };

bool is_device(const void* address) {
    const auto value = reinterpret_cast<std::uint64_t>(address);
    return value >= isa::kGlobalBase && value < isa::kConstantBase + isa::kConstantBytes;
}

std::uint64_t address_of(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}

CudaError error_of(const Reply& reply) {
    return static_cast<CudaError>(reply.error);
}

CudaError copy(void* to, const void* from, std::size_t bytes, int kind) {
    if (bytes == 0) return kSuccess;
    const bool to_device = kind == kDefault ? is_device(to) : kind == kHostToDevice || kind == kDeviceToDevice;
    const bool from_device = kind == kDefault ? is_device(from) : kind == kDeviceToHost || kind == kDeviceToDevice;
    if (kind < kHostToHost || kind > kDefault || to_device != is_device(to) || from_device != is_device(from))
        return remember(kInvalidValue);
    Connection& connection = Connection::get();
    if (to_device && from_device)
        return error_of(connection.call({.operation = Operation::copy_on_device,
                                         .address = address_of(to),
                                         .source = address_of(from),
                                         .bytes = bytes}));
    if (to_device)
        return error_of(connection.call({.operation = Operation::copy_to_device, .address = address_of(to)},
                                        {static_cast<const std::byte*>(from), bytes}));
    if (from_device)
        return error_of(
            connection.call({.operation = Operation::copy_from_device, .address = address_of(from), .bytes = bytes}, {},
                            std::span(static_cast<std::byte*>(to), bytes)));
    std::memmove(to, from, bytes);
    return kSuccess;
}

CudaError copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                    std::size_t height, int kind) {
    if (width > to_pitch || width > from_pitch) return remember(kInvalidValue);
    for (std::size_t row = 0; row < height; ++row) {
        const CudaError error = copy(static_cast<char*>(to) + row * to_pitch,
                                     static_cast<const char*>(from) + row * from_pitch, width, kind);
        if (error != kSuccess) return error;
    }
    return kSuccess;
}

CudaError fill(void* to, int value, std::size_t bytes) {
    if (bytes == 0) return kSuccess;
    if (!is_device(to)) return remember(kInvalidValue);
    return error_of(Connection::get().call({.operation = Operation::fill,
                                            .value = static_cast<std::uint8_t>(value),
                                            .address = address_of(to),
                                            .bytes = bytes}));
}

/// The address of `bytes` bytes at `offset` of a variable, or nullptr.
void* place_in(const void* symbol, std::size_t bytes, std::size_t offset) {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    if (!find_symbol(symbol, address, size) || offset > size || bytes > size - offset) return nullptr;
    return reinterpret_cast<void*>(address + offset);
}

}  // namespace

}  // namespace lookahead::cudart

using namespace lookahead;
using namespace lookahead::cudart;

extern "C" {

CudaError cudaMalloc(void** pointer, std::size_t bytes) {
    if (pointer == nullptr) return remember(kInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return kSuccess;
    const Reply reply = Connection::get().call({.operation = Operation::allocate, .bytes = bytes});
    *pointer = reinterpret_cast<void*>(reply.address);
    return error_of(reply);
}
CudaError cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
    *pitch = (width + isa::kAllocationAlignment - 1) / isa::kAllocationAlignment * isa::kAllocationAlignment;
    return cudaMalloc(pointer, *pitch * height);
}
CudaError cudaFree(void* pointer) {
    if (pointer == nullptr) return kSuccess;
    return error_of(Connection::get().call({.operation = Operation::release, .address = address_of(pointer)}));
}

/// Pinned memory is the host's own: kernels cannot reach it, which is an illegal address.
CudaError cudaMallocHost(void** pointer, std::size_t bytes) {
    *pointer = std::malloc(bytes == 0 ? 1 : bytes);
    return *pointer == nullptr ? remember(kMemoryAllocation) : kSuccess;
}
CudaError cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
    constexpr unsigned kMapped = 2;
    if ((flags & kMapped) != 0)
        Connection::get().refuse("cudaHostAlloc with cudaHostAllocMapped is not supported: copy with cudaMemcpy");
    return cudaMallocHost(pointer, bytes);
}
CudaError cudaFreeHost(void* pointer) {
    std::free(pointer);
    return kSuccess;
}

CudaError cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
    return copy(to, from, bytes, kind);
}
CudaError cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void*) {
    return copy(to, from, bytes, kind);
}
CudaError cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                       std::size_t height, int kind) {
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
CudaError cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                            std::size_t height, int kind, void*) {
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
CudaError cudaMemset(void* to, int value, std::size_t bytes) {
    return fill(to, value, bytes);
}
CudaError cudaMemsetAsync(void* to, int value, std::size_t bytes, void*) {
    return fill(to, value, bytes);
}

CudaError cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind) {
    void* const to = place_in(symbol, bytes, offset);
    return to == nullptr ? remember(kInvalidSymbol) : copy(to, from, bytes, kind);
}
CudaError cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
    const void* const from = place_in(symbol, bytes, offset);
    return from == nullptr ? remember(kInvalidSymbol) : copy(to, from, bytes, kind);
}
CudaError cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind,
                                  void*) {
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
CudaError cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind,
                                    void*) {
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
CudaError cudaGetSymbolAddress(void** pointer, const void* symbol) {
    *pointer = place_in(symbol, 0, 0);
    return *pointer == nullptr ? remember(kInvalidSymbol) : kSuccess;
}
CudaError cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    if (!find_symbol(symbol, address, size)) return remember(kInvalidSymbol);
    *bytes = size;
    return kSuccess;
}

}  // extern "C"
