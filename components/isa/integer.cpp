#include <limits>

#include "components/isa/handler_groups.h"
#include "components/isa/lanes.h"
#include "components/isa/modes.h"
#include "core/bits/one_of.h"

namespace lookahead::isa {
namespace {

/// An unsigned type in which arithmetic on T wraps: at least as wide as unsigned, to which C++ promotes.
template <class T>
using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;
template <class T, class OfTwo, class OfFour, class OfEight>
using BySize = std::conditional_t<sizeof(T) == 2, OfTwo, std::conditional_t<sizeof(T) == 4, OfFour, OfEight>>;
/// The type of the same kind that is twice as wide.
template <class T>
using Double = std::conditional_t<std::is_signed_v<T>, BySize<T, std::int32_t, std::int64_t, int128>,
                                  BySize<T, std::uint32_t, std::uint64_t, uint128>>;

template <class T>
T add(T a, T b) {
    return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b));
}
template <class T>
T sub(T a, T b) {
    return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b));
}
template <class T>
T mul_lo(T a, T b) {
    return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b));
}
template <class T>
T mul_hi(T a, T b) {
    return static_cast<T>((Double<T>(a) * Double<T>(b)) >> (8 * sizeof(T)));
}
template <class T>
Double<T> mul_wide(T a, T b) {
    return Double<T>(a) * Double<T>(b);
}
template <class T>
T mad_lo(T a, T b, T c) {
    return add(mul_lo(a, b), c);
}
template <class T>
T mad_hi(T a, T b, T c) {
    return add(mul_hi(a, b), c);
}
template <class T>
Double<T> mad_wide(T a, T b, Double<T> c) {
    return add(mul_wide(a, b), c);
}

/// Sums outside s32 become its least or greatest value (add.sat.s32).
std::int32_t clamp_to_s32(std::int64_t value) {
    constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t greatest = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(value < least ? least : value > greatest ? greatest : value);
}
std::int32_t add_saturating(std::int32_t a, std::int32_t b) {
    return clamp_to_s32(std::int64_t{a} + b);
}
std::int32_t sub_saturating(std::int32_t a, std::int32_t b) {
    return clamp_to_s32(std::int64_t{a} - b);
}
std::int32_t mad_hi_saturating(std::int32_t a, std::int32_t b, std::int32_t c) {
    return add_saturating(mul_hi(a, b), c);
}

/// Division by zero gives a quotient of all ones and the dividend as remainder, as the GPUs' own sequences do. The
/// least value divided by -1 wraps.
template <class T>
T divide(T a, T b) {
    if constexpr (std::is_signed_v<T>) {
        if (b == -1) { return sub(T{0}, a); }
    }
    return b == 0 ? static_cast<T>(~T{0}) : static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
    if constexpr (std::is_signed_v<T>) {
        if (b == -1) { return 0; }
    }
    return b == 0 ? a : static_cast<T>(a % b);
}

/// 32-bit quotients through f64 are exact, because a fractional quotient differs from the next integer by at least
/// 2^-32 of itself; they vectorise.
template <>
std::uint32_t divide(std::uint32_t a, std::uint32_t b) {
    const double quotient = static_cast<double>(std::int64_t{a}) / static_cast<double>(std::int64_t{b | (b == 0)});
    return b == 0 ? ~0u : static_cast<std::uint32_t>(static_cast<std::int64_t>(quotient));
}

template <class T>
T negate(T a) {
    return sub(T{0}, a);
}
template <class T>
T absolute(T a) {
    return a < 0 ? sub(T{0}, a) : a;
}
template <class T>
T least(T a, T b) {
    return b < a ? b : a;
}
template <class T>
T greatest(T a, T b) {
    return a < b ? b : a;
}

/// Adds 64-bit values by words and carries: the words of a value are in separate rows, and joining them for a 64-bit
/// addition takes three times as long.
template <bool kSubtract>
void add_pairs(OperandRows& rows, LaneMask active, const InstructionForm&) {
    alignas(32) std::uint32_t scratch[2][kWarpSize];
    const bool full = active == kFullMask;
    std::uint32_t* const low = full ? rows.destination[0] : scratch[0];
    std::uint32_t* const high = full ? rows.destination[1] : scratch[1];
    const std::uint32_t *const a_low = rows.source[0][0], *const a_high = rows.source[0][1];
    const std::uint32_t *const b_low = rows.source[1][0], *const b_high = rows.source[1][1];
#pragma GCC ivdep
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const std::uint32_t a = a_low[lane], b = b_low[lane];
        const std::uint32_t sum = kSubtract ? a - b : a + b;
        const std::uint32_t carry = kSubtract ? a < b : sum < a;
        const std::uint32_t upper =
            kSubtract ? a_high[lane] - b_high[lane] - carry : a_high[lane] + b_high[lane] + carry;
        low[lane] = sum;
        high[lane] = upper;
    }
    if (full) { return; }
    for (unsigned i = 0; i < 2; ++i) { blend_rows(rows.destination[i], active, scratch[i], rows.destination[i]); }
}

