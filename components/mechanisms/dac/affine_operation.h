#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "components/mechanisms/dac/classes.h"

namespace lookahead::dac {

/// A flag in the condition of a join, to tell it from the condition of the block's first instruction.
inline constexpr Condition kJoinCondition = Condition{1} << 63;
inline Condition condition_of(finaliser::Position at) {
    return Condition{at.block} << 32 | at.index;
}

Class other(Reason reason);
/// The class of a register that holds `a` or `b`: the more general kind (section 4.7).
Class joined(const Class& a, const Class& b);
Class with_condition(Class made, Condition condition);
/// The class of a register that holds one of `choices`, selected by a predicate of class `predicate`.
Class chosen(const Class& predicate, std::span<const Class> choices, Condition condition);

/// Whether the instruction is a signed right shift that leaves only the sign: nvcc makes (x >> 31) & y of x < 0 ? y :
/// 0.
bool makes_mask(const finaliser::VirtualKernel& kernel, const finaliser::VirtualInstruction& instruction);

/// The class of a constant; `literal` is its value if it is known before launch.
Class constant_class(std::optional<std::uint64_t> literal, const finaliser::VirtualOperand& operand);
/// The class of a result that depends on no source's class: special registers, and values that are never affine.
Class given_class(const finaliser::VirtualKernel& kernel, const finaliser::VirtualInstruction& instruction);
/// The class of the result for sources that are neither `none` nor `other`. An operation is accepted if its tuple is
/// exact for every thread, even if registers wrap around: sums and products are, modulo 2^32 or 2^64. If the number
/// itself matters (a wider result, a remainder), the tuple must be mod-type, or a bound must prove that nothing wraps.
Class affine_result(const finaliser::VirtualKernel& kernel, const finaliser::VirtualInstruction& instruction,
                    const std::array<Class, 4>& sources, const std::array<Class, 2>& predicates, Condition condition);

}  // namespace lookahead::dac
