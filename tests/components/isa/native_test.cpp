// The operations of native code (components/isa/native.cpp) and the modifiers of its sources, against plain formulas.
#include <algorithm>
#include <cmath>

#include "components/isa/decoded_instruction.h"
#include "components/isa/half.h"
#include "components/isa/modes.h"
#include "tests/components/isa/handler_harness.h"

namespace lookahead::isa {
namespace {

using test::as;
using test::bits_of;
using test::instruction_of;
__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;
constexpr std::uint64_t kWord = std::uint64_t{1} << 32;

/// What a lane reads: its sources, whole if they have 64 bits, its source predicates, and the old destinations.
struct Lane {
    std::uint64_t a, b, c;
    bool p, q, old, old2;
};
/// What it should write.
struct NativeResult {
    std::uint64_t value = 0;
    bool first = false, second = false;  ///< the destination predicates
};
using Reference = std::function<NativeResult(const Lane&)>;

/// Registers 1 to 3 (pairs), predicates 1 and 2 to read and 3 and 4 to write.
Instruction native(Operation operation, Type type, std::uint8_t mode = 0, unsigned sources = 3) {
    Instruction to = instruction_of(operation, type, {.mode = mode});
    for (unsigned i = 0; i < sources; ++i) { to.source[i] = {Operand::Kind::reg, 1, 0}; }
    to.source_predicate = 1;
    to.source_predicate2 = 2;
    to.destination_predicate = 3;
    to.destination_predicate2 = 4;
    to.destination_rows = 1;
    return to;
}

/// Executes the instruction on edge and random values; compares each active lane with `expected`. The others keep
/// what they had, unless the instruction is uniform: then all lanes are written.
void check(const Instruction& to, const Reference& expected, const std::function<std::uint64_t(unsigned)>& draw = {}) {
    auto& random = test::random_bits();
    const DecodedInstruction decoded = decode(to, SimtModel::stack);
    REQUIRE_FALSE(lacks_handler(decoded));
    for (int round = 0; round < 60; ++round) {
        Row source[3][2], destination[2];
        OperandRows rows{};
        for (unsigned i = 0; i < 3; ++i) {
            for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                const std::uint64_t value = draw ? draw(i) : test::random_value();
                source[i][0].lanes[lane] = static_cast<std::uint32_t>(value);
                source[i][1].lanes[lane] = static_cast<std::uint32_t>(value >> 32);
            }
            for (unsigned word = 0; word < 2; ++word) { rows.source[i][word] = source[i][word].lanes; }
        }
        for (unsigned word = 0; word < 2; ++word) {
            for (std::uint32_t& lane : destination[word].lanes) { lane = static_cast<std::uint32_t>(random()); }
            rows.destination[word] = destination[word].lanes;
        }
        // A destination may be a source.
        if (round % 4 == 1) { rows.destination[0] = source[0][0].lanes; }
        rows.source_predicate = static_cast<LaneMask>(random());
        rows.source_predicate2 = static_cast<LaneMask>(random());
        rows.destination_predicate = static_cast<LaneMask>(random());
        rows.destination_predicate2 = static_cast<LaneMask>(random());
        const LaneMask active =
            round % 3 == 0 ? kFullMask : static_cast<LaneMask>(random()) | LaneMask{1} << round % 32;
        const LaneMask written = to.uniform ? kFullMask : active;
        NativeResult results[kWarpSize];
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            const auto bit = [&](LaneMask mask) { return (mask >> lane & 1) != 0; };
            const auto value = [&](unsigned i) {
                const std::uint64_t high = to.source[i].rows == 2 ? source[i][1].lanes[lane] : 0;
                return source[i][0].lanes[lane] | high << 32;
            };
            const bool old = bit(rows.destination_predicate), old2 = bit(rows.destination_predicate2);
            const std::uint64_t before = rows.destination[0][lane] | std::uint64_t{rows.destination[1][lane]} << 32;
            results[lane] = {before, old, old2};
            if (!bit(written)) { continue; }
            results[lane] = expected(
                {value(0), value(1), value(2), bit(rows.source_predicate), bit(rows.source_predicate2), old, old2});
            if (to.destination_rows < 2) {
                results[lane].value = (before & ~(kWord - 1)) | (results[lane].value & (kWord - 1));
            }
            if (to.destination_rows == 0) { results[lane].value = before; }
        }
        execute(decoded, rows, active);
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            const std::uint64_t value = rows.destination[0][lane] | std::uint64_t{rows.destination[1][lane]} << 32;
            CAPTURE(static_cast<int>(to.operation));
            CAPTURE(static_cast<int>(to.mode));
            CAPTURE(to.modifiers);
            REQUIRE(value == results[lane].value);
            if (to.destination_predicate != kNoPredicate) {
                REQUIRE((rows.destination_predicate >> lane & 1) == results[lane].first);
            }
            if (to.destination_predicate2 != kNoPredicate) {
                REQUIRE((rows.destination_predicate2 >> lane & 1) == results[lane].second);
            }
        }
    }
}

