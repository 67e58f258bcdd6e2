#pragma once

#include <cstdint>

namespace lookahead::isa {

/// Textures are accessed by texture objects. An object is the address of a TextureDescriptor in global memory, which
/// the runtime writes like any data. So descriptors need no messages, and a texture unit reads them through the memory
/// system, as GPUs read texture headers. Semantics: CUDA C++ Programming Guide, "Texture Fetching"; PTX ISA, `tex`,
/// `tld4`.

enum class TextureGeometry : std::uint8_t { d1, d2, d3, a1d, a2d, cube };
enum class ChannelKind : std::uint8_t { signed_integer, unsigned_integer, floating };
/// The numbers of these two are CUDA's.
enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };
enum class FilterMode : std::uint8_t { point, linear };

struct TextureDescriptor {
    static constexpr std::uint64_t kMagic = 0x7572'6374'6574'614c;  // data do not have this value by chance

    std::uint64_t magic = kMagic;
    std::uint64_t base = 0;  ///< of the first texel
    std::uint64_t slice_pitch = 0;
    std::uint32_t row_pitch = 0;
    std::uint32_t width = 1, height = 1;
    std::uint32_t depth = 1;         ///< of 3d textures; layers of arrays; faces of cubes
    std::uint8_t channels = 1;       ///< 1, 2 or 4
    std::uint8_t channel_bytes = 4;  ///< 1, 2 or 4
    ChannelKind kind = ChannelKind::floating;
    FilterMode filter = FilterMode::point;
    AddressMode address[3] = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
    std::uint8_t normalised_coordinates = 0;
    std::uint8_t normalised_values = 0;  ///< integers of 8 or 16 bits are read as fractions
    std::uint8_t unused[7] = {};
    float border[4] = {};
    std::uint32_t row_bytes = 0;  ///< of surfaces, whose x counts bytes
    std::uint8_t unused2[52] = {};

    unsigned texel_bytes() const { return std::uint32_t{channels} * channel_bytes; }
    /// Bytes from `base` to the end of the last texel.
    std::uint64_t bytes() const {
        return (depth - std::uint64_t{1}) * slice_pitch + (height - std::uint64_t{1}) * row_pitch +
               std::uint64_t{width} * texel_bytes();
    }
    /// Whether the fields can be used: kinds are known, sizes are not 0, the extent is sane.
    bool is_valid() const;
};
/// Descriptors are aligned to their size, one line of memory.
static_assert(sizeof(TextureDescriptor) == 128);

inline constexpr unsigned kMaximumTexels = 8;
inline constexpr unsigned kMaximumTexelBytes = 16;
inline constexpr unsigned kMaximumCoordinates = 3;

/// Operation::texture: source[0] is the object, source[1] the coordinates, one row each (an array's layer first, a
/// cube's direction); the result has four rows. `mode` is made by texture_mode or gather_mode.
constexpr std::uint8_t texture_mode(TextureGeometry geometry) {
    return static_cast<std::uint8_t>(geometry);
}
/// tld4: component `component` of the four texels around a point.
constexpr std::uint8_t gather_mode(unsigned component) {
    return static_cast<std::uint8_t>(static_cast<unsigned>(TextureGeometry::d2) | 8u | component << 4);
}

}  // namespace lookahead::isa
