#include <algorithm>
#include <map>

#include "tests/components/isa/handler_harness.h"
#include "tests/components/isa/integer_reference.h"

// The references compute in 128-bit arithmetic on whole numbers and cut the result out at the end.
namespace lookahead::isa::integer_tests {
namespace {

using test::check_handler;
using test::instruction_of;
using test::Integer;
using test::Kind;
using test::number;
using test::power_of_two;
using test::Shape;
using test::word;
using test::Words;

const Kind kKinds[] = {{Type::u16, 16, false}, {Type::s16, 16, true},  {Type::u32, 32, false},
                       {Type::s32, 32, true},  {Type::u64, 64, false}, {Type::s64, 64, true}};

/// Quotient rounded down, for any sign of `value`.
Integer shifted_down(Integer value, unsigned bits) {
    const Integer divisor = power_of_two(bits);
    const Integer quotient = value / divisor;
    return quotient * divisor > value ? quotient - 1 : quotient;
}

Shape shape_of(const Kind& kind, unsigned sources) {
    const unsigned rows = kind.bits == 64 ? 2 : 1;
    return {sources, {rows, rows, rows}, rows};
}

using Function = std::function<Integer(const Integer*, const Kind&)>;

void check(Operation operation, unsigned sources, const Function& function) {
    for (const Kind& kind : kKinds) {
        check_handler(instruction_of(operation, kind.type), shape_of(kind, sources), [&](const Words& words) {
            const Integer numbers[3] = {number(words[0], kind), number(words[1], kind), number(words[2], kind)};
            return word(function(numbers, kind), kind);
        });
    }
}

/// High half of a product: of 64-bit values by 32-bit digits, since 128 bits do not hold every unsigned product.
Integer high_product(Integer a, Integer b, const Kind& kind) {
    if (kind.bits < 64) { return shifted_down(a * b, kind.bits); }
    const Integer base = power_of_two(32);
    const Integer a_low = (a % base + base) % base, b_low = (b % base + base) % base;
    const Integer a_high = (a - a_low) / base, b_high = (b - b_low) / base;
    const Integer middle = a_high * b_low + shifted_down(a_low * b_low, 32);
    const Integer middle_low = (middle % base + base) % base;
    return a_high * b_high + shifted_down(middle, 32) + shifted_down(middle_low + a_low * b_high, 32);
}

TEST_CASE("add, sub, mul and mad wrap at the width") {
    check(Operation::add, 2, [](const Integer* v, const Kind&) { return v[0] + v[1]; });
    check(Operation::sub, 2, [](const Integer* v, const Kind&) { return v[0] - v[1]; });
    // The product modulo 2^64 of the operands modulo 2^32 parts fits in 128 bits.
    const auto product = [](Integer a, Integer b) {
        const Integer low = a % power_of_two(32);
        return low * b + ((a - low) / power_of_two(32) * (b % power_of_two(32)) % power_of_two(32)) * power_of_two(32);
    };
    check(Operation::mul_lo, 2, [&](const Integer* v, const Kind&) { return product(v[0], v[1]); });
    check(Operation::mad_lo, 3, [&](const Integer* v, const Kind&) { return product(v[0], v[1]) + v[2]; });
}

TEST_CASE("mul.hi and mad.hi take the upper half of the product") {
    check(Operation::mul_hi, 2, [](const Integer* v, const Kind& kind) { return high_product(v[0], v[1], kind); });
    check(Operation::mad_hi, 3,
          [](const Integer* v, const Kind& kind) { return high_product(v[0], v[1], kind) + v[2]; });
}

TEST_CASE("mul.wide and mad.wide keep the whole product") {
    for (const Kind& kind : kKinds) {
        if (kind.bits == 64) { continue; }
        const Kind result{Type::none, 2 * kind.bits, kind.is_signed};
        const unsigned rows = kind.bits == 32 ? 2 : 1;
        for (const bool adds : {false, true}) {
            const Instruction instruction =
                instruction_of(adds ? Operation::mad_wide : Operation::mul_wide,
                               kind.bits == 32 ? Type::b64 : Type::b32, {.source_type = kind.type});
            check_handler(instruction, {adds ? 3u : 2u, {1, 1, rows}, rows}, [&](const Words& words) {
                const Integer addend = adds ? number(words[2], result) : 0;
                return word(number(words[0], kind) * number(words[1], kind) + addend, result);
            });
        }
    }
}

TEST_CASE("division truncates; by zero it gives all ones, and the remainder is the dividend") {
    check(Operation::div, 2, [](const Integer* v, const Kind&) { return v[1] == 0 ? Integer{-1} : v[0] / v[1]; });
    check(Operation::rem, 2, [](const Integer* v, const Kind&) { return v[1] == 0 ? v[0] : v[0] % v[1]; });
}

TEST_CASE("min, max, neg and abs") {
    check(Operation::min, 2, [](const Integer* v, const Kind&) { return std::min(v[0], v[1]); });
    check(Operation::max, 2, [](const Integer* v, const Kind&) { return std::max(v[0], v[1]); });
    check(Operation::neg, 1, [](const Integer* v, const Kind&) { return -v[0]; });
    check(Operation::abs, 1, [](const Integer* v, const Kind&) { return v[0] < 0 ? -v[0] : v[0]; });
}

TEST_CASE("saturating s32 sums stop at the ends of the range") {
    const Kind kind{Type::s32, 32, true};
    const auto clamped = [](Integer value) { return std::clamp(value, -power_of_two(31), power_of_two(31) - 1); };
    const std::map<Operation, std::function<Integer(Integer, Integer, Integer)>> operations = {
        {Operation::add, [&](Integer a, Integer b, Integer) { return clamped(a + b); }},
        {Operation::sub, [&](Integer a, Integer b, Integer) { return clamped(a - b); }},
        {Operation::mad_hi, [&](Integer a, Integer b, Integer c) { return clamped(shifted_down(a * b, 32) + c); }}};
    for (const auto& [operation, function] : operations) {
        const Instruction instruction = instruction_of(operation, Type::s32, {.saturate = true});
        check_handler(instruction, shape_of(kind, operation == Operation::mad_hi ? 3 : 2), [&](const Words& w) {
            return word(function(number(w[0], kind), number(w[1], kind), number(w[2], kind)), kind);
        });
    }
}

TEST_CASE("combinations that no GPU instruction has are not executed") {
    CHECK((select_handler(instruction_of(Operation::add, Type::u32, {.saturate = true})) == nullptr));
    CHECK((select_handler(instruction_of(Operation::add, Type::u32)) != nullptr));
    for (const Operation operation :
         {Operation::bra, Operation::exit, Operation::barrier, Operation::load, Operation::store, Operation::atomic,
          Operation::reduce, Operation::nop, Operation::read_special, Operation::membar, Operation::trap}) {
        CHECK((select_handler(instruction_of(operation, Type::u32)) == nullptr));
    }
}

/// The bit above a sum of twice the width is the carry out.
template <class T>
void check_carry(Type type, bool subtract) {
    __extension__ using Wide = unsigned __int128;
    const Instruction instruction = instruction_of(subtract ? Operation::sub_borrow : Operation::add_carry, type);
    const AluHandler handler = select_handler(instruction);
    const bool supported = handler != nullptr;
    REQUIRE(supported);
    for (int round = 0; round < 200; ++round) {
        Row a[2], b[2], out[2];
        T first[kWarpSize], second[kWarpSize];
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            first[lane] = static_cast<T>(test::random_value());
            second[lane] = lane % 4 == 0 ? first[lane] : static_cast<T>(test::random_value());
            a[0].lanes[lane] = static_cast<std::uint32_t>(first[lane]);
            a[1].lanes[lane] = static_cast<std::uint32_t>(std::uint64_t{first[lane]} >> 32);
            b[0].lanes[lane] = static_cast<std::uint32_t>(second[lane]);
            b[1].lanes[lane] = static_cast<std::uint32_t>(std::uint64_t{second[lane]} >> 32);
            out[0].lanes[lane] = out[1].lanes[lane] = 0x5a5a5a5a;
        }
        OperandRows rows{};
        for (unsigned i = 0; i < 2; ++i) {
            rows.source[0][i] = a[i].lanes;
            rows.source[1][i] = b[i].lanes;
            rows.destination[i] = out[i].lanes;
        }
        const auto carries = static_cast<LaneMask>(test::random_bits()());
        const auto old_predicate = static_cast<LaneMask>(test::random_bits()());
        const LaneMask active = round % 3 == 0 ? kFullMask : static_cast<LaneMask>(test::random_bits()());
        rows.source_predicate = carries;
        rows.destination_predicate = old_predicate;
        handler(rows, active, instruction);
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            const Wide in = carries >> lane & 1;
            const T addend = subtract ? static_cast<T>(~second[lane]) : second[lane];
            const Wide whole = Wide{first[lane]} + addend + in;
            const bool runs = active >> lane & 1;
            const bool carry = runs ? (whole >> (8 * sizeof(T)) & 1) != 0 : (old_predicate >> lane & 1) != 0;
            REQUIRE((rows.destination_predicate >> lane & 1) == carry);
            REQUIRE(out[0].lanes[lane] == (runs ? static_cast<std::uint32_t>(whole) : 0x5a5a5a5a));
            const bool high = runs && sizeof(T) == 8;
            REQUIRE(out[1].lanes[lane] == (high ? static_cast<std::uint32_t>(whole >> 32) : 0x5a5a5a5a));
        }
    }
}

TEST_CASE("sums and differences with a carry are exact in one bit more") {
    for (const bool subtract : {false, true}) {
        check_carry<std::uint32_t>(Type::u32, subtract);
        check_carry<std::uint32_t>(Type::s32, subtract);
        check_carry<std::uint64_t>(Type::u64, subtract);
        check_carry<std::uint64_t>(Type::s64, subtract);
    }
}

}  // namespace
}  // namespace lookahead::isa::integer_tests