/// A term of a sum with carries: negated it is 2^32 less the value, or with a carry in the complement.
std::uint64_t term(std::uint64_t value, bool negated, bool with_carry) {
    return !negated ? value : (with_carry ? kWord - 1 : kWord) - value;
}
NativeResult sum_of(std::uint64_t sum) {
    return {sum % kWord, sum >= kWord, sum >= 2 * kWord};
}

TEST_CASE("iadd3 adds three terms, each negated or not, and both carries; it has two carries out") {
    for (unsigned negated = 0; negated < 8; ++negated) {
        for (const bool with_carry : {false, true}) {
            for (const std::uint8_t rows : {0, 1}) {
                Instruction to = native(Operation::iadd3, Type::u32, with_carry ? kWithCarry : 0);
                to.modifiers = static_cast<std::uint16_t>(negated);
                to.destination_rows = rows;
                check(to, [=](const Lane& lane) {
                    return sum_of(term(lane.a, negated & 1, with_carry) + term(lane.b, negated & 2, with_carry) +
                                  term(lane.c, negated & 4, with_carry) + (with_carry ? lane.p + lane.q : 0));
                });
            }
        }
    }
    Instruction plain = native(Operation::iadd3, Type::u32);
    plain.destination_predicate = plain.destination_predicate2 = kNoPredicate;
    check(plain, [](const Lane& lane) { return NativeResult{lane.a + lane.b + lane.c}; });
}

TEST_CASE("lea adds a shifted value: its low word, or the high one of a pair or of a value with its sign") {
    for (const std::int32_t amount : {0, 1, 2, 7, 24, 31}) {
        for (const std::uint8_t form : {0, +kLeaHigh, kLeaHigh | kLeaSignExtends}) {
            for (unsigned negated = 0; negated < 4; ++negated) {
                for (const bool with_carry : {false, true}) {
                    const auto mode = static_cast<std::uint8_t>(form | (with_carry ? kWithCarry : 0));
                    Instruction to = native(Operation::lea, Type::u32, mode);
                    to.offset = amount;
                    to.modifiers = static_cast<std::uint16_t>(negated);
                    to.destination_predicate2 = kNoPredicate;
                    check(to, [=](const Lane& lane) {
                        const Wide power = Wide{1} << amount;
                        Wide shifted = lane.a * power;
                        if (form == kLeaHigh) { shifted = (lane.a + Wide{lane.c} * kWord) * power / kWord; }
                        if (form == (kLeaHigh | kLeaSignExtends)) {
                            const SignedWide value = as<std::int32_t>(lane.a);
                            shifted = static_cast<Wide>((value * static_cast<SignedWide>(power)) >> 32);
                        }
                        return sum_of(term(static_cast<std::uint64_t>(shifted % kWord), negated & 1, with_carry) +
                                      term(lane.b, negated & 2, with_carry) + (with_carry && lane.p));
                    });
                }
            }
        }
    }
}

TEST_CASE("products with a carry, and high words of a product plus 64 bits") {
    for (unsigned negated = 0; negated < 4; ++negated) {
        Instruction to = native(Operation::mad_carry, Type::u32, kWithCarry);
        to.modifiers = static_cast<std::uint16_t>(negated << 1);
        to.destination_predicate2 = kNoPredicate;
        check(to, [=](const Lane& lane) {
            const std::uint64_t product = lane.a * lane.b % kWord;
            const std::uint64_t signed_product = (negated & 1) != 0 ? (kWord - product) % kWord : product;
            return sum_of(signed_product + term(lane.c, negated & 2, true) + lane.p);
        });
    }
    for (const Type type : {Type::u32, Type::s32}) {
        Instruction to = native(Operation::mad_high_pair, type);
        to.source[2].rows = 2;
        to.destination_predicate = to.destination_predicate2 = kNoPredicate;
        check(to, [=](const Lane& lane) {
            const SignedWide product = type == Type::s32
                                           ? SignedWide{as<std::int32_t>(lane.a)} * as<std::int32_t>(lane.b)
                                           : SignedWide{lane.a} * SignedWide{lane.b};
            return NativeResult{
                static_cast<std::uint64_t>(static_cast<Wide>(product + SignedWide{lane.c}) / kWord % kWord)};
        });
    }
}

