// The operations of NVIDIA's native code that PTX does not have (modes.h).
#include <algorithm>
#include <bit>
#include <cmath>

#include "components/isa/float_values.h"
#include "components/isa/half.h"
#include "components/isa/handler_groups.h"
#include "components/isa/instruction.h"
#include "components/isa/lanes.h"
#include "components/isa/modes.h"

namespace lookahead::isa {
namespace {

bool holds(LaneMask lanes, unsigned lane) {
    return (lanes >> lane & 1) != 0;
}

/// A source as a term of a sum. A negated one is ~value + 1, whose carry counts too; with a carry in it is the
/// complement alone.
class Term {
  public:
    Term(const InstructionForm& instruction, unsigned source)
        : flip_((instruction.modifiers & kNegated << source) != 0 ? ~0u : 0u),
          add_((instruction.mode & kWithCarry) != 0 ? 0u : flip_ & 1u) {}
    std::uint64_t operator()(std::uint32_t value) const { return std::uint64_t{value ^ flip_} + add_; }

  private:
    std::uint32_t flip_;
    std::uint32_t add_;
};

/// Writes the lanes' 64-bit sums: the low words to the destination, the bits above to the predicates as carries.
template <class Sum>
void write_sums(OperandRows& rows, LaneMask active, const InstructionForm& form, const Sum& sum_of) {
    const Instruction& instruction = instruction_of(form);
    alignas(32) std::uint32_t low[kWarpSize];
    LaneMask carries = 0, twice = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const std::uint64_t sum = sum_of(lane);
        low[lane] = static_cast<std::uint32_t>(sum);
        carries |= LaneMask{sum >> 32 >= 1} << lane;
        twice |= LaneMask{sum >> 32 >= 2} << lane;
    }
    if (instruction.destination_rows != 0) { blend_rows(rows.destination[0], active, low, rows.destination[0]); }
    rows.destination_predicate = merge_lanes(rows.destination_predicate, carries, active);
    rows.destination_predicate2 = merge_lanes(rows.destination_predicate2, twice, active);
}

std::uint32_t sum_of_three(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return a + b + c;
}

void iadd3(OperandRows& rows, LaneMask active, const InstructionForm& form) {
    const Instruction& instruction = instruction_of(form);
    const bool plain = instruction.destination_predicate == kNoPredicate && instruction.mode == 0;
    if (plain && instruction.modifiers == 0) { return lanewise<&sum_of_three>(rows, active, instruction); }
    const Term a(instruction, 0), b(instruction, 1), c(instruction, 2);
    const bool carries = (instruction.mode & kWithCarry) != 0;
    const LaneMask in = carries ? rows.source_predicate : 0, in2 = carries ? rows.source_predicate2 : 0;
    write_sums(rows, active, instruction, [&](unsigned lane) {
        return a(rows.source[0][0][lane]) + b(rows.source[1][0][lane]) + c(rows.source[2][0][lane]) + holds(in, lane) +
               holds(in2, lane);
    });
}

void lea(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    const Term shifted(instruction, 0), b(instruction, 1);
    const LaneMask in = (instruction.mode & kWithCarry) != 0 ? rows.source_predicate : 0;
    const auto amount = static_cast<unsigned>(instruction.offset);
    const bool high = (instruction.mode & kLeaHigh) != 0, extends = (instruction.mode & kLeaSignExtends) != 0;
    write_sums(rows, active, instruction, [&](unsigned lane) {
        const std::uint32_t word = rows.source[0][0][lane];
        std::uint32_t value = word << amount;
        if (high) {
            const auto sign = static_cast<std::uint32_t>(static_cast<std::int32_t>(word) >> 31);
            const std::uint64_t pair = word | std::uint64_t{extends ? sign : rows.source[2][0][lane]} << 32;
            value = static_cast<std::uint32_t>(pair << amount >> 32);
        }
        return shifted(value) + b(rows.source[1][0][lane]) + holds(in, lane);
    });
}

void mad_carry(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    const Term addend(instruction, 2);
    const bool negated = (instruction.modifiers & kNegated << 1) != 0;
    write_sums(rows, active, instruction, [&](unsigned lane) {
        const std::uint32_t product = rows.source[0][0][lane] * rows.source[1][0][lane];
        return std::uint64_t{negated ? 0u - product : product} + addend(rows.source[2][0][lane]) +
               holds(rows.source_predicate, lane);
    });
}

template <class T>
void mad_high_pair(OperandRows& rows, LaneMask active, const InstructionForm&) {
    alignas(32) std::uint32_t result[kWarpSize];
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
        const auto value = [&](unsigned source) { return Wide{static_cast<T>(rows.source[source][0][lane])}; };
        const std::uint64_t pair = rows.source[2][0][lane] | std::uint64_t{rows.source[2][1][lane]} << 32;
        result[lane] = static_cast<std::uint32_t>((static_cast<std::uint64_t>(value(0) * value(1)) + pair) >> 32);
    }
    blend_rows(rows.destination[0], active, result, rows.destination[0]);
}

