#include "components/isa/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "components/isa/half.h"

namespace lookahead::isa {

namespace {

/// The texel of a coordinate in one dimension, or the two with linear filtering.
struct Place {
    std::int64_t index[2] = {};  ///< -1: outside; the border applies
    std::uint8_t fraction = 0;
};

constexpr std::int64_t kOutside = -1;

std::int64_t resolve(std::int64_t index, std::int64_t size, AddressMode mode) {
    if (index >= 0 && index < size) { return index; }
    switch (mode) {
        case AddressMode::wrap:
            return index < 0 ? index + size : index - size;  // coordinates are in range, so one step suffices
        case AddressMode::border:
            return kOutside;
        default:
            return std::clamp<std::int64_t>(index, 0, size - 1);
    }
}

/// The coordinate in units of texels.
double scaled(float coordinate, std::uint32_t size, AddressMode mode, bool normalised) {
    double x = coordinate;
    if (x != x) { x = 0; }
    if (!normalised) { return x; }
    if (std::isinf(x)) { return mode == AddressMode::wrap || mode == AddressMode::mirror ? 0 : x; }
    const double whole = std::floor(x);
    if (mode == AddressMode::wrap) { x -= whole; }
    if (mode == AddressMode::mirror) { x = std::floor(whole / 2) * 2 != whole ? 1 - (x - whole) : x - whole; }
    return x * size;
}

Place place_of(const TextureDescriptor& descriptor, unsigned dimension, std::uint32_t size, std::uint32_t coordinate,
               bool is_float, bool linear) {
    // Wrapping and mirroring are defined for normalised coordinates; others are clamped.
    AddressMode mode = descriptor.address[dimension];
    const bool normalised = descriptor.normalised_coordinates != 0 && is_float;
    if (!normalised && mode != AddressMode::border) { mode = AddressMode::clamp; }
    Place place;
    if (!is_float) {
        place.index[0] = place.index[1] = resolve(static_cast<std::int32_t>(coordinate), size, mode);
        return place;
    }
    constexpr double kFar = 0x1p40;  // beyond any texture
    const double x = std::clamp(scaled(std::bit_cast<float>(coordinate), size, mode, normalised), -kFar, kFar);
    if (!linear) {
        place.index[0] = place.index[1] = resolve(static_cast<std::int64_t>(std::floor(x)), size, mode);
        return place;
    }
    // 8 bits of fraction; rounding up to 1 is the next texel.
    const auto fixed = static_cast<std::int64_t>(std::floor((x - 0.5) * 256 + 0.5));
    place.fraction = static_cast<std::uint8_t>(fixed & 255);
    place.index[0] = resolve(fixed >> 8, size, mode);
    place.index[1] = resolve((fixed >> 8) + 1, size, mode);
    return place;
}

/// Where a direction from a cube's centre meets the cube: a layer, and coordinates from 0 to 1 on it.
struct CubePoint {
    std::uint32_t face;
    float coordinates[2];
};

/// CUDA C++ Programming Guide, "Cubemap Textures". It does not define |x| = |y|: the first axis wins.
CubePoint meet_cube(const std::uint32_t* direction) {
    const float x = std::bit_cast<float>(direction[0]);
    const float y = std::bit_cast<float>(direction[1]);
    const float z = std::bit_cast<float>(direction[2]);
    const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    const auto point = [](std::uint32_t face, float m, float s, float t) {
        return CubePoint{face, {(s / m + 1) / 2, (t / m + 1) / 2}};
    };
    if (ax >= ay && ax >= az) { return x >= 0 ? point(0, ax, -z, -y) : point(1, ax, z, -y); }
    if (ay >= az) { return y >= 0 ? point(2, ay, x, z) : point(3, ay, x, -z); }
    return z >= 0 ? point(4, az, x, -y) : point(5, az, -x, -y);
}

float value_of(const TextureDescriptor& descriptor, const std::byte* texel, unsigned channel) {
    const std::byte* const at = texel + channel * descriptor.channel_bytes;
    std::uint32_t bits = 0;
    std::memcpy(&bits, at, descriptor.channel_bytes);
    if (descriptor.kind == ChannelKind::floating) {
        return descriptor.channel_bytes == 2 ? float_of_half(static_cast<std::uint16_t>(bits))
                                             : std::bit_cast<float>(bits);
    }
    if (descriptor.kind == ChannelKind::unsigned_integer) {
        return static_cast<float>(bits) / (descriptor.channel_bytes == 1 ? 255.0f : 65535.0f);
    }
    // Both the least value and the one above it are -1.
    const float value = descriptor.channel_bytes == 1 ? static_cast<float>(static_cast<std::int8_t>(bits)) / 127.0f
                                                      : static_cast<float>(static_cast<std::int16_t>(bits)) / 32767.0f;
    return std::max(value, -1.0f);
}

std::uint32_t integer_of(const TextureDescriptor& descriptor, const std::byte* texel, unsigned channel) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, texel + channel * descriptor.channel_bytes, descriptor.channel_bytes);
    if (descriptor.kind != ChannelKind::signed_integer) { return bits; }
    const unsigned unused = 32 - 8u * descriptor.channel_bytes;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << unused) >> unused);
}

bool reads_floats(const TextureDescriptor& descriptor) {
    return descriptor.kind == ChannelKind::floating || descriptor.normalised_values != 0;
}

