#include "components/frontend/ptx/instruction_rules.h"

#include <fmt/format.h>

#include "components/frontend/ptx/problem.h"

namespace lookahead::ptx {
namespace {

constexpr unsigned kWidestAccessInBytes = 16;

bool rounds_to_integer(Rounding rounding) {
    return rounding == Rounding::rni || rounding == Rounding::rzi || rounding == Rounding::rmi ||
           rounding == Rounding::rpi;
}

enum class RoundingNeed { forbidden, integer_optional, integer_required, required };

/// PTX ISA, section 9.7.9 "cvt".
RoundingNeed rounding_need(Type to, Type from) {
    if (is_floating(to) && is_floating(from)) {
        if (bits(to) < bits(from)) { return RoundingNeed::required; }
        return bits(to) == bits(from) ? RoundingNeed::integer_optional : RoundingNeed::forbidden;
    }
    if (is_floating(to)) { return RoundingNeed::required; }
    return is_floating(from) ? RoundingNeed::integer_required : RoundingNeed::forbidden;
}

void check_conversion(const Instruction& instruction) {
    const Modifiers& m = instruction.modifiers;
    if (m.types[0] == Type::f16x2) { return; }
    const bool none = m.rounding == Rounding::none;
    const bool integer = rounds_to_integer(m.rounding);
    switch (rounding_need(m.types[0], m.types[1])) {
        case RoundingNeed::forbidden:
            if (!none) { fail(instruction.line, "this conversion is exact and takes no rounding"); }
            break;
        case RoundingNeed::integer_optional:
            if (!none && !integer) {
                fail(instruction.line, "this conversion takes .rni, .rzi, .rmi, .rpi or no rounding");
            }
            break;
        case RoundingNeed::integer_required:
            if (!integer) { fail(instruction.line, "this conversion needs .rni, .rzi, .rmi or .rpi"); }
            break;
        case RoundingNeed::required:
            if (none || integer) { fail(instruction.line, "this conversion needs .rn, .rz, .rm or .rp"); }
            break;
    }
    if (m.ftz && m.types[0] != Type::f32 && m.types[1] != Type::f32) {
        fail(instruction.line, ".ftz applies only to conversions from or to .f32");
    }
}

void complete_access(Instruction& instruction) {
    Modifiers& m = instruction.modifiers;
    if (m.vector_width * bytes(m.types[0]) > kWidestAccessInBytes) {
        fail(instruction.line, "a vector access has at most {} bytes", kWidestAccessInBytes);
    }
    if (!m.semantics) { m.semantics = Semantics::weak; }
    if (m.semantics == Semantics::volatile_) { m.scope = Scope::sys; }
}

void complete_atomic(Modifiers& m) {
    if (!m.semantics) { m.semantics = Semantics::relaxed; }
    if (m.scope == Scope::none) { m.scope = Scope::gpu; }
}

}  // namespace

void apply_instruction_rules(Instruction& instruction) {
    Modifiers& m = instruction.modifiers;
    switch (instruction.opcode) {
        case Opcode::cvt:
            return check_conversion(instruction);
        case Opcode::ld:
        case Opcode::ldu:
        case Opcode::st:
            return complete_access(instruction);
        case Opcode::atom:
        case Opcode::red:
            return complete_atomic(m);
        case Opcode::fence:
            if (!m.semantics) { m.semantics = Semantics::acq_rel; }
            return;
        case Opcode::membar:
            m.semantics = Semantics::sc;
            return;
        case Opcode::bar:
            m.aligned = true;
            return;
        default:
            return;
    }
}

}  // namespace lookahead::ptx