std::uint32_t looked_up(std::uint8_t table, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t result = 0;
    for (unsigned i = 0; i < 8; ++i) {
        if ((table >> i & 1) != 0) { result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c); }
    }
    return result;
}

void lop3_test(OperandRows& rows, LaneMask active, const InstructionForm& form) {
    const Instruction& instruction = instruction_of(form);
    alignas(32) std::uint32_t result[kWarpSize];
    LaneMask not_zero = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        result[lane] =
            looked_up(instruction.mode, rows.source[0][0][lane], rows.source[1][0][lane], rows.source[2][0][lane]);
        not_zero |= LaneMask{result[lane] != 0} << lane;
    }
    if (instruction.destination_rows != 0) { blend_rows(rows.destination[0], active, result, rows.destination[0]); }
    const LaneMask tested =
        instruction.combine == Combine::bit_and ? not_zero & rows.source_predicate : not_zero | rows.source_predicate;
    rows.destination_predicate = merge_lanes(rows.destination_predicate, tested, active);
}

void pred_lop3(OperandRows& rows, LaneMask active, const InstructionForm& form) {
    const Instruction& instruction = instruction_of(form);
    const LaneMask third = instruction.vector == 0 ? ~rows.destination_predicate2 : rows.destination_predicate2;
    const LaneMask c = instruction.destination_predicate2 == kNoPredicate ? kFullMask : third;
    rows.destination_predicate =
        merge_lanes(rows.destination_predicate,
                    looked_up(instruction.mode, rows.source_predicate, rows.source_predicate2, c), active);
}

void pred_pack(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    const auto bits = static_cast<std::uint32_t>(instruction.offset);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (!holds(active, lane)) { continue; }
        rows.destination[0][lane] = (rows.source[0][0][lane] & ~bits) | (holds(rows.source_predicate, lane) ? bits : 0);
    }
}

void funnel_shift(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    const unsigned mode = instruction.mode;
    const unsigned width = (mode & kShiftWide) != 0 ? 64 : 32;
    alignas(32) std::uint32_t result[kWarpSize];
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const std::uint64_t pair = rows.source[0][0][lane] | std::uint64_t{rows.source[2][0][lane]} << 32;
        const std::uint32_t count = rows.source[1][0][lane];
        const unsigned amount = (mode & kShiftWraps) != 0 ? count & (width - 1) : std::min(count, width);
        const bool is_signed = (mode & kShiftSigned) != 0;
        std::uint64_t shifted = pair;
        if ((mode & kShiftRight) == 0) {
            shifted = amount > 63 ? 0 : pair << amount;
        } else if (is_signed) {
            shifted = static_cast<std::uint64_t>(static_cast<std::int64_t>(pair) >> std::min(amount, 63u));
        } else {
            shifted = amount > 63 ? 0 : pair >> amount;
        }
        result[lane] = static_cast<std::uint32_t>((mode & kShiftHigh) != 0 ? shifted >> 32 : shifted);
    }
    blend_rows(rows.destination[0], active, result, rows.destination[0]);
}

template <class T>
std::uint32_t extend(std::uint32_t value, std::uint32_t width) {
    if (width >= 32) { return value; }
    if (width == 0) { return 0; }
    return static_cast<std::uint32_t>(static_cast<T>(value << (32 - width)) >> (32 - width));
}

/// `width` ones from `position` on.
std::uint32_t bit_mask(std::uint32_t position, std::uint32_t width) {
    const std::uint32_t ones = width >= 32 ? ~0u : (1u << width) - 1;
    return position >= 32 ? 0 : ones << position;
}

template <class T>
T extreme(bool least, T a, T b) {
    if constexpr (std::is_same_v<T, float>) {
        if (a != a) { return canonical(b); }
        if (b != b) { return a; }
        if (a == b) {
            const auto x = std::bit_cast<std::uint32_t>(a), y = std::bit_cast<std::uint32_t>(b);
            return std::bit_cast<float>(least ? x | y : x & y);
        }
    }
    return (a < b) == least ? a : b;
}

template <class T, Operation kOperation>
void choose(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    const auto value = [&](unsigned source, unsigned lane) {
        const auto given = std::bit_cast<T>(rows.source[source][0][lane]);
        if constexpr (std::is_same_v<T, float>) { return instruction.flush_to_zero ? flush<true>(given) : given; }
        return given;
    };
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (!holds(active, lane)) { continue; }
        const bool least = holds(rows.source_predicate, lane);
        T result = value(0, lane);
        if constexpr (std::is_same_v<T, float>) {
            const float other = value(1, lane);
            if ((instruction.mode & kPassesNan) != 0 && (result != result || other != other)) {
                rows.destination[0][lane] = kNan32;
                continue;
            }
        }
        if constexpr (kOperation == Operation::add_extreme) {
            const std::uint32_t sum = rows.source[0][0][lane] + rows.source[1][0][lane];
            result = extreme(least, std::bit_cast<T>(sum), value(2, lane));
        } else {
            result = extreme(least, result, value(1, lane));
        }
        if constexpr (kOperation == Operation::extreme_of_3) { result = extreme(least, result, value(2, lane)); }
        rows.destination[0][lane] = std::bit_cast<std::uint32_t>(result);
    }
}

