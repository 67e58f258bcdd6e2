// CUDA arrays: allocations with rows at a pitch.
#include "components/frontend/cudart/runtime/arrays.h"

#include <algorithm>

#include "components/frontend/cudart/runtime/connection.h"
#include "components/frontend/cudart/runtime/streams.h"

namespace lookahead::cudart {

namespace {

/// Rows begin at lines of memory; in bytes.
constexpr std::size_t kPitchAlignment = 128;

constexpr std::size_t kFaces = 6;  // layers of a cube

enum ArrayFlag : unsigned { kLayered = 1, kSurface = 2, kCubemap = 4, kGather = 8 };

/// The place of byte `byte` of row `row` in an array, in elements.
Position position_in(const Array& array, std::size_t byte, std::size_t row) {
    return {byte / array.element_bytes(), row, 0};
}

PitchedPointer rows_at(const void* pointer, std::size_t pitch, std::size_t width, std::size_t height) {
    return {const_cast<void*>(pointer), pitch, width, height};
}

/// Whether a plane function's bytes are whole elements inside the array.
bool fits(const Array* array, std::size_t byte, std::size_t row, std::size_t width, std::size_t height) {
    if (array == nullptr) { return false; }
    const std::size_t element = array->element_bytes();
    return byte % element == 0 && width % element == 0 && byte + width <= array->extent.width * element &&
           row + height <= array->height();
}

CudaError copy_to_plane(Array* to, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
                        std::size_t height, int kind) {
    if (!fits(to, x, y, width, height) || (height > 1 && pitch < width)) { return remember(kInvalidValue); }
    return copy_box_now({.source = rows_at(from, pitch, width, height),
                         .destination_array = to,
                         .destination_position = position_in(*to, x, y),
                         .extent = {width / to->element_bytes(), height, 1},
                         .kind = kind});
}

CudaError copy_from_plane(void* to, std::size_t pitch, const Array* from, std::size_t x, std::size_t y,
                          std::size_t width, std::size_t height, int kind) {
    if (!fits(from, x, y, width, height) || (height > 1 && pitch < width)) { return remember(kInvalidValue); }
    return copy_box_now({.source_array = const_cast<Array*>(from),
                         .source_position = position_in(*from, x, y),
                         .destination = rows_at(to, pitch, width, height),
                         .extent = {width / from->element_bytes(), height, 1},
                         .kind = kind});
}

CudaError copy_between_planes(Array* to, std::size_t to_x, std::size_t to_y, const Array* from, std::size_t x,
                              std::size_t y, std::size_t width, std::size_t height, int kind) {
    if (!fits(to, to_x, to_y, width, height) || !fits(from, x, y, width, height) ||
        to->element_bytes() != from->element_bytes()) {
        return remember(kInvalidValue);
    }
    return copy_box_now({.source_array = const_cast<Array*>(from),
                         .source_position = position_in(*from, x, y),
                         .destination_array = to,
                         .destination_position = position_in(*to, to_x, to_y),
                         .extent = {width / to->element_bytes(), height, 1},
                         .kind = kind});
}

/// For the functions without a width, whose bytes continue from row to row.
template <class CopyRows>
CudaError copy_running(const Array* array, std::size_t x, std::size_t y, std::size_t bytes, CopyRows copy_rows) {
    if (array == nullptr) { return remember(kInvalidValue); }
    const std::size_t row_bytes = array->extent.width * array->element_bytes();
    for (std::size_t done = 0; done < bytes; x = 0) {
        const std::size_t left = bytes - done;
        const bool whole = x == 0 && left >= row_bytes;
        const std::size_t width = whole ? row_bytes : std::min(left, row_bytes - x);
        const std::size_t height = whole ? left / row_bytes : 1;
        const CudaError error = copy_rows(done, x, y, width, height);
        if (error != kSuccess) { return error; }
        done += width * height;
        y += height;
    }
    return kSuccess;
}

}  // namespace

bool read_format(const ChannelFormat& format, isa::TextureDescriptor& descriptor) {
    unsigned channels = 0;
    while (channels < 4 && format.bits[channels] != 0) { ++channels; }
    for (unsigned i = 0; i < 4; ++i) {
        if (format.bits[i] != (i < channels ? format.bits[0] : 0)) { return false; }
    }
    const int bits = format.bits[0];
    const bool is_known = (channels == 1 || channels == 2 || channels == 4) &&
                          (bits == 8 || bits == 16 || bits == 32) && format.kind >= 0 && format.kind <= 2 &&
                          !(format.kind == 2 && bits == 8);
    if (!is_known) { return false; }
    descriptor.channels = static_cast<std::uint8_t>(channels);
    descriptor.channel_bytes = static_cast<std::uint8_t>(bits / 8);
    descriptor.kind = static_cast<isa::ChannelKind>(format.kind);
    return true;
}

std::size_t Array::element_bytes() const {
    isa::TextureDescriptor descriptor;
    return read_format(format, descriptor) ? descriptor.texel_bytes() : 0;
}

}  // namespace lookahead::cudart

using namespace lookahead::cudart;

extern "C" {

ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return {{x, y, z, w}, kind};
}
CudaError cudaGetChannelDesc(ChannelFormat* format, const Array* array) {
    return array == nullptr ? remember(kInvalidValue) : give(format, array->format);
}

