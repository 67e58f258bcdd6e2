// Memory of the device: allocation, copies, filling, symbols.
#include <cstring>

#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/arrays.h"
#include "components/frontend/cudart/runtime/connection.h"
#include "components/frontend/cudart/runtime/graph_memory.h"
#include "components/frontend/cudart/runtime/host_memory.h"
#include "components/frontend/cudart/runtime/streams.h"
#include "components/isa/address_space.h"

namespace lookahead::cudart {

namespace {

/// The owner of an address for a copy: managed memory counts as the device's, pinned memory as the host's.
enum class Side { host, device, either };

Side side_of(const void* address) {
    const HostBlock* const block = host_block(address);
    if (block != nullptr) { return block->is_managed ? Side::either : Side::host; }
    return is_on_device(address) ? Side::device : Side::host;
}

/// Whether the device is the source or destination of a copy; second value false: `kind` contradicts the address.
std::pair<bool, bool> on_device(const void* address, int kind, bool kind_says_device) {
    const Side side = side_of(address);
    if (kind == kDefault) { return {side != Side::host, true}; }
    // Pinned memory may also be given by its device address.
    const bool pinned = side == Side::host && is_on_device(address);
    return {kind_says_device, side == Side::either || pinned || kind_says_device == (side == Side::device)};
}

char* byte_at(void* pointer, std::size_t offset) {
    return static_cast<char*>(pointer) + offset;
}

/// The address of a 3D copy's first byte.
char* begin_of(const PitchedPointer& pointer, const Position& position) {
    return byte_at(pointer.pointer, (position.z * pointer.height + position.y) * pointer.pitch + position.x);
}

/// Copies rows of `width` bytes, in one copy if there are no gaps.
CudaError copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                    std::size_t height, int kind) {
    if (height > 1 && (width > to_pitch || width > from_pitch)) { return remember(kInvalidPitch); }
    if (width == to_pitch && width == from_pitch) { return copy_now(to, from, width * height, kind); }
    for (std::size_t row = 0; row < height; ++row) {
        const CudaError error = copy_now(static_cast<char*>(to) + row * to_pitch,
                                         static_cast<const char*>(from) + row * from_pitch, width, kind);
        if (error != kSuccess) { return error; }
    }
    return kSuccess;
}

CudaError fill_rows(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    if (height > 1 && width > pitch) { return remember(kInvalidValue); }
    if (width == pitch) { return fill_now(to, static_cast<unsigned char>(value), 1, width * height); }
    for (std::size_t row = 0; row < height; ++row) {
        const CudaError error = fill_now(byte_at(to, row * pitch), static_cast<unsigned char>(value), 1, width);
        if (error != kSuccess) { return error; }
    }
    return kSuccess;
}

/// A copy in a stream. A synchronous one waits for the device, so that the host sees the kernels' writes.
CudaError copy_in(void* stream, void* to, const void* from, std::size_t bytes, int kind) {
    return submit(stream, NodeKind::copy, [=] { return copy_now(to, from, bytes, kind); });
}

/// The address of `bytes` bytes at `offset` of a variable.
CudaError find_place(void** place, const void* symbol, std::size_t bytes, std::size_t offset) {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    if (const CudaError error = find_symbol(symbol, address, size); error != kSuccess) { return error; }
    if (offset > size || bytes > size - offset) { return remember(kInvalidValue); }
    *place = reinterpret_cast<void*>(address + offset);
    return kSuccess;
}

std::size_t pitch_of(std::size_t width) {
    return (width + isa::kAllocationAlignment - 1) / isa::kAllocationAlignment * isa::kAllocationAlignment;
}

}  // namespace

CudaError copy_now(void* to, const void* from, std::size_t bytes, int kind) {
    if (bytes == 0) { return kSuccess; }
    if (kind < kHostToHost || kind > kDefault) { return remember(kInvalidCopyDirection); }
    if (to == nullptr || from == nullptr) { return remember(kInvalidValue); }
    const auto [to_device, to_fits] = on_device(to, kind, kind == kHostToDevice || kind == kDeviceToDevice);
    const auto [from_device, from_fits] = on_device(from, kind, kind == kDeviceToHost || kind == kDeviceToDevice);
    if (!to_fits || !from_fits) { return remember(kInvalidValue); }
    Connection& connection = Connection::get();
    if (to_device && from_device) {
        return error_of(connection.call({.operation = Operation::copy_on_device,
                                         .address = address_of(to),
                                         .source = address_of(from),
                                         .bytes = bytes}));
    }
    if (to_device) {
        return error_of(connection.call({.operation = Operation::copy_to_device, .address = address_of(to)},
                                        {static_cast<const std::byte*>(from), bytes}));
    }
    if (from_device) {
        return error_of(
            connection.call({.operation = Operation::copy_from_device, .address = address_of(from), .bytes = bytes}, {},
                            std::span(static_cast<std::byte*>(to), bytes)));
    }
    std::memmove(to, from, bytes);
    return kSuccess;
}