/// One channel of a texel as a register value. Missing channels are 0, the fourth is 1.
std::uint32_t word_of(const TextureDescriptor& descriptor, const TextureSample& sample,
                      const std::byte (*texels)[kMaximumTexelBytes], unsigned number, unsigned channel) {
    const bool floats = reads_floats(descriptor);
    if (channel >= descriptor.channels) { return channel < 3 ? 0 : floats ? std::bit_cast<std::uint32_t>(1.0f) : 1; }
    if (sample.address[number] == TextureSample::kBorder) {
        return std::bit_cast<std::uint32_t>(descriptor.border[channel]);
    }
    if (floats) { return std::bit_cast<std::uint32_t>(value_of(descriptor, texels[number], channel)); }
    return integer_of(descriptor, texels[number], channel);
}

/// Weights and values have at most 24 bits, so the products are exact in f64.
float interpolate(const TextureSample& sample, const float* values) {
    double sum = 0;
    for (unsigned number = 0; number < sample.texels; ++number) {
        std::uint32_t weight = 1;
        for (unsigned dimension = 0; (1u << dimension) < sample.texels; ++dimension) {
            weight *= (number >> dimension & 1) != 0 ? sample.fraction[dimension] : 256u - sample.fraction[dimension];
        }
        sum += weight == 0 ? 0 : static_cast<double>(weight) * static_cast<double>(values[number]);
    }
    constexpr double kUnits[] = {1, 0x1p-8, 0x1p-16, 0x1p-24};
    return static_cast<float>(sum * kUnits[std::countr_zero(unsigned{sample.texels})]);
}

/// Samples on a cube's face do not cross its edges, whatever the address modes, which apply to other textures. How GPUs
/// filter across edges is not published.
TextureSample locate_on_cube(TextureDescriptor descriptor, InstructionForm instruction,
                             const std::uint32_t* direction) {
    const CubePoint point = meet_cube(direction);
    descriptor.normalised_coordinates = 1;
    std::ranges::fill(descriptor.address, AddressMode::clamp);
    instruction.mode = texture_mode(TextureGeometry::a2d);
    const std::uint32_t coordinates[] = {point.face, std::bit_cast<std::uint32_t>(point.coordinates[0]),
                                         std::bit_cast<std::uint32_t>(point.coordinates[1])};
    return locate(descriptor, instruction, coordinates);
}

TextureSample locate_on_array(const TextureDescriptor& descriptor, const InstructionForm& instruction,
                              const std::uint32_t* coordinates) {
    const TextureGeometry geometry = geometry_of(instruction);
    const bool is_array = geometry == TextureGeometry::a1d || geometry == TextureGeometry::a2d;
    const unsigned dimensions = coordinates_of(geometry) - (is_array ? 1 : 0);
    const bool is_float = instruction.source_type == Type::f32;
    const bool linear =
        is_float && ((descriptor.filter == FilterMode::linear && reads_floats(descriptor)) || is_gather(instruction));
    const std::uint32_t sizes[3] = {descriptor.width, descriptor.height, descriptor.depth};
    Place places[3];
    for (unsigned d = 0; d < dimensions; ++d) {
        places[d] = place_of(descriptor, d, sizes[d], coordinates[d + (is_array ? 1 : 0)], is_float, linear);
    }
    const std::uint64_t layer = is_array ? std::min(coordinates[0], descriptor.depth - 1) : 0;

    TextureSample sample;
    sample.texels = static_cast<std::uint8_t>(linear ? 1u << dimensions : 1u);
    for (unsigned d = 0; d < dimensions; ++d) { sample.fraction[d] = places[d].fraction; }
    const std::uint64_t pitches[3] = {descriptor.texel_bytes(), descriptor.row_pitch, descriptor.slice_pitch};
    for (unsigned number = 0; number < sample.texels; ++number) {
        std::uint64_t address = descriptor.base + layer * descriptor.slice_pitch;
        bool outside = false;
        for (unsigned d = 0; d < dimensions; ++d) {
            const std::int64_t index = places[d].index[number >> d & 1];
            outside |= index == kOutside;
            address += static_cast<std::uint64_t>(index) * pitches[d];
        }
        sample.address[number] = outside ? TextureSample::kBorder : address;
    }
    return sample;
}

}  // namespace

TextureSample locate(const TextureDescriptor& descriptor, const InstructionForm& instruction,
                     const std::uint32_t* coordinates) {
    if (geometry_of(instruction) == TextureGeometry::cube) {
        return locate_on_cube(descriptor, instruction, coordinates);
    }
    return locate_on_array(descriptor, instruction, coordinates);
}

void filter(const TextureDescriptor& descriptor, const InstructionForm& instruction, const TextureSample& sample,
            const std::byte (*texels)[kMaximumTexelBytes], std::uint32_t* result) {
    const auto word = [&](unsigned number, unsigned channel) {
        return word_of(descriptor, sample, texels, number, channel);
    };
    if (is_gather(instruction)) {
        // PTX ISA, tld4: lower left, lower right, upper right, upper left; the lower row has the larger coordinate.
        constexpr unsigned kOrder[] = {2, 3, 1, 0};
        for (unsigned i = 0; i < 4; ++i) { result[i] = word(kOrder[i], instruction.mode >> 4); }
        return;
    }
    for (unsigned channel = 0; channel < 4; ++channel) {
        if (sample.texels == 1 || channel >= descriptor.channels) {
            result[channel] = word(0, channel);
            continue;
        }
        float values[kMaximumTexels];
        for (unsigned number = 0; number < sample.texels; ++number) {
            values[number] = std::bit_cast<float>(word(number, channel));
        }
        result[channel] = std::bit_cast<std::uint32_t>(interpolate(sample, values));
    }
}

}  // namespace lookahead::isa
