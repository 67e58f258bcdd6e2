#include <cmath>
#include <map>

#include "tests/components/isa/half_reference.h"
#include "tests/components/isa/handler_harness.h"

namespace lookahead::isa::half_tests {
namespace {

using test::check_handler;
using test::HandlerCheck;
using test::instruction_of;
using test::nearest_half;
using test::value_of_half;
using test::Words;

/// Exact results in long double: a product of halves has 22 bits. Sums span at most 66 bits, of which 64 are kept, and
/// the lost part is far below any tie.
using Exact = std::function<long double(long double, long double, long double)>;

std::uint16_t flushed(std::uint16_t half) {
    return (half & 0x7c00) == 0 ? half & 0x8000 : half;
}

void check(Operation operation, unsigned sources, bool saturates, const Exact& exact) {
    for (const bool packed : {false, true}) {
        for (const bool flush : {false, true}) {
            for (const bool saturate : {false, true}) {
                if (saturate && !saturates) { continue; }
                const Instruction instruction =
                    instruction_of(operation, packed ? Type::f16x2 : Type::f16, {.flush = flush, .saturate = saturate});
                const auto one = [&](const Words& words, unsigned shift) -> std::uint16_t {
                    long double v[3];
                    for (unsigned i = 0; i < 3; ++i) {
                        const auto half = static_cast<std::uint16_t>(words[i] >> shift);
                        v[i] = value_of_half(flush ? flushed(half) : half);
                    }
                    long double value = exact(v[0], v[1], v[2]);
                    if (saturate) { value = std::isnan(value) || value <= 0 ? 0.0L : std::min(value, 1.0L); }
                    const std::uint16_t result = nearest_half(value, Rounding::rn);
                    return flush ? flushed(result) : result;
                };
                HandlerCheck(instruction, {sources}, [&](const Words& words) -> std::uint64_t {
                    return packed ? one(words, 0) | std::uint64_t{one(words, 16)} << 16 : one(words, 0);
                }).values([](unsigned) {
                      return test::random_value() ^ test::random_value() << 16;
                  }).run(150);
            }
        }
    }
}

TEST_CASE("f16 and f16x2 add, sub, mul and fma round once") {
    check(Operation::add, 2, true, [](auto a, auto b, auto) { return a + b; });
    check(Operation::sub, 2, true, [](auto a, auto b, auto) { return a - b; });
    check(Operation::mul_lo, 2, true, [](auto a, auto b, auto) { return a * b; });
    check(Operation::fma, 3, true, [](auto a, auto b, auto c) { return a * b + c; });
}

TEST_CASE("f16 min and max prefer numbers to NaN and order the zeros") {
    const auto lesser = [](long double a, long double b) {
        if (std::isnan(a)) { return b; }
        if (std::isnan(b)) { return a; }
        if (a == 0 && b == 0) { return std::signbit(a) ? a : b; }
        return std::min(a, b);
    };
    check(Operation::min, 2, false, [&](auto a, auto b, auto) { return lesser(a, b); });
    check(Operation::max, 2, false, [&](auto a, auto b, auto) { return -lesser(-a, -b); });
}

TEST_CASE("f16 ex2 and tanh.approx are correctly rounded") {
    check(Operation::ex2, 1, false, [](auto a, auto, auto) { return std::exp2(a); });
    check(Operation::tanh, 1, false, [](auto a, auto, auto) { return std::tanh(a); });
}

TEST_CASE("f16 neg and abs change the sign bit alone") {
    for (const bool negates : {false, true}) {
        const Operation operation = negates ? Operation::neg : Operation::abs;
        check_handler(instruction_of(operation, Type::f16x2), {1},
                      [&](const Words& words) { return negates ? words[0] ^ 0x80008000 : words[0] & 0x7fff7fff; });
        check_handler(instruction_of(operation, Type::f16), {1},
                      [&](const Words& words) { return (negates ? words[0] ^ 0x8000 : words[0] & 0x7fff) & 0xffff; });
    }
}

TEST_CASE("f16 comparisons are those of their values") {
    for (const Comparison comparison : {Comparison::lt, Comparison::geu, Comparison::ne, Comparison::nan}) {
        const Instruction instruction = instruction_of(Operation::setp, Type::f16, {.comparison = comparison});
        for (int round = 0; round < 100; ++round) {
            Row a, b;
            OperandRows rows{};
            rows.source[0][0] = a.lanes;
            rows.source[1][0] = b.lanes;
            for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                a.lanes[lane] = static_cast<std::uint32_t>(test::random_value());
                b.lanes[lane] = static_cast<std::uint32_t>(lane % 4 == 0 ? a.lanes[lane] : test::random_value());
            }
            select_handler(instruction)(rows, kFullMask, instruction);
            for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                const double x = value_of_half(static_cast<std::uint16_t>(a.lanes[lane]));
                const double y = value_of_half(static_cast<std::uint16_t>(b.lanes[lane]));
                const bool unordered = std::isnan(x) || std::isnan(y);
                const std::map<Comparison, bool> expected = {{Comparison::lt, x < y},
                                                             {Comparison::geu, unordered || x >= y},
                                                             {Comparison::ne, !unordered && x != y},
                                                             {Comparison::nan, unordered}};
                REQUIRE((rows.destination_predicate >> lane & 1) == expected.at(comparison));
            }
        }
    }
}

}  // namespace
}  // namespace lookahead::isa::half_tests