CudaError fill_now(void* to, std::uint32_t value, unsigned value_bytes, std::size_t bytes) {
    if (bytes == 0) { return kSuccess; }
    if (side_of(to) == Side::host) {
        if (!is_on_device(to)) { return remember(kInvalidValue); }
        for (std::size_t i = 0; i < bytes; ++i) {
            *byte_at(to, i) = static_cast<char>(value >> (8 * (i % value_bytes)));
        }
        return kSuccess;
    }
    return error_of(Connection::get().call({.operation = Operation::fill,
                                            .value = value,
                                            .address = address_of(to),
                                            .source = value_bytes,
                                            .bytes = bytes}));
}

CudaError copy_box_now(const Copy3d& asked) {
    Copy3d box = asked;
    const auto* const from = static_cast<const Array*>(box.source_array);
    const auto* const to = static_cast<const Array*>(box.destination_array);
    // With an array, its position and the extent count the array's elements, otherwise bytes.
    if (from != nullptr) {
        box.source = from->pointer();
        box.source_position.x *= from->element_bytes();
    }
    if (to != nullptr) {
        box.destination = to->pointer();
        box.destination_position.x *= to->element_bytes();
    }
    if (from != nullptr || to != nullptr) { box.extent.width *= (from != nullptr ? from : to)->element_bytes(); }
    for (std::size_t z = 0; z < box.extent.depth; ++z) {
        const CudaError error = copy_rows(
            begin_of(box.destination, box.destination_position) + z * box.destination.height * box.destination.pitch,
            box.destination.pitch, begin_of(box.source, box.source_position) + z * box.source.height * box.source.pitch,
            box.source.pitch, box.extent.width, box.extent.height, box.kind);
        if (error != kSuccess) { return error; }
    }
    return kSuccess;
}

}  // namespace lookahead::cudart

using namespace lookahead;
using namespace lookahead::cudart;

extern "C" {

CudaError cudaMalloc(void** pointer, std::size_t bytes) {
    if (pointer == nullptr) { return remember(kInvalidValue); }
    *pointer = nullptr;
    if (bytes == 0) { return kSuccess; }
    const Reply reply = Connection::get().call({.operation = Operation::allocate, .bytes = bytes});
    *pointer = reinterpret_cast<void*>(reply.address);
    return error_of(reply);
}
CudaError cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
    if (pitch == nullptr) { return remember(kInvalidValue); }
    *pitch = pitch_of(width);
    return cudaMalloc(pointer, *pitch * height);
}
CudaError cudaMalloc3D(PitchedPointer* pointer, Extent extent) {
    if (pointer == nullptr) { return remember(kInvalidValue); }
    *pointer = {nullptr, pitch_of(extent.width), extent.width, extent.height};
    return cudaMalloc(&pointer->pointer, pointer->pitch * extent.height * extent.depth);
}
CudaError cudaMemGetInfo(std::size_t* left, std::size_t* all) {
    const Reply reply = Connection::get().call({.operation = Operation::memory_left});
    if (reply.error == kSuccess && left != nullptr) { *left = reply.bytes; }
    if (reply.error == kSuccess && all != nullptr) { *all = reply.address; }
    return error_of(reply);
}

/// All pools use cudaMalloc's allocator (pools.cpp).
CudaError cudaMallocAsync(void** pointer, std::size_t bytes, void* stream) {
    if (!is_stream(stream)) { return remember(kInvalidResourceHandle); }
    Stream& place = stream_of(stream);
    if (!place.is_captured()) { return cudaMalloc(pointer, bytes); }
    if (pointer == nullptr) { return remember(kInvalidValue); }
    GraphNode* node = nullptr;
    const CudaError error = add_allocation(node, *place.capture->graph, place.last, bytes);
    if (error != kSuccess) { return error; }
    place.last = {node};
    *pointer = reinterpret_cast<void*>(node->memory->address());
    return kSuccess;
}
LOOKAHEAD_PER_THREAD(cudaMallocAsync, _ptsz)
CudaError cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, void*, void* stream) {
    return cudaMallocAsync(pointer, bytes, stream);
}
LOOKAHEAD_PER_THREAD(cudaMallocFromPoolAsync, _ptsz)
CudaError cudaFree(void* pointer);
CudaError cudaFreeAsync(void* pointer, void* stream) {
    if (pointer == nullptr) { return remember(kInvalidValue); }
    if (!is_stream(stream) || !stream_of(stream).is_captured() || GraphMemory::find(pointer) == nullptr) {
        return submit(stream, NodeKind::empty, [pointer] { return cudaFree(pointer); });
    }
    Stream& place = stream_of(stream);
    GraphNode* node = nullptr;
    const CudaError error = add_free(node, *place.capture->graph, place.last, pointer);
    if (error == kSuccess) { place.last = {node}; }
    return error;
}
LOOKAHEAD_PER_THREAD(cudaFreeAsync, _ptsz)

