#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "components/mechanisms/dac/classes.h"

namespace lookahead::dac {

/// Set in a join's condition, so that it differs from that of the block's first instruction.
inline constexpr Condition kJoinCondition = Condition{1} << 63;
inline Condition condition_of(finaliser::Position at) {
    return Condition{at.block} << 32 | at.index;
}

Class other(Reason reason);
/// What a register holds that has one or the other: the most general kind (section 4.7).
Class joined(const Class& a, const Class& b);
Class with_condition(Class made, Condition condition);
/// What a register holds that has one of `choices` by a predicate's class.
Class chosen(const Class& predicate, std::span<const Class> choices, Condition condition);

/// A signed shift to the right that leaves nothing but the sign: nvcc's x < 0 ? y : 0 is (x >> 31) & y.
bool makes_mask(const finaliser::VirtualKernel& kernel, const finaliser::VirtualInstruction& instruction);

/// `literal`: the constant's value where it is known before launch.
Class constant_class(std::optional<std::uint64_t> literal, const finaliser::VirtualOperand& operand);
/// The class of a result that does not depend on those of sources: special registers, and what is never affine.
Class given_class(const finaliser::VirtualKernel& kernel, const finaliser::VirtualInstruction& instruction);
/// The class of the result from those of the sources, none of which is `none` or `other`. Each operation is accepted
/// where the tuple that it makes is exact for every thread, also where registers wrap around: sums and products of
/// tuples are, modulo 2^32 or 2^64, and where the number itself counts (a wider result, a remainder) a mod-type tuple
/// is or a bound shows that nothing wraps.
Class affine_result(const finaliser::VirtualKernel& kernel, const finaliser::VirtualInstruction& instruction,
                    const std::array<Class, 4>& sources, const std::array<Class, 2>& predicates, Condition condition);

}  // namespace lookahead::dac