/// a + b + carry, or a + ~b + carry. The carry out of the highest bit of a difference means that nothing was borrowed.
template <class T, bool kSubtract>
void add_with_carry(OperandRows& rows, LaneMask active, const InstructionForm&) {
    constexpr unsigned kRows = sizeof(T) / 4;
    alignas(32) std::uint32_t result[2][kWarpSize];
    const SourceRow<T> a(rows.source[0]), b(rows.source[1]);
    LaneMask out = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const T carry = (rows.source_predicate >> lane & 1) ^ (kSubtract ? 1 : 0);
        const T first = a[lane], second = b[lane];
        const T sum = kSubtract ? first - second - carry : first + second + carry;
        // Without a carry in, the sum has wrapped if it is below an operand; with one, also if it equals an operand.
        const bool wrapped =
            kSubtract ? first < second || (carry != 0 && first == second) : sum < first || (carry != 0 && sum == first);
        out |= LaneMask{wrapped != kSubtract} << lane;
        write_lane<T>(result[0], result[1], lane, sum);
    }
    for (unsigned i = 0; i < kRows; ++i) { blend_rows(rows.destination[i], active, result[i], rows.destination[i]); }
    rows.destination_predicate = merge_lanes(rows.destination_predicate, out, active);
}

AluHandler select_carry(const InstructionForm& instruction) {
    const bool subtract = instruction.operation == Operation::sub_borrow;
    if (is_one_of(instruction.type, Type::u32, Type::s32)) {
        return subtract ? add_with_carry<std::uint32_t, true> : add_with_carry<std::uint32_t, false>;
    }
    if (!is_one_of(instruction.type, Type::u64, Type::s64)) { return nullptr; }
    return subtract ? add_with_carry<std::uint64_t, true> : add_with_carry<std::uint64_t, false>;
}

/// Calls function<whether the first operand is signed, whether the second is>().
AluHandler with_signs(std::uint8_t mode, const auto& function) {
    return with_one_of<0, 1, 2, 3>(mode & (kDotFirstSigned | kDotSecondSigned), [&]<int kMode>() {
        return function.template operator()<(kMode & kDotFirstSigned) != 0, (kMode & kDotSecondSigned) != 0>();
    });
}
/// One operand's part of a dot product.
template <class Unsigned, bool kSigned>
using Part = std::conditional_t<kSigned, std::make_signed_t<Unsigned>, Unsigned>;

template <bool kFirstSigned, bool kSecondSigned>
std::uint32_t dot4(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    using A = Part<std::uint8_t, kFirstSigned>;
    using B = Part<std::uint8_t, kSecondSigned>;
    for (unsigned byte = 0; byte < 4; ++byte) {
        c += static_cast<std::uint32_t>(static_cast<A>(a >> 8 * byte) * static_cast<B>(b >> 8 * byte));
    }
    return c;
}

template <bool kFirstSigned, bool kSecondSigned, bool kUpper>
std::uint32_t dot2(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    using A = Part<std::uint16_t, kFirstSigned>;
    using B = Part<std::uint8_t, kSecondSigned>;
    const std::uint32_t bytes = kUpper ? b >> 16 : b;
    for (unsigned i = 0; i < 2; ++i) {
        const std::int64_t product = std::int64_t{static_cast<A>(a >> 16 * i)} * static_cast<B>(bytes >> 8 * i);
        c += static_cast<std::uint32_t>(product);
    }
    return c;
}

