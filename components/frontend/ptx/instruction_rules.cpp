#include "components/frontend/ptx/instruction_rules.h"

#include "components/frontend/ptx/problem.h"

namespace lookahead::ptx {
namespace {

constexpr unsigned kWidestAccessInBytes = 16;

bool rounds_to_integer(Rounding rounding) {
    return rounding == Rounding::rni || rounding == Rounding::rzi || rounding == Rounding::rmi ||
           rounding == Rounding::rpi;
}

/// The kinds of rounding that a conversion may have, and the sentence about others.
struct RoundingRule {
    bool none, to_integer, other;
    const char* sentence;
};
constexpr RoundingRule kExact{true, false, false, "this conversion is exact and takes no rounding"};
constexpr RoundingRule kIntegerOptional{true, true, false,
                                        "this conversion takes .rni, .rzi, .rmi, .rpi or no rounding"};
constexpr RoundingRule kIntegerRequired{false, true, false, "this conversion needs .rni, .rzi, .rmi or .rpi"};
constexpr RoundingRule kRequired{false, false, true, "this conversion needs .rn, .rz, .rm or .rp"};

/// PTX ISA, section 9.7.9 "cvt".
const RoundingRule& rounding_rule(Type to, Type from) {
    if (is_floating(to) && is_floating(from)) {
        if (bits(to) < bits(from)) { return kRequired; }
        return bits(to) == bits(from) ? kIntegerOptional : kExact;
    }
    if (is_floating(to)) { return kRequired; }
    return is_floating(from) ? kIntegerRequired : kExact;
}

void check_conversion(const Instruction& instruction) {
    const Modifiers& m = instruction.modifiers;
    if (m.types[0] == Type::f16x2) { return; }
    const RoundingRule& rule = rounding_rule(m.types[0], m.types[1]);
    const bool fits = m.rounding == Rounding::none    ? rule.none
                      : rounds_to_integer(m.rounding) ? rule.to_integer
                                                      : rule.other;
    if (!fits) { fail(instruction.line, rule.sentence); }
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
