// Texture and surface objects: a handle is the address of a descriptor in device memory (components/isa/texture.h).
#include <algorithm>
#include <unordered_map>

#include "components/frontend/cudart/runtime/arrays.h"
#include "components/frontend/cudart/runtime/connection.h"

namespace lookahead::cudart {

namespace {

enum class ResourceType : int { array, mipmapped_array, linear, pitch_2d };

/// cudaResourceDesc; CUDA 13 has more space after it.
struct Resource {
    ResourceType type;
    union {
        struct {
            Array* array;
        } array;
        struct {
            void* pointer;
            ChannelFormat format;
            std::size_t bytes;
        } linear;
        struct {
            void* pointer;
            ChannelFormat format;
            std::size_t width, height, pitch;
        } pitch_2d;
    };
};
static_assert(sizeof(Resource) == 64);

/// The used part of cudaTextureDesc: mipmaps and anisotropy follow.
struct Sampling {
    int address[3];
    int filter;
    int read_mode;  ///< 0 as stored, 1 integers as fractions
    int srgb;
    float border[4];
    int normalised_coordinates;
};
static_assert(sizeof(Sampling) == 44);
/// All of cudaTextureDesc, for programs that query it.
struct WholeSampling {
    Sampling sampling;
    std::byte rest[28];
};
static_assert(sizeof(WholeSampling) == 72);

constexpr unsigned kSurfaceLoadStore = 2;

struct Texture {
    Resource resource;
    WholeSampling sampling;
};

/// The objects by handle. Never destroyed: programs call CUDA until their very end.
auto& textures() {
    static auto* const table = new std::unordered_map<std::uint64_t, Texture>;
    return *table;
}

auto& surfaces() {
    static auto* const table = new std::unordered_map<std::uint64_t, Resource>;
    return *table;
}

const Texture* texture_of(std::uint64_t handle) {
    const auto found = textures().find(handle);
    return found == textures().end() ? nullptr : &found->second;
}

CudaError describe_array(const Array* array, isa::TextureDescriptor& to) {
    if (array == nullptr) { return kInvalidValue; }
    if (!read_format(array->format, to)) { return kInvalidChannelDescriptor; }
    to.base = array->address;
    to.row_pitch = static_cast<std::uint32_t>(array->pitch);
    to.slice_pitch = array->pitch * array->height();
    to.width = static_cast<std::uint32_t>(array->extent.width);
    to.height = static_cast<std::uint32_t>(array->height());
    to.depth = static_cast<std::uint32_t>(array->depth());
    return kSuccess;
}

/// Linear memory reads as zero beyond its end.
CudaError describe_linear(const Resource& resource, isa::TextureDescriptor& to) {
    if (!read_format(resource.linear.format, to)) { return kInvalidChannelDescriptor; }
    to.base = address_of(resource.linear.pointer);
    to.width = static_cast<std::uint32_t>(resource.linear.bytes / to.texel_bytes());
    std::ranges::fill(to.address, isa::AddressMode::border);
    std::ranges::fill(to.border, 0.0f);
    return kSuccess;
}

CudaError describe_pitch_2d(const Resource& resource, isa::TextureDescriptor& to) {
    if (!read_format(resource.pitch_2d.format, to)) { return kInvalidChannelDescriptor; }
    to.base = address_of(resource.pitch_2d.pointer);
    to.width = static_cast<std::uint32_t>(resource.pitch_2d.width);
    to.height = static_cast<std::uint32_t>(resource.pitch_2d.height);
    to.row_pitch = static_cast<std::uint32_t>(resource.pitch_2d.pitch);
    return kSuccess;
}

CudaError describe(const Resource& resource, isa::TextureDescriptor& to) {
    switch (resource.type) {
        case ResourceType::array:
            return describe_array(resource.array.array, to);
        case ResourceType::linear:
            return describe_linear(resource, to);
        case ResourceType::pitch_2d:
            return describe_pitch_2d(resource, to);
        default:
            Connection::get().refuse(
                "it makes a texture of a mipmapped array, which is not supported; arrays, linear memory and pitched "
                "memory are supported");
    }
}

void take_sampling(const Sampling& sampling, isa::TextureDescriptor& to) {
    if (sampling.srgb != 0) { Connection::get().refuse("it makes a texture in sRGB, which is not supported"); }
    for (unsigned i = 0; i < 3; ++i) { to.address[i] = static_cast<isa::AddressMode>(sampling.address[i]); }
    to.filter = static_cast<isa::FilterMode>(sampling.filter);
    to.normalised_coordinates = sampling.normalised_coordinates != 0;
    std::ranges::copy(sampling.border, to.border);
}

/// Whether CUDA can read the texture: it refuses fractions of 32-bit integers, and filtering of integers not read as
/// fractions.
bool can_be_read(const isa::TextureDescriptor& descriptor) {
    const bool is_integer = descriptor.kind != isa::ChannelKind::floating;
    if (descriptor.normalised_values != 0 && is_integer && descriptor.channel_bytes == 4) { return false; }
    return descriptor.filter == isa::FilterMode::point || !is_integer || descriptor.normalised_values != 0;
}

/// Allocates the descriptor, whose address is the handle, and writes it.
CudaError place(const isa::TextureDescriptor& descriptor, std::uint64_t& handle) {
    Connection& connection = Connection::get();
    const Reply reply = connection.call({.operation = Operation::allocate, .bytes = sizeof descriptor});
    if (reply.error != kSuccess) { return error_of(reply); }
    handle = reply.address;
    return error_of(connection.call({.operation = Operation::copy_to_device, .address = reply.address},
                                    std::as_bytes(std::span(&descriptor, 1))));
}

}  // namespace

}  // namespace lookahead::cudart