/// The table's bit for three inputs.
bool in_table(unsigned table, bool a, bool b, bool c) {
    return (table >> (a * 4 + b * 2 + c) & 1) != 0;
}

TEST_CASE("lop3_test looks bits up and tells whether any is set, pred_lop3 looks predicates up") {
    for (const std::uint8_t table : {0x00, 0xff, 0xc0, 0x96, 0xe8, 0x1b, 0x80, 0x01}) {
        for (const Combine combine : {Combine::bit_and, Combine::bit_or}) {
            for (const std::uint8_t rows : {0, 1}) {
                Instruction to = native(Operation::lop3_test, Type::b32, table);
                to.combine = combine;
                to.destination_rows = rows;
                to.destination_predicate2 = kNoPredicate;
                check(to, [=](const Lane& lane) {
                    NativeResult result;
                    for (unsigned i = 0; i < 32; ++i) {
                        const bool bit = in_table(table, lane.a >> i & 1, lane.b >> i & 1, lane.c >> i & 1);
                        result.value |= std::uint64_t{bit} << i;
                    }
                    const bool any = result.value != 0;
                    result.first = combine == Combine::bit_and ? any && lane.p : any || lane.p;
                    return result;
                });
            }
        }
        for (const bool negated : {false, true}) {
            Instruction to = native(Operation::pred_lop3, Type::none, table, 0);
            to.destination_rows = 0;
            to.vector = negated ? 0 : 1;
            check(to, [=](const Lane& lane) {
                return NativeResult{0, in_table(table, lane.p, lane.q, lane.old2 != negated), lane.old2};
            });
            to.destination_predicate2 = kNoPredicate;
            check(to, [=](const Lane& lane) { return NativeResult{0, in_table(table, lane.p, lane.q, true)}; });
        }
    }
}

TEST_CASE("pred_pack sets or clears the bits of its mask") {
    for (const std::int32_t bits : {1, 0x40, 0x7f}) {
        Instruction to = native(Operation::pred_pack, Type::b32, 0, 1);
        to.offset = bits;
        to.destination_predicate = to.destination_predicate2 = kNoPredicate;
        check(to, [=](const Lane& lane) {
            return NativeResult{lane.p ? lane.a | static_cast<unsigned>(bits)
                                       : lane.a & ~static_cast<std::uint64_t>(bits)};
        });
    }
}

/// An instruction that writes no predicate, but may read one.
Instruction plain(Operation operation, Type type, std::uint8_t mode = 0, unsigned sources = 3) {
    Instruction to = native(operation, type, mode, sources);
    to.destination_predicate = to.destination_predicate2 = kNoPredicate;
    return to;
}

TEST_CASE("funnel_shift shifts a pair in either direction, clamped or wrapping, of 32 or 64 bits") {
    const auto draw = [](unsigned i) {
        auto& random = test::random_bits();
        return i == 1 && random() % 2 != 0 ? random() % 70 : test::random_value();
    };
    for (unsigned mode = 0; mode < 32; ++mode) {
        check(
            plain(Operation::funnel_shift, Type::b32, static_cast<std::uint8_t>(mode)),
            [=](const Lane& lane) {
                const unsigned width = (mode & kShiftWide) != 0 ? 64 : 32;
                const std::uint64_t amount =
                    (mode & kShiftWraps) != 0 ? lane.b % width : std::min<std::uint64_t>(lane.b, width);
                const std::uint64_t pair = lane.a | lane.c << 32;
                SignedWide shifted =
                    (mode & kShiftSigned) != 0 ? SignedWide{static_cast<std::int64_t>(pair)} : SignedWide{pair};
                shifted = (mode & kShiftRight) != 0 ? shifted >> amount : static_cast<SignedWide>(Wide{pair} << amount);
                const auto low = static_cast<std::uint64_t>(shifted);
                return NativeResult{(mode & kShiftHigh) != 0 ? low >> 32 : low % kWord};
            },
            draw);
    }
}

