#include "components/isa/float_values.h"
#include "components/isa/half.h"
#include "components/isa/handler_groups.h"
#include "components/isa/lanes.h"
#include "components/isa/modes.h"
#include "core/bits/one_of.h"

namespace lookahead::isa {
namespace {

/// Converts a lane's value of type T for comparison.
template <class T>
struct Compared {
    using Lane = T;
    static T value(T lane) { return lane; }
};
/// Stands for f16, which is compared as f32.
struct Half {};
template <>
struct Compared<Half> {
    using Lane = std::uint16_t;
    static float value(std::uint16_t lane) { return float_of_half(lane); }
};

/// A half of f16x2.
template <unsigned kShift>
struct HalfAt {};
template <unsigned kShift>
struct Compared<HalfAt<kShift>> {
    using Lane = std::uint32_t;
    static float value(std::uint32_t lane) { return float_of_half(static_cast<std::uint16_t>(lane >> kShift)); }
};
/// Stands for f16x2.
struct Halves {};

/// Compares two values; for floats eq to ge are false if one is NaN, equ to geu are true (PTX ISA, setp).
template <class T, Comparison kComparison, bool kFlush>
bool holds(typename Compared<T>::Lane a_lane, typename Compared<T>::Lane b_lane) {
    auto a = Compared<T>::value(a_lane);
    auto b = Compared<T>::value(b_lane);
    if constexpr (kFlush) {
        a = flush<true>(a);
        b = flush<true>(b);
    }
    switch (kComparison) {
        case Comparison::eq:
            return a == b;
        case Comparison::ne:
            return (a < b) | (a > b);
        case Comparison::lt:
            return a < b;
        case Comparison::le:
            return a <= b;
        case Comparison::gt:
            return a > b;
        case Comparison::ge:
            return a >= b;
        case Comparison::equ:
            return !((a < b) | (a > b));
        case Comparison::neu:
            return !(a == b);
        case Comparison::ltu:
            return !(a >= b);
        case Comparison::leu:
            return !(a > b);
        case Comparison::gtu:
            return !(a <= b);
        case Comparison::geu:
            return !(a < b);
        case Comparison::num:
            return (a == a) & (b == b);
        case Comparison::nan:
            return (a != a) | (b != b);
        default:
            return false;
    }
}

LaneMask combined(Combine combine, LaneMask comparison, LaneMask predicate) {
    switch (combine) {
        case Combine::bit_and:
            return comparison & predicate;
        case Combine::bit_or:
            return comparison | predicate;
        case Combine::bit_xor:
            return comparison ^ predicate;
        default:
            return comparison;
    }
}

template <class T, Comparison kComparison, bool kFlush>
LaneMask compare(const OperandRows& rows) {
    using Lane = typename Compared<T>::Lane;
    return test_lanes<Lane, Lane>(rows, holds<T, kComparison, kFlush>, std::make_index_sequence<2>{});
}

/// p = (a cmp b) op c, q = !(a cmp b) op c.
void write_predicates(OperandRows& rows, LaneMask active, const InstructionForm& instruction, LaneMask comparison) {
    const LaneMask first = combined(instruction.combine, comparison, rows.source_predicate);
    const LaneMask second = combined(instruction.combine, ~comparison, rows.source_predicate);
    rows.destination_predicate = merge_lanes(rows.destination_predicate, first, active);
    rows.destination_predicate2 = merge_lanes(rows.destination_predicate2, second, active);
}

template <class T, Comparison kComparison, bool kFlush>
void set_predicate(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    write_predicates(rows, active, instruction, compare<T, kComparison, kFlush>(rows));
}

/// Compares 64-bit values by their high words, given the result for the low words.
template <class T, Comparison kComparison>
void set_predicate_extended(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    const LaneMask equal = compare<T, Comparison::eq, false>(rows);
    const LaneMask high = compare<T, kComparison, false>(rows);
    write_predicates(rows, active, instruction, merge_lanes(high, rows.source_predicate2, equal));
}

template <bool kLeast>
void set_predicate_extreme(OperandRows& rows, LaneMask active, const InstructionForm&) {
    LaneMask first = 0, none = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const auto value = [&](unsigned source) {
            const std::uint64_t high = rows.source[source][1][lane];
            return std::bit_cast<double>(high << 32 | rows.source[source][0][lane]);
        };
        const double a = value(0), b = value(1);
        const bool less = a < b || (a == b && std::signbit(a) > std::signbit(b));
        const bool more = a > b || (a == b && std::signbit(a) < std::signbit(b));
        first |= LaneMask{(kLeast ? less : more) || (std::isnan(b) && !std::isnan(a))} << lane;
        none |= LaneMask{std::isnan(a) && std::isnan(b)} << lane;
    }
    rows.destination_predicate = merge_lanes(rows.destination_predicate, first, active);
    rows.destination_predicate2 = merge_lanes(rows.destination_predicate2, none, active);
}

template <class T>
AluHandler select_extended(Comparison comparison) {
    using enum Comparison;
    return with_one_of<eq, ne, lt, le, gt, ge>(
        comparison, []<Comparison kComparison>() { return set_predicate_extended<T, kComparison>; });
}

/// The value for true: all ones for integers, 1.0 for floats. False is 0.
std::uint32_t truth_of(Type type) {
    using enum Type;
    if (type == f32) { return std::bit_cast<std::uint32_t>(1.0f); }
    if (is_one_of(type, f16, f16x2)) { return kOne16; }
    return is_one_of(type, u16, s16) ? 0xffff : ~0u;
}

template <class T, Comparison kComparison, bool kFlush>
void set_register(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    const LaneMask comparison = compare<T, kComparison, kFlush>(rows);
    const LaneMask result = combined(instruction.combine, comparison, rows.source_predicate) & active;
    const std::uint32_t truth = truth_of(instruction.type);
    std::uint32_t* const destination = rows.destination[0];
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const std::uint32_t value = (result >> lane & 1) ? truth : 0;
        destination[lane] = (active >> lane & 1) ? value : destination[lane];
    }
}