/// Differences of packed values are rare, so the mode is tested for each lane.
void abs_diff(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    alignas(32) std::uint32_t results[kWarpSize];
    const bool halves = (instruction.mode & kDiffHalves) != 0;
    const unsigned width = halves ? 16 : 8;
    const std::uint32_t mask = halves ? 0xffff : 0xff;
    const auto part_of = [&](std::uint32_t word, unsigned shift, bool is_signed) {
        const auto bits = static_cast<std::int32_t>(word >> shift & mask);
        const bool negative = is_signed && (bits >> (width - 1) & 1) != 0;
        return negative ? bits - (std::int32_t{1} << width) : bits;
    };
    const bool sums = (instruction.mode & kDiffSum) != 0;
    const auto most = static_cast<std::int32_t>((instruction.mode & kDiffResultSigned) != 0 ? mask >> 1 : mask);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        std::uint32_t result = sums ? rows.source[2][0][lane] : 0;
        for (unsigned shift = 0; shift < 32; shift += width) {
            const std::int32_t a = part_of(rows.source[0][0][lane], shift, (instruction.mode & kDotFirstSigned) != 0);
            const std::int32_t b = part_of(rows.source[1][0][lane], shift, (instruction.mode & kDotSecondSigned) != 0);
            std::int32_t difference = a < b ? b - a : a - b;
            if (instruction.saturate && difference > most) { difference = most; }
            const auto bits = static_cast<std::uint32_t>(difference);
            result = sums ? result + bits : result | (bits & mask) << shift;
        }
        results[lane] = result;
    }
    blend_rows(rows.destination[0], active, results, rows.destination[0]);
}

template <class T>
AluHandler select_for(Operation operation) {
    if (sizeof(T) == 8 && operation == Operation::add) { return add_pairs<false>; }
    if (sizeof(T) == 8 && operation == Operation::sub) { return add_pairs<true>; }
    return handler_in({{Operation::add, lanewise<&add<T>>},
                       {Operation::sub, lanewise<&sub<T>>},
                       {Operation::mul_lo, lanewise<&mul_lo<T>>},
                       {Operation::mul_hi, lanewise<&mul_hi<T>>},
                       {Operation::mad_lo, lanewise<&mad_lo<T>>},
                       {Operation::mad_hi, lanewise<&mad_hi<T>>},
                       {Operation::div, lanewise<&divide<T>>},
                       {Operation::rem, lanewise<&remainder<T>>},
                       {Operation::min, lanewise<&least<T>>},
                       {Operation::max, lanewise<&greatest<T>>},
                       {Operation::neg, lanewise<&negate<T>>},
                       {Operation::abs, lanewise<&absolute<T>>}},
                      operation);
}

/// The source's type decides; the result is twice as wide.
AluHandler select_wide(const InstructionForm& instruction) {
    if (!is_integer(instruction.source_type)) { return nullptr; }
    return with_integer(instruction.source_type, [&]<class T>() -> AluHandler {
        if constexpr (sizeof(T) == 8) {
            return nullptr;
        } else {
            return instruction.operation == Operation::mul_wide ? lanewise<&mul_wide<T>> : lanewise<&mad_wide<T>>;
        }
    });
}

AluHandler select_saturating(const InstructionForm& instruction) {
    if (instruction.type != Type::s32) { return nullptr; }
    return handler_in({{Operation::add, lanewise<&add_saturating>},
                       {Operation::sub, lanewise<&sub_saturating>},
                       {Operation::mad_hi, lanewise<&mad_hi_saturating>}},
                      instruction.operation);
}

}  // namespace

AluHandler select_integer(const InstructionForm& instruction) {
    if (instruction.operation == Operation::mul_wide || instruction.operation == Operation::mad_wide) {
        return select_wide(instruction);
    }
    if (instruction.operation == Operation::add_carry || instruction.operation == Operation::sub_borrow) {
        return select_carry(instruction);
    }
    if (instruction.operation == Operation::dot4) {
        return with_signs(instruction.mode,
                          []<bool kFirst, bool kSecond>() { return lanewise<&dot4<kFirst, kSecond>>; });
    }
    if (instruction.operation == Operation::dot2) {
        return with_signs(instruction.mode, [&]<bool kFirst, bool kSecond>() {
            return instruction.mode & kDotUpperHalf ? lanewise<&dot2<kFirst, kSecond, true>>
                                                    : lanewise<&dot2<kFirst, kSecond, false>>;
        });
    }
    if (instruction.operation == Operation::abs_diff) { return abs_diff; }
    if (instruction.saturate) { return select_saturating(instruction); }
    if (!is_integer(instruction.type)) { return nullptr; }
    return with_integer(instruction.type, [&]<class T>() { return select_for<T>(instruction.operation); });
}

}  // namespace lookahead::isa