using namespace lookahead;
using namespace lookahead::cudart;

extern "C" {

CudaError cudaCreateTextureObject(std::uint64_t* handle, const Resource* resource, const WholeSampling* sampling,
                                  const void* view) {
    if (handle == nullptr || resource == nullptr || sampling == nullptr) { return remember(kInvalidValue); }
    if (view != nullptr) {
        Connection::get().refuse("it makes a texture with a resource view, which is not supported");
    }
    isa::TextureDescriptor descriptor;
    take_sampling(sampling->sampling, descriptor);
    const CudaError error = describe(*resource, descriptor);
    if (error != kSuccess) { return remember(error); }
    descriptor.normalised_values = sampling->sampling.read_mode != 0 && descriptor.kind != isa::ChannelKind::floating;
    if (!descriptor.is_valid() || !can_be_read(descriptor)) { return remember(kInvalidValue); }
    const CudaError placed = place(descriptor, *handle);
    if (placed == kSuccess) { textures()[*handle] = {*resource, *sampling}; }
    return placed;
}
CudaError cudaDestroyTextureObject(std::uint64_t handle) {
    if (handle == 0) { return kSuccess; }
    return textures().erase(handle) == 0 ? remember(kInvalidValue) : release_allocation(handle);
}
CudaError cudaGetTextureObjectResourceDesc(Resource* resource, std::uint64_t handle) {
    const Texture* const texture = texture_of(handle);
    return texture == nullptr ? remember(kInvalidValue) : give(resource, texture->resource);
}
CudaError cudaGetTextureObjectTextureDesc(WholeSampling* sampling, std::uint64_t handle) {
    const Texture* const texture = texture_of(handle);
    return texture == nullptr ? remember(kInvalidValue) : give(sampling, texture->sampling);
}
CudaError cudaCreateSurfaceObject(std::uint64_t* handle, const Resource* resource) {
    if (handle == nullptr || resource == nullptr || resource->type != ResourceType::array ||
        resource->array.array == nullptr || (resource->array.array->flags & kSurfaceLoadStore) == 0) {
        return remember(kInvalidValue);
    }
    isa::TextureDescriptor descriptor;
    const CudaError error = describe(*resource, descriptor);
    if (error != kSuccess) { return remember(error); }
    descriptor.row_bytes = descriptor.width * descriptor.texel_bytes();
    if (!descriptor.is_valid()) { return remember(kInvalidValue); }
    const CudaError placed = place(descriptor, *handle);
    if (placed == kSuccess) { surfaces()[*handle] = *resource; }
    return placed;
}
CudaError cudaDestroySurfaceObject(std::uint64_t handle) {
    if (handle == 0) { return kSuccess; }
    return surfaces().erase(handle) == 0 ? remember(kInvalidValue) : release_allocation(handle);
}
CudaError cudaGetSurfaceObjectResourceDesc(Resource* resource, std::uint64_t handle) {
    const auto found = surfaces().find(handle);
    return found == surfaces().end() ? remember(kInvalidValue) : give(resource, found->second);
}
/// The limit of CUDA's table for capability 7.5.
CudaError cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* width, const ChannelFormat*, int) {
    *width = std::size_t{1} << 28;
    return kSuccess;
}

}  // extern "C"