CudaError cudaMalloc3DArray(Array** array, const ChannelFormat* format, Extent extent, unsigned flags) {
    if (array == nullptr || format == nullptr || extent.width == 0) { return remember(kInvalidValue); }
    const bool is_cube = (flags & kCubemap) != 0;
    if (is_cube && (flags & kLayered) != 0) {
        Connection::get().refuse("it makes layers of cube maps, which are not supported");
    }
    if (is_cube && (extent.width != extent.height || extent.depth != kFaces)) { return remember(kInvalidValue); }
    auto made = std::make_unique<Array>();
    made->extent = extent;
    made->format = *format;
    made->flags = flags;
    const std::size_t element = made->element_bytes();
    if (element == 0) { return remember(kInvalidChannelDescriptor); }
    made->pitch = (extent.width * element + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
    const Reply reply = Connection::get().call(
        {.operation = Operation::allocate, .bytes = made->pitch * made->height() * made->depth()});
    if (reply.error != kSuccess) { return error_of(reply); }
    made->address = reply.address;
    *array = made.release();
    return kSuccess;
}
CudaError cudaMallocArray(Array** array, const ChannelFormat* format, std::size_t width, std::size_t height,
                          unsigned flags) {
    return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}
CudaError cudaFreeArray(Array* array) {
    if (array == nullptr) { return kSuccess; }
    const std::unique_ptr<Array> owner(array);
    return release_allocation(array->address);
}
CudaError cudaArrayGetInfo(ChannelFormat* format, Extent* extent, unsigned* flags, const Array* array) {
    if (array == nullptr) { return remember(kInvalidValue); }
    if (format != nullptr) { *format = array->format; }
    if (extent != nullptr) { *extent = array->extent; }
    if (flags != nullptr) { *flags = array->flags; }
    return kSuccess;
}

CudaError cudaMemcpy2DToArray(Array* to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                              std::size_t width, std::size_t height, int kind) {
    return and_wait(copy_to_plane(to, x, y, from, pitch, width, height, kind));
}
LOOKAHEAD_PER_THREAD(cudaMemcpy2DToArray, _ptds)
CudaError cudaMemcpy2DToArrayAsync(Array* to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                   std::size_t width, std::size_t height, int kind, void* stream) {
    return submit(stream, NodeKind::copy, [=] { return copy_to_plane(to, x, y, from, pitch, width, height, kind); });
}
LOOKAHEAD_PER_THREAD(cudaMemcpy2DToArrayAsync, _ptsz)
CudaError cudaMemcpy2DFromArray(void* to, std::size_t pitch, const Array* from, std::size_t x, std::size_t y,
                                std::size_t width, std::size_t height, int kind) {
    return and_wait(copy_from_plane(to, pitch, from, x, y, width, height, kind));
}
LOOKAHEAD_PER_THREAD(cudaMemcpy2DFromArray, _ptds)
CudaError cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, const Array* from, std::size_t x, std::size_t y,
                                     std::size_t width, std::size_t height, int kind, void* stream) {
    return submit(stream, NodeKind::copy, [=] { return copy_from_plane(to, pitch, from, x, y, width, height, kind); });
}
LOOKAHEAD_PER_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz)

CudaError cudaMemcpy2DArrayToArray(Array* to, std::size_t to_x, std::size_t to_y, const Array* from, std::size_t x,
                                   std::size_t y, std::size_t width, std::size_t height, int kind) {
    return and_wait(copy_between_planes(to, to_x, to_y, from, x, y, width, height, kind));
}
LOOKAHEAD_PER_THREAD(cudaMemcpy2DArrayToArray, _ptds)

CudaError cudaMemcpyToArrayAsync(Array* to, std::size_t x, std::size_t y, const void* from, std::size_t bytes, int kind,
                                 void* stream) {
    return submit(stream, NodeKind::copy, [=] {
        return copy_running(
            to, x, y, bytes,
            [=](std::size_t done, std::size_t at, std::size_t row, std::size_t width, std::size_t height) {
                return copy_to_plane(to, at, row, static_cast<const char*>(from) + done, width, width, height, kind);
            });
    });
}
LOOKAHEAD_PER_THREAD(cudaMemcpyToArrayAsync, _ptsz)
CudaError cudaMemcpyToArray(Array* to, std::size_t x, std::size_t y, const void* from, std::size_t bytes, int kind) {
    return and_wait(cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, nullptr));
}
LOOKAHEAD_PER_THREAD(cudaMemcpyToArray, _ptds)
CudaError cudaMemcpyFromArrayAsync(void* to, const Array* from, std::size_t x, std::size_t y, std::size_t bytes,
                                   int kind, void* stream) {
    return submit(stream, NodeKind::copy, [=] {
        return copy_running(
            from, x, y, bytes,
            [=](std::size_t done, std::size_t at, std::size_t row, std::size_t width, std::size_t height) {
                return copy_from_plane(static_cast<char*>(to) + done, width, from, at, row, width, height, kind);
            });
    });
}
LOOKAHEAD_PER_THREAD(cudaMemcpyFromArrayAsync, _ptsz)
CudaError cudaMemcpyFromArray(void* to, const Array* from, std::size_t x, std::size_t y, std::size_t bytes, int kind) {
    return and_wait(cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, nullptr));
}
LOOKAHEAD_PER_THREAD(cudaMemcpyFromArray, _ptds)

}  // extern "C"