TEST_CASE("sign_extend and bit_mask clamp their widths") {
    const auto draw = [](unsigned i) {
        return i == 0 && test::random_bits()() % 2 != 0 ? test::random_value() : test::random_bits()() % 36;
    };
    for (const Type type : {Type::s32, Type::u32}) {
        check(
            plain(Operation::sign_extend, type, 0, 2),
            [=](const Lane& lane) {
                if (lane.b >= 32) { return NativeResult{lane.a}; }
                const std::uint64_t field = lane.a % (std::uint64_t{1} << lane.b);
                const bool negative = type == Type::s32 && lane.b != 0 && (lane.a >> (lane.b - 1) & 1) != 0;
                return NativeResult{negative ? field - (std::uint64_t{1} << lane.b) : field};
            },
            draw);
    }
    check(
        plain(Operation::bit_mask, Type::u32, 0, 2),
        [](const Lane& lane) {
            NativeResult mask;
            for (std::uint64_t i = lane.a; i < 32 && i - lane.a < lane.b; ++i) { mask.value |= std::uint64_t{1} << i; }
            return mask;
        },
        draw);
}

TEST_CASE("extremes of integers are the least where the predicate holds, else the greatest") {
    for (const Type type : {Type::s32, Type::u32}) {
        const auto number = [=](std::uint64_t word) {
            return type == Type::s32 ? std::int64_t{as<std::int32_t>(word)} : static_cast<std::int64_t>(word);
        };
        const auto best = [=](bool least, std::uint64_t a, std::uint64_t b) {
            return (number(a) <= number(b)) == least ? a : b;
        };
        check(plain(Operation::choose_extreme, type, 0, 2),
              [=](const Lane& lane) { return NativeResult{best(lane.p, lane.a, lane.b)}; });
        check(plain(Operation::add_extreme, type),
              [=](const Lane& lane) { return NativeResult{best(lane.p, (lane.a + lane.b) % kWord, lane.c)}; });
        check(plain(Operation::extreme_of_3, type),
              [=](const Lane& lane) { return NativeResult{best(lane.p, best(lane.p, lane.a, lane.b), lane.c)}; });
    }
}

TEST_CASE("extremes of floats skip NaNs, or pass them on; -0 is less than 0; subnormals count as 0 with .FTZ") {
    const auto best = [](bool least, float a, float b) {
        if (std::isnan(a)) { return b; }
        if (std::isnan(b)) { return a; }
        if (a == b) { return std::signbit(a) == least ? a : b; }
        return (a < b) == least ? a : b;
    };
    const auto bits = [](float value) {
        return std::isnan(value) ? NativeResult{0x7fffffff} : NativeResult{bits_of(value)};
    };
    for (const bool flush : {false, true}) {
        const auto value = [=](std::uint64_t word) { return flush ? test::flushed(as<float>(word)) : as<float>(word); };
        for (const bool passes : {false, true}) {
            Instruction to = plain(Operation::choose_extreme, Type::f32, passes ? kPassesNan : 0, 2);
            to.flush_to_zero = flush;
            check(to, [=](const Lane& lane) {
                const float a = value(lane.a), b = value(lane.b);
                return passes && (std::isnan(a) || std::isnan(b)) ? NativeResult{0x7fffffff} : bits(best(lane.p, a, b));
            });
        }
        Instruction to = plain(Operation::extreme_of_3, Type::f32);
        to.flush_to_zero = flush;
        check(to, [=](const Lane& lane) {
            return bits(best(lane.p, best(lane.p, value(lane.a), value(lane.b)), value(lane.c)));
        });
    }
}

TEST_CASE("a scaled product is the exact product times a power of two, rounded once") {
    for (const std::int32_t power : {-3, -2, -1, 1, 2, 3}) {
        for (const bool saturates : {false, true}) {
            Instruction to = plain(Operation::scaled_product, Type::f32, 0, 2);
            to.offset = power;
            to.saturate = saturates;
            check(to, [=](const Lane& lane) {
                const double exact = double{as<float>(lane.a)} * double{as<float>(lane.b)} * std::exp2(power);
                if (std::isnan(exact)) { return NativeResult{saturates ? 0 : std::uint64_t{0x7fffffff}}; }
                const auto product = static_cast<float>(exact);
                return NativeResult{bits_of(saturates ? product > 0 ? std::min(product, 1.0f) : 0.0f : product)};
            });
        }
    }
}