CudaError cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
    return and_wait(copy_now(to, from, bytes, kind));
}
LOOKAHEAD_PER_THREAD(cudaMemcpy, _ptds)
CudaError cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
    return copy_in(stream, to, from, bytes, kind);
}
LOOKAHEAD_PER_THREAD(cudaMemcpyAsync, _ptsz)
CudaError cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
    return cudaMemcpy(to, from, bytes, kDeviceToDevice);
}
CudaError cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, void* stream) {
    return cudaMemcpyAsync(to, from, bytes, kDeviceToDevice, stream);
}
CudaError cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                       std::size_t height, int kind) {
    return and_wait(copy_rows(to, to_pitch, from, from_pitch, width, height, kind));
}
LOOKAHEAD_PER_THREAD(cudaMemcpy2D, _ptds)
CudaError cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                            std::size_t height, int kind, void* stream) {
    return submit(stream, NodeKind::copy,
                  [=] { return copy_rows(to, to_pitch, from, from_pitch, width, height, kind); });
}
LOOKAHEAD_PER_THREAD(cudaMemcpy2DAsync, _ptsz)
CudaError cudaMemcpy3D(const Copy3d* box) {
    return and_wait(copy_box_now(*box));
}
LOOKAHEAD_PER_THREAD(cudaMemcpy3D, _ptds)
CudaError cudaMemcpy3DAsync(const Copy3d* box, void* stream) {
    return submit(stream, NodeKind::copy, [copy = *box] { return copy_box_now(copy); });
}
LOOKAHEAD_PER_THREAD(cudaMemcpy3DAsync, _ptsz)

CudaError cudaMemset(void* to, int value, std::size_t bytes) {
    return fill_now(to, static_cast<unsigned char>(value), 1, bytes);
}
LOOKAHEAD_PER_THREAD(cudaMemset, _ptds)
CudaError cudaMemsetAsync(void* to, int value, std::size_t bytes, void* stream) {
    return submit(stream, NodeKind::fill, [=] { return cudaMemset(to, value, bytes); });
}
LOOKAHEAD_PER_THREAD(cudaMemsetAsync, _ptsz)
CudaError cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return fill_rows(to, pitch, value, width, height);
}
LOOKAHEAD_PER_THREAD(cudaMemset2D, _ptds)
CudaError cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                            void* stream) {
    return submit(stream, NodeKind::fill, [=] { return fill_rows(to, pitch, value, width, height); });
}
LOOKAHEAD_PER_THREAD(cudaMemset2DAsync, _ptsz)
CudaError cudaMemset3D(PitchedPointer to, int value, Extent extent) {
    for (std::size_t z = 0; z < extent.depth; ++z) {
        const CudaError error =
            fill_rows(byte_at(to.pointer, z * to.height * to.pitch), to.pitch, value, extent.width, extent.height);
        if (error != kSuccess) { return error; }
    }
    return kSuccess;
}
LOOKAHEAD_PER_THREAD(cudaMemset3D, _ptds)
CudaError cudaMemset3DAsync(PitchedPointer to, int value, Extent extent, void* stream) {
    return submit(stream, NodeKind::fill, [=] { return cudaMemset3D(to, value, extent); });
}
LOOKAHEAD_PER_THREAD(cudaMemset3DAsync, _ptsz)

CudaError cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind,
                                  void* stream) {
    void* to = nullptr;
    const CudaError error = find_place(&to, symbol, bytes, offset);
    return error != kSuccess ? error : copy_in(stream, to, from, bytes, kind);
}
LOOKAHEAD_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz)
CudaError cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind,
                                    void* stream) {
    void* from = nullptr;
    const CudaError error = find_place(&from, symbol, bytes, offset);
    return error != kSuccess ? error : copy_in(stream, to, from, bytes, kind);
}
LOOKAHEAD_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz)
CudaError cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind) {
    return and_wait(cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr));
}
LOOKAHEAD_PER_THREAD(cudaMemcpyToSymbol, _ptds)
CudaError cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
    return and_wait(cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr));
}
LOOKAHEAD_PER_THREAD(cudaMemcpyFromSymbol, _ptds)
CudaError cudaGetSymbolAddress(void** pointer, const void* symbol) {
    return pointer == nullptr ? remember(kInvalidValue) : find_place(pointer, symbol, 0, 0);
}
CudaError cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    if (bytes == nullptr) { return remember(kInvalidValue); }
    const CudaError error = find_symbol(symbol, address, size);
    if (error == kSuccess) { *bytes = size; }
    return error;
}

}  // extern "C"
