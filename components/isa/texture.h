#pragma once

#include <cstddef>
#include <cstdint>

#include "components/isa/instruction_form.h"
#include "components/isa/texture_descriptor.h"

namespace lookahead::isa {

constexpr TextureGeometry geometry_of(const InstructionForm& instruction) {
    return static_cast<TextureGeometry>(instruction.mode & 7);
}
constexpr bool is_gather(const InstructionForm& instruction) {
    return (instruction.mode & 8) != 0;
}
/// The number of coordinates, an array's layer included.
constexpr unsigned coordinates_of(TextureGeometry geometry) {
    constexpr std::uint8_t kCount[] = {1, 2, 3, 2, 3, 3};
    return kCount[static_cast<unsigned>(geometry)];
}

/// The texels that one lane needs: with linear filtering two in each dimension d, selected by bit d of a texel's
/// number.
struct TextureSample {
    static constexpr std::uint64_t kBorder = ~std::uint64_t{0};

    std::uint64_t address[kMaximumTexels] = {};  ///< kBorder: no memory, the border's colour
    std::uint8_t texels = 1;                     ///< 1, 2, 4 or 8
    std::uint8_t fraction[3] = {};               ///< of the upper texel, in 1/256, by dimension
};

/// The texels that the instruction needs at a lane's `coordinates`, in the order of the instruction's rows.
TextureSample locate(const TextureDescriptor& descriptor, const InstructionForm& instruction,
                     const std::uint32_t* coordinates);

/// Computes the four words of the result from the texels' bytes in memory order; bytes of border texels are not read.
void filter(const TextureDescriptor& descriptor, const InstructionForm& instruction, const TextureSample& sample,
            const std::byte (*texels)[kMaximumTexelBytes], std::uint32_t* result);

}  // namespace lookahead::isa