TEST_CASE("two singles are packed as halves, the first above") {
    check(plain(Operation::pack_halves, Type::f16x2, 0, 2), [](const Lane& lane) {
        const auto half = [](std::uint64_t word) { return std::uint64_t{half_of(as<float>(word), Rounding::rn)}; };
        return NativeResult{half(lane.a) << 16 | half(lane.b)};
    });
}

/// Whether a division of these takes the general way.
bool is_general(std::uint32_t dividend, std::uint32_t divisor) {
    Row a, b;
    std::ranges::fill(a.lanes, dividend);
    std::ranges::fill(b.lanes, divisor);
    OperandRows rows{};
    rows.source[0][0] = a.lanes;
    rows.source[1][0] = b.lanes;
    rows.destination_predicate = 0xffff0000;
    execute(decode(native(Operation::check_division, Type::f32, 0, 2), SimtModel::stack), rows, 0x00ffffff);
    CHECK((rows.destination_predicate & 0xff000000) == 0xff000000);
    const LaneMask lanes = rows.destination_predicate & 0x00ffffff;
    CHECK((lanes == 0 || lanes == 0x00ffffff));
    return lanes != 0;
}

TEST_CASE("a division takes the general way outside the bounds of its exponents, and for a dividend of 0") {
    const auto with_exponent = [](unsigned exponent) { return exponent << 23 | 0x123456; };
    const auto one = with_exponent(127);
    CHECK_FALSE(is_general(one, one));
    CHECK_FALSE(is_general(one | 0x80000000, one));
    CHECK(is_general(0, one));
    CHECK(is_general(0x80000000, one));
    const struct {
        unsigned dividend, divisor;
        bool general;
    } bounds[] = {{127, 0, true},    {127, 1, true},    {126, 1, false}, {252, 252, false}, {252, 253, true},
                  {254, 200, false}, {255, 200, true},  {24, 24, true},  {25, 25, false},   {100, 224, false},
                  {100, 225, true},  {226, 101, false}, {227, 101, true}};
    for (const auto& [dividend, divisor, general] : bounds) {
        CAPTURE(dividend);
        CAPTURE(divisor);
        CHECK(is_general(with_exponent(dividend), with_exponent(divisor)) == general);
    }
}

TEST_CASE("broadcast gives all lanes the value of the first active one") {
    Row from, to;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) { from.lanes[lane] = 100 + lane; }
    OperandRows rows{};
    rows.source[0][0] = from.lanes;
    rows.destination[0] = to.lanes;
    const Instruction instruction = plain(Operation::broadcast, Type::b32, 0, 1);
    for (const unsigned first : {0u, 7u, 31u}) {
        execute(decode(instruction, SimtModel::stack), rows, kFullMask << first);
        CHECK(std::ranges::count(to.lanes, 100 + first) == kWarpSize);
    }
}

TEST_CASE("sin and cos of turns, and reciprocals of high words alone") {
    for (const bool sine : {false, true}) {
        const Instruction to = plain(sine ? Operation::sin : Operation::cos, Type::f32, kTurns, 1);
        for (const double turns : {0.0, 0.125, 0.25, -0.5, 0.75, 3.3, -1000.6, 0x1p22, 1e-3}) {
            Row from, result;
            std::ranges::fill(from.lanes, static_cast<std::uint32_t>(bits_of(static_cast<float>(turns))));
            OperandRows rows{};
            rows.source[0][0] = from.lanes;
            rows.destination[0] = result.lanes;
            execute(decode(to, SimtModel::stack), rows, 1);
            const double angle = std::fmod(double{static_cast<float>(turns)}, 1.0) * 2 * 3.14159265358979323846;
            CHECK(std::abs(as<float>(result.lanes[0]) - (sine ? std::sin(angle) : std::cos(angle))) < 1e-6);
        }
    }
    const auto draw = [](unsigned) {
        // The high word of a normal number of moderate size.
        return (900 + test::random_bits()() % 200) << 20 | (test::random_bits()() & 0xfffff);
    };
    for (const bool root : {false, true}) {
        Instruction to = plain(root ? Operation::rsqrt : Operation::rcp, Type::f64, kHighWord, 1);
        to.rounding = Rounding::approx;
        to.flush_to_zero = true;
        check(
            to,
            [=](const Lane& lane) {
                const double value = as<double>(lane.a << 32);
                return NativeResult{bits_of(1.0 / (root ? std::sqrt(value) : value)) >> 32};
            },
            draw);
    }
}

