#pragma once

#include <cstdint>
#include <string_view>

namespace lookahead::ptx {

/// Instructions that the parser accepts (instructions.def). `add` stands for integer, floating-point and carry-out
/// forms alike: the modifiers tell.
enum class Opcode : std::uint8_t {
#define INSTRUCTION(opcode, modifiers, operands) opcode,
#define FORM(opcode, modifiers, operands)
#include "components/frontend/ptx/instructions.def"
};

/// PTX's word, without modifiers: "and", "brx.idx", "bar.warp.sync".
std::string_view name_of(Opcode opcode);

}  // namespace lookahead::ptx
