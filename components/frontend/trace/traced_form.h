#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "components/isa/instruction.h"

namespace lookahead::trace {

/// What a line of a trace says of its instruction, besides lanes and addresses.
struct TracedInstruction {
    std::string opcode;                       ///< with modifiers: "LDG.E.64.CONSTANT"
    std::vector<std::uint32_t> destinations;  ///< numbers of registers; 255 is RZ
    std::vector<std::uint32_t> sources;
    std::uint32_t width = 0;  ///< bytes that a lane accesses; 0: no access to memory

    bool operator==(const TracedInstruction&) const = default;
};

/// The number of RZ.
inline constexpr std::uint32_t kZeroRegister = 255;
/// The registers that an instruction of a trace may name, and the scratch ones that follow them here: where loads
/// without a destination go.
inline constexpr std::uint32_t kScratchRegister = 256;
inline constexpr std::uint32_t kRegisters = kScratchRegister + 4;

/// The machine instruction that takes the traced one's time. It has the registers that are waited for, no addresses,
/// and P0 as its guard. `zeros`: the first of four constant rows, for data that no register holds. Throws an
/// InputError without a place for an opcode that the machine does not have.
isa::Instruction machine_form(const TracedInstruction& traced, std::uint16_t zeros);

}  // namespace lookahead::trace
