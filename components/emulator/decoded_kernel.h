#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "components/device/device.h"
#include "components/isa/decoded_instruction.h"
#include "components/isa/kernel.h"

namespace lookahead {

/// Rows after the launch's constants in the frame of a warp: dequeued addresses, low and high words.
inline constexpr std::uint32_t kDequeuedRows = 2;

/// An instruction with the places of its rows, as words from the start of the warp's frame: its registers, then the
/// launch's constants.
struct EmulatedInstruction : isa::DecodedInstruction {
    std::uint32_t destination = 0;          ///< the first row
    std::array<std::uint32_t, 4> source{};  ///< likewise
    std::uint32_t member_row = 0;
    std::uint8_t lane_bytes = 0;  ///< of a memory access; of one element of a vector memory instruction
    /// The allocation that the instruction accessed last: most instructions stay in one.
    DeviceAddress allocation = 0;
    std::uint64_t allocation_bytes = 0;
};

/// Whether the kernel's own code dequeues.
bool dequeues(const isa::Kernel& kernel);

/// Throws InputError, with the place in the PTX, for an instruction without semantics.
std::vector<EmulatedInstruction> decode(const isa::Kernel& kernel, isa::SimtModel simt);

}  // namespace lookahead