/// Each half of f16x2 gives a half of the result.
template <Comparison kComparison>
void set_halves(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    const auto result = [&](LaneMask comparison) {
        return combined(instruction.combine, comparison, rows.source_predicate);
    };
    const LaneMask low = result(compare<HalfAt<0>, kComparison, false>(rows));
    const LaneMask high = result(compare<HalfAt<16>, kComparison, false>(rows));
    const std::uint32_t truth = instruction.type == Type::f16x2 ? kOne16 : 0xffff;
    std::uint32_t* const destination = rows.destination[0];
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const std::uint32_t value = (low >> lane & 1 ? truth : 0) | (high >> lane & 1 ? truth << 16 : 0);
        destination[lane] = (active >> lane & 1) ? value : destination[lane];
    }
}

template <class T, Comparison kComparison, bool kFlush>
AluHandler select_one(Operation operation) {
    if constexpr (std::is_same_v<T, Halves>) {
        return operation == Operation::set ? set_halves<kComparison> : nullptr;
    } else {
        return operation == Operation::setp ? set_predicate<T, kComparison, kFlush>
                                            : set_register<T, kComparison, kFlush>;
    }
}

template <class T>
AluHandler select_ordered(const InstructionForm& instruction) {
    using enum Comparison;
    return with_one_of<eq, ne, lt, le, gt, ge>(instruction.comparison, [&]<Comparison kComparison>() {
        return select_one<T, kComparison, false>(instruction.operation);
    });
}

template <class T, bool kFlush>
AluHandler select_floating(const InstructionForm& instruction) {
    using enum Comparison;
    return with_one_of<eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan>(
        instruction.comparison,
        [&]<Comparison kComparison>() { return select_one<T, kComparison, kFlush>(instruction.operation); });
}

AluHandler select_by_type(const InstructionForm& instruction, Type compared) {
    switch (compared) {
        case Type::f32:
            return instruction.flush_to_zero ? select_floating<float, true>(instruction)
                                             : select_floating<float, false>(instruction);
        case Type::f16:
            return instruction.flush_to_zero ? nullptr : select_floating<Half, false>(instruction);
        case Type::f16x2:
            return instruction.flush_to_zero ? nullptr : select_floating<Halves, false>(instruction);
        case Type::f64:
            return select_floating<double, false>(instruction);
        default:
            return with_integer(compared, [&]<class T>() { return select_ordered<T>(instruction); });
    }
}

}  // namespace

AluHandler select_compare(const InstructionForm& instruction) {
    if (instruction.operation == Operation::setp &&
        instruction.mode == static_cast<std::uint8_t>(CompareMode::extended)) {
        return instruction.type == Type::s32   ? select_extended<std::int32_t>(instruction.comparison)
               : instruction.type == Type::u32 ? select_extended<std::uint32_t>(instruction.comparison)
                                               : nullptr;
    }
    if (instruction.operation == Operation::setp && instruction.mode != 0) {
        if (instruction.type != Type::f64) { return nullptr; }
        const bool least = instruction.mode == static_cast<std::uint8_t>(CompareMode::least);
        return least ? set_predicate_extreme<true> : set_predicate_extreme<false>;
    }
    if (instruction.operation == Operation::setp) { return select_by_type(instruction, instruction.type); }
    if (instruction.operation != Operation::set) { return nullptr; }
    using enum Type;
    return is_one_of(instruction.type, u16, s16, u32, s32, f16, f16x2, f32)
               ? select_by_type(instruction, instruction.source_type)
               : nullptr;
}

}  // namespace lookahead::isa