/// Chooses for both 16-bit halves of the words.
template <class T>
void choose_pairs(OperandRows& rows, LaneMask active, const InstructionForm&) {
    alignas(32) std::uint32_t result[kWarpSize];
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        result[lane] = 0;
        for (const unsigned shift : {0u, 16u}) {
            const auto value = [&](unsigned source) { return static_cast<T>(rows.source[source][0][lane] >> shift); };
            const T chosen = extreme(holds(rows.source_predicate, lane), value(0), value(1));
            result[lane] |= std::uint32_t{static_cast<std::uint16_t>(chosen)} << shift;
        }
    }
    blend_rows(rows.destination[0], active, result, rows.destination[0]);
}

template <Operation kOperation>
AluHandler choose_by_type(Type type) {
    if (type == Type::f32 && kOperation != Operation::add_extreme) { return choose<float, kOperation>; }
    return type == Type::s32 ? choose<std::int32_t, kOperation> : choose<std::uint32_t, kOperation>;
}

/// Rounding twice is harmless, because a double has more than twice the digits.
template <bool kFlush>
void scaled_product(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    alignas(32) std::uint32_t result[kWarpSize];
    const auto value = [&](unsigned source, unsigned lane) {
        return double{flush<kFlush>(std::bit_cast<float>(rows.source[source][0][lane]))};
    };
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const auto product = static_cast<float>(std::ldexp(value(0, lane) * value(1, lane), instruction.offset));
        const float whole = instruction.saturate ? finish<kFlush, true>(product) : finish<kFlush, false>(product);
        result[lane] = std::bit_cast<std::uint32_t>(whole);
    }
    blend_rows(rows.destination[0], active, result, rows.destination[0]);
}

/// Whether a / b needs the general way: the quick one (a reciprocal and Newton steps without scaling) would lose bits
/// to subnormals or overflow. NVIDIA does not document the exact ranges.
bool needs_general_division(std::uint32_t a, std::uint32_t b) {
    const int dividend = a >> 23 & 0xff, divisor = b >> 23 & 0xff;
    if (divisor == 0 || divisor >= 253 || dividend == 255) { return true; }
    if ((a & 0x7fffffffu) == 0) { return true; }
    const int quotient = dividend - divisor;
    return dividend <= 24 || quotient < -124 || quotient > 125;
}

void check_division(OperandRows& rows, LaneMask active, const InstructionForm&) {
    const LaneMask general =
        test_lanes<std::uint32_t, std::uint32_t>(rows, needs_general_division, std::make_index_sequence<2>{});
    rows.destination_predicate = merge_lanes(rows.destination_predicate, general, active);
}

/// source[0] becomes the upper half.
std::uint32_t pack_halves(float upper, float lower) {
    return std::uint32_t{half_of(upper, Rounding::rn)} << 16 | half_of(lower, Rounding::rn);
}

/// The value of the first active lane, in all lanes.
void broadcast(OperandRows& rows, LaneMask active, const InstructionForm&) {
    const std::uint32_t value = rows.source[0][0][std::countr_zero(active)];
    std::fill_n(rows.destination[0], kWarpSize, value);
}

}  // namespace

AluHandler select_native(const InstructionForm& instruction) {
    switch (instruction.operation) {
        case Operation::iadd3:
            return iadd3;
        case Operation::sign_extend:
            return instruction.type == Type::s32 ? lanewise<&extend<std::int32_t>> : lanewise<&extend<std::uint32_t>>;
        case Operation::mad_high_pair:
            return instruction.type == Type::s32 ? mad_high_pair<std::int32_t> : mad_high_pair<std::uint32_t>;
        case Operation::scaled_product:
            return instruction.flush_to_zero ? scaled_product<true> : scaled_product<false>;
        case Operation::choose_extreme:
            if (instruction.type == Type::u16) { return choose_pairs<std::uint16_t>; }
            if (instruction.type == Type::s16) { return choose_pairs<std::int16_t>; }
            return choose_by_type<Operation::choose_extreme>(instruction.type);
        case Operation::add_extreme:
            return choose_by_type<Operation::add_extreme>(instruction.type);
        case Operation::extreme_of_3:
            return choose_by_type<Operation::extreme_of_3>(instruction.type);
        default:
            return handler_in({{Operation::lea, lea},
                               {Operation::mad_carry, mad_carry},
                               {Operation::lop3_test, lop3_test},
                               {Operation::funnel_shift, funnel_shift},
                               {Operation::bit_mask, lanewise<&bit_mask>},
                               {Operation::pred_lop3, pred_lop3},
                               {Operation::pred_pack, pred_pack},
                               {Operation::check_division, check_division},
                               {Operation::pack_halves, lanewise<&pack_halves>},
                               {Operation::broadcast, broadcast}},
                              instruction.operation);
    }
}

}  // namespace lookahead::isa