TEST_CASE("sources are negated, made absolute, or one half of them taken twice, before the operation") {
    struct Row {
        Operation operation;
        Type type;
        std::uint8_t rows;
        unsigned modifiers;
        Reference expected;
    };
    const auto d = [](std::uint64_t bits) { return as<double>(bits); };
    const auto two_halves = [](std::uint64_t half) { return (half & 0xffff) * 0x10001; };
    const std::vector<Row> table = {
        {Operation::mov, Type::b32, 1, kNegated, [](const Lane& lane) { return NativeResult{0 - lane.a}; }},
        {Operation::mov, Type::b64, 2, kNegated, [](const Lane& lane) { return NativeResult{0 - lane.a}; }},
        {Operation::add, Type::u64, 2, kNegated << 1, [](const Lane& lane) { return NativeResult{lane.a - lane.b}; }},
        {Operation::mad_lo, Type::u32, 1, kNegated << 1 | kNegated << 2,
         [](const Lane& lane) { return NativeResult{0 - lane.a * lane.b - lane.c}; }},
        {Operation::bit_and, Type::b32, 1, kNegated, [](const Lane& lane) { return NativeResult{~lane.a & lane.b}; }},
        {Operation::bit_or, Type::b64, 2, kNegated << 1,
         [](const Lane& lane) { return NativeResult{lane.a | ~lane.b}; }},
        {Operation::mov, Type::f32, 1, kNegated, [](const Lane& lane) { return NativeResult{lane.a ^ 0x80000000}; }},
        {Operation::mov, Type::f32, 1, kAbsolute, [](const Lane& lane) { return NativeResult{lane.a & 0x7fffffff}; }},
        {Operation::mov, Type::f32, 1, kAbsolute | kNegated,
         [](const Lane& lane) { return NativeResult{lane.a | 0x80000000}; }},
        {Operation::mov, Type::f64, 2, kAbsolute,
         [=](const Lane& lane) { return NativeResult{bits_of(std::abs(d(lane.a)))}; }},
        {Operation::mov, Type::f64, 2, kNegated, [=](const Lane& lane) { return NativeResult{bits_of(-d(lane.a))}; }},
        {Operation::mov, Type::f16x2, 1, kNegated, [](const Lane& lane) { return NativeResult{lane.a ^ 0x80008000}; }},
        {Operation::mov, Type::f16x2, 1, kAbsolute, [](const Lane& lane) { return NativeResult{lane.a & 0x7fff7fff}; }},
        {Operation::mov, Type::f16x2, 1, kLowHalf, [=](const Lane& lane) { return NativeResult{two_halves(lane.a)}; }},
        {Operation::mov, Type::f16x2, 1, kHighHalf | kNegated,
         [=](const Lane& lane) { return NativeResult{two_halves(lane.a >> 16) ^ 0x80008000}; }},
        {Operation::select, Type::f32, 1, kAbsolute | kNegated << 1,
         [](const Lane& lane) { return NativeResult{lane.p ? lane.a & 0x7fffffff : lane.b ^ 0x80000000}; }},
    };
    for (const Row& row : table) {
        for (const bool uniform : {false, true}) {
            Instruction to = plain(row.operation, row.type, 0, 3);
            for (Operand& source : to.source) { source.rows = row.rows; }
            to.destination_rows = row.rows;
            to.modifiers = static_cast<std::uint16_t>(row.modifiers);
            to.uniform = uniform;
            check(to, row.expected);
        }
    }
}

TEST_CASE("a uniform instruction writes all lanes, also those of its carries") {
    Instruction to = native(Operation::iadd3, Type::u32);
    to.uniform = true;
    check(to, [](const Lane& lane) { return sum_of(lane.a + lane.b + lane.c); });
}

}  // namespace
}  // namespace lookahead::isa
