#pragma once

#include "components/frontend/cudart/runtime/api_types.h"
#include "components/isa/texture_descriptor.h"

namespace lookahead::cudart {

/// cudaChannelFormatDesc: bits of the channels.
struct ChannelFormat {
    int bits[4];
    int kind;  ///< 0 signed, 1 unsigned, 2 floating point
};
static_assert(sizeof(ChannelFormat) == 20);

/// The target of a cudaArray_t. Rows have a pitch; slices of a 3D array and layers follow one another. Opaque to
/// programs.
struct Array {
    std::uint64_t address = 0;
    std::size_t pitch = 0;
    Extent extent{};  ///< in elements, as asked for: a height or depth of 0 is that of a 1D or 2D array
    ChannelFormat format{};
    unsigned flags = 0;

    std::size_t height() const { return extent.height == 0 ? 1 : extent.height; }
    std::size_t depth() const { return extent.depth == 0 ? 1 : extent.depth; }
    std::size_t element_bytes() const;
    /// The array as memory for copies, whose widths and x are then in bytes.
    PitchedPointer pointer() const {
        return {reinterpret_cast<void*>(address), pitch, extent.width * element_bytes(), height()};
    }
};

/// Sets the descriptor's number of channels and the bytes of each; false for formats that textures cannot have.
bool read_format(const ChannelFormat& format, isa::TextureDescriptor& descriptor);

}  // namespace lookahead::cudart
