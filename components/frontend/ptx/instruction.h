#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "components/frontend/ptx/modifiers.h"
#include "components/frontend/ptx/opcode.h"
#include "components/frontend/ptx/operand.h"

namespace lookahead::ptx {

/// `@p` or `@!p`: the instruction acts only in threads where the predicate holds (does not hold).
struct Guard {
    std::uint32_t reg = 0;  ///< index into Function::registers
    bool negated = false;
};

/// One typed PTX instruction. Operands stand in the order written, destinations first: `setp.lt.s32 p|q, a,
/// b` has destinations p, q; `shfl.sync ... d|p` has d, p; a missing second destination is absent, not a
/// sink. st and red have no destinations and the address as their first source; call has its results (as
/// `arguments`, if it has any) as destination, then the callee, the arguments (if any) and the prototype
/// (indirect calls).
struct Instruction {
    Opcode opcode = Opcode::mov;
    Modifiers modifiers{};
    std::optional<Guard> guard{};
    std::uint32_t destination_count = 0;
    std::vector<Operand> operands{};
    std::uint32_t line = 0;  ///< in the PTX file, from 1
    std::string text{};      ///< as written, blanks normalised, without the semicolon

    Type type() const { return modifiers.types[0]; }
    std::span<const Operand> destinations() const { return std::span(operands).first(destination_count); }
    std::span<const Operand> sources() const { return std::span(operands).subspan(destination_count); }
};

}  // namespace lookahead::ptx
