// Separate from the sampling, because the replacement runtime makes descriptors.
#include <algorithm>

#include "components/isa/texture_descriptor.h"

namespace lookahead::isa {

bool TextureDescriptor::is_valid() const {
    const auto is_size = [](unsigned size) { return size == 1 || size == 2 || size == 4; };
    const auto is_mode = [](AddressMode mode) { return mode <= AddressMode::border; };
    constexpr std::uint32_t kLargest = 1u << 30;
    return magic == kMagic && is_size(channels) && is_size(channel_bytes) && kind <= ChannelKind::floating &&
           filter <= FilterMode::linear && std::ranges::all_of(address, is_mode) && width - 1 < kLargest &&
           height - 1 < kLargest && depth - 1 < kLargest && base % texel_bytes() == 0 &&
           row_pitch % texel_bytes() == 0 && slice_pitch % texel_bytes() == 0 &&
           (kind != ChannelKind::floating || channel_bytes > 1);
}

}  // namespace lookahead::isa
