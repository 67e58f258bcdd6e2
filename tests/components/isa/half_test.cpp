#include <cmath>
#include <map>

#include "tests/components/isa/half_reference.h"
#include "tests/components/isa/handler_harness.h"

namespace lookahead::isa::half_tests {
namespace {

using test::HandlerCheck;
using test::nearest_half;
using test::value_of_half;
using test::Words;

/// Exact results in long double: a product of halves has 22 bits, sums span at most 66 of which 64 are kept, and
/// what is lost is far below any tie.
using Exact = std::function<long double(long double, long double, long double)>;

std::uint16_t flushed(std::uint16_t half) {
    return (half & 0x7c00) == 0 ? half & 0x8000 : half;
}

void check(Operation operation, unsigned sources, const Exact& exact, bool saturates) {
    for (const bool packed : {false, true})
        for (const bool flush : {false, true})
            for (const bool saturate : {false, true}) {
                if (saturate && !saturates) continue;
                Instruction instruction;
                instruction.operation = operation;
                instruction.type = packed ? Type::f16x2 : Type::f16;
                instruction.flush_to_zero = flush;
                instruction.saturate = saturate;
                const auto one = [&](const Words& words, unsigned shift) -> std::uint16_t {
                    long double v[3];
                    for (unsigned i = 0; i < 3; ++i) {
                        const auto half = static_cast<std::uint16_t>(words[i] >> shift);
                        v[i] = value_of_half(flush ? flushed(half) : half);
                    }
                    long double value = exact(v[0], v[1], v[2]);
                    if (saturate) value = std::isnan(value) || value <= 0 ? 0.0L : std::min(value, 1.0L);
                    const std::uint16_t result = nearest_half(value, Rounding::rn);
                    return flush ? flushed(result) : result;
                };
                HandlerCheck(instruction, {sources, {1, 1, 1}, 1}, [&](const Words& words) -> std::uint64_t {
                    return packed ? one(words, 0) | std::uint64_t{one(words, 16)} << 16 : one(words, 0);
                }).values([](unsigned) {
                      return test::random_value() ^ test::random_value() << 16;
                  }).run(150);
            }
}

TEST_CASE("f16 and f16x2 add, sub, mul and fma round once") {
    check(
        Operation::add, 2, [](auto a, auto b, auto) { return a + b; }, true);
    check(
        Operation::sub, 2, [](auto a, auto b, auto) { return a - b; }, true);
    check(
        Operation::mul_lo, 2, [](auto a, auto b, auto) { return a * b; }, true);
    check(
        Operation::fma, 3, [](auto a, auto b, auto c) { return a * b + c; }, true);
}

TEST_CASE("f16 min and max prefer numbers to NaN and order the zeros") {
    const auto lesser = [](long double a, long double b) {
        if (std::isnan(a)) return b;
        if (std::isnan(b)) return a;
        if (a == 0 && b == 0) return std::signbit(a) ? a : b;
        return std::min(a, b);
    };
    check(
        Operation::min, 2, [&](auto a, auto b, auto) { return lesser(a, b); }, false);
    check(
        Operation::max, 2, [&](auto a, auto b, auto) { return -lesser(-a, -b); }, false);
}

TEST_CASE("f16 ex2 and tanh.approx are correctly rounded") {
    check(
        Operation::ex2, 1, [](auto a, auto, auto) { return std::exp2(a); }, false);
    check(
        Operation::tanh, 1, [](auto a, auto, auto) { return std::tanh(a); }, false);
}

TEST_CASE("f16 neg and abs change the sign bit alone") {
    for (const bool negates : {false, true}) {
        Instruction instruction;
        instruction.operation = negates ? Operation::neg : Operation::abs;
        instruction.type = Type::f16x2;
        HandlerCheck(instruction, {1, {1, 1, 1}, 1}, [&](const Words& words) {
            return negates ? words[0] ^ 0x80008000 : words[0] & 0x7fff7fff;
        }).run();
        instruction.type = Type::f16;
        HandlerCheck(instruction, {1, {1, 1, 1}, 1}, [&](const Words& words) {
            return (negates ? words[0] ^ 0x8000 : words[0] & 0x7fff) & 0xffff;
        }).run();
    }
}

TEST_CASE("f16 comparisons are those of their values") {
    for (const Comparison comparison : {Comparison::lt, Comparison::geu, Comparison::ne, Comparison::nan}) {
        Instruction instruction;
        instruction.operation = Operation::setp;
        instruction.type = Type::f16;
        instruction.comparison = comparison;
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
