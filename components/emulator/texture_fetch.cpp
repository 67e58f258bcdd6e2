#include <bit>
#include <cstring>

#include "components/emulator/memory_unit.h"
#include "components/isa/texture.h"

namespace lookahead {

using isa::kWarpSize;
using isa::LaneMask;

namespace {

/// A copy of a variable size is a call; nearly all texels have 4 bytes.
void read_texel(const std::byte* from, unsigned bytes, std::byte* texel) {
    if (bytes == 4) {
        std::memcpy(texel, from, 4);
    } else {
        std::memcpy(texel, from, bytes);
    }
}

}  // namespace

void MemoryUnit::texture(const EmulatedInstruction& decoded, std::uint32_t* frame, LaneMask active,
                         const ExecutionPlace& place) const {
    const isa::Instruction& instruction = *decoded.instruction;
    const std::uint32_t* const coordinate_rows = frame + decoded.source[1];
    const unsigned coordinates = instruction.source[1].rows;
    // The results may overwrite the coordinates, but each lane's are read before its result is written.
    std::uint32_t* const results = frame + decoded.destination;
    isa::TextureDescriptor descriptor;
    std::uint64_t known = 0;  // the object of `descriptor`
    unsigned bytes = 0;       // of its texels
    std::byte texels[isa::kMaximumTexels][isa::kMaximumTexelBytes] = {};
    for (LaneMask left = active; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t object =
            frame[decoded.source[0] + lane] | std::uint64_t{frame[decoded.source[0] + isa::kWarpSize + lane]} << 32;
        if (object != known) {
            if (object % sizeof descriptor != 0 || !allocator_.contains(object, sizeof descriptor)) {
                throw_illegal_texture(place, lane, object);
            }
            std::memcpy(&descriptor, global_.at(object), sizeof descriptor);
            if (!descriptor.is_valid() || !allocator_.contains(descriptor.base, descriptor.bytes())) {
                throw_illegal_texture(place, lane, object);
            }
            known = object;
            bytes = descriptor.texel_bytes();
        }
        std::uint32_t point[isa::kMaximumCoordinates] = {};
        for (unsigned i = 0; i < coordinates; ++i) { point[i] = coordinate_rows[i * kWarpSize + lane]; }
        const isa::TextureSample sample = isa::locate(descriptor, instruction, point);
        for (unsigned i = 0; i < sample.texels; ++i) {
            if (sample.address[i] != isa::TextureSample::kBorder) {
                read_texel(global_.at(sample.address[i]), bytes, texels[i]);
            }
        }
        std::uint32_t words[4];
        isa::filter(descriptor, instruction, sample, texels, words);
        for (unsigned i = 0; i < 4; ++i) { results[i * kWarpSize + lane] = words[i]; }
    }
}

}  // namespace lookahead
