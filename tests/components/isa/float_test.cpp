#include <cfenv>
#include <cmath>

#include "tests/components/isa/handler_harness.h"

// The references use one scalar operation of the host's C library or hardware under fesetround, on volatile values.
namespace lookahead::isa {
namespace {

using test::as;
using test::bits_of;
using test::check_handler;
using test::flushed;
using test::instruction_of;
using test::Words;

const std::vector<std::pair<Rounding, int>> kRoundings = {{Rounding::none, FE_TONEAREST},
                                                          {Rounding::rn, FE_TONEAREST},
                                                          {Rounding::rz, FE_TOWARDZERO},
                                                          {Rounding::rm, FE_DOWNWARD},
                                                          {Rounding::rp, FE_UPWARD}};

template <class T>
using Function = std::function<T(T, T, T)>;

template <class T>
T under(int mode, const Function<T>& function, T a, T b, T c) {
    const int before = fegetround();
    fesetround(mode);
    const volatile T x = a, y = b, z = c;
    const volatile T result = function(x, y, z);
    fesetround(before);
    return result;
}

std::uint64_t single_bits(float value, bool flush, bool saturate) {
    if (flush) { value = flushed(value); }
    if (saturate) { return bits_of(std::isnan(value) || value <= 0 ? 0.0f : value >= 1 ? 1.0f : value); }
    return std::isnan(value) ? 0x7fffffff : bits_of(value);
}

void check_single(Operation operation, unsigned sources, bool rounds, const Function<float>& function) {
    for (const auto& [rounding, mode] : kRoundings) {
        for (const bool flush : {false, true}) {
            for (const bool saturate : {false, true}) {
                if (!rounds && (rounding != Rounding::none || saturate)) { continue; }
                const Instruction instruction =
                    instruction_of(operation, Type::f32, {.rounding = rounding, .flush = flush, .saturate = saturate});
                check_handler(instruction, {sources}, [&, host = mode](const Words& words) {
                    float v[3];
                    for (unsigned i = 0; i < 3; ++i) {
                        v[i] = flush ? flushed(as<float>(words[i])) : as<float>(words[i]);
                    }
                    return single_bits(under(host, function, v[0], v[1], v[2]), flush, saturate);
                });
            }
        }
    }
}

void check_double(Operation operation, unsigned sources, bool rounds, const Function<double>& function) {
    for (const auto& [rounding, mode] : kRoundings) {
        if (!rounds && rounding != Rounding::none) { continue; }
        const Instruction instruction = instruction_of(operation, Type::f64, {.rounding = rounding});
        check_handler(instruction, {sources, {2, 2, 2}, 2}, [&, host = mode](const Words& words) {
            const double result =
                under(host, function, as<double>(words[0]), as<double>(words[1]), as<double>(words[2]));
            return std::isnan(result) ? 0xfff8000000000000 : bits_of(result);
        });
    }
}

template <class T>
void check_arithmetic(void (*check)(Operation, unsigned, bool, const Function<T>&)) {
    check(Operation::add, 2, true, [](T a, T b, T) { return a + b; });
    check(Operation::sub, 2, true, [](T a, T b, T) { return a - b; });
    check(Operation::mul_lo, 2, true, [](T a, T b, T) { return a * b; });
    check(Operation::fma, 3, true, [](T a, T b, T c) { return std::fma(a, b, c); });
    check(Operation::div, 2, true, [](T a, T b, T) { return a / b; });
    check(Operation::sqrt, 1, true, [](T a, T, T) { return std::sqrt(a); });
    check(Operation::rcp, 1, true, [](T a, T, T) { return T(1) / a; });
}

TEST_CASE("f32 arithmetic rounds as told, flushes, saturates, and makes the canonical NaN") {
    check_arithmetic<float>(check_single);
}

TEST_CASE("f64 arithmetic rounds as told and makes one NaN") {
    check_arithmetic<double>(check_double);
}

/// PTX's min and max: if one is NaN, the other number; -0 is below +0.
template <class T>
T lesser(T a, T b) {
    if (std::isnan(a)) { return b; }
    if (std::isnan(b)) { return a; }
    if (a == 0 && b == 0) { return std::signbit(a) ? a : b; }
    return a < b ? a : b;
}
template <class T>
T greater(T a, T b) {
    return -lesser<T>(-a, -b);
}

TEST_CASE("min and max prefer numbers to NaN and order the zeros") {
    check_single(Operation::min, 2, false, [](float a, float b, float) { return lesser(a, b); });
    check_single(Operation::max, 2, false, [](float a, float b, float) { return greater(a, b); });
    check_double(Operation::min, 2, false, [](double a, double b, double) { return lesser(a, b); });
    check_double(Operation::max, 2, false, [](double a, double b, double) { return greater(a, b); });
}

TEST_CASE("neg and abs change the sign bit alone, of NaN too") {
    for (const bool wide : {false, true}) {
        for (const bool negates : {false, true}) {
            const Instruction instruction =
                instruction_of(negates ? Operation::neg : Operation::abs, wide ? Type::f64 : Type::f32);
            const unsigned rows = wide ? 2 : 1;
            check_handler(instruction, {1, {rows, 1, 1}, rows}, [&](const Words& words) {
                const std::uint64_t sign = wide ? 0x8000000000000000 : 0x80000000;
                if (negates) { return words[0] >= sign ? words[0] - sign : words[0] + sign; }
                return words[0] >= sign ? words[0] - sign : words[0];
            });
        }
    }
}

TEST_CASE("a directed instruction leaves the host's rounding mode as it was") {
    const Instruction instruction = instruction_of(Operation::add, Type::f32, {.rounding = Rounding::rp});
    Row row{};
    OperandRows rows{};
    for (auto& pair : rows.source) { pair[0] = pair[1] = row.lanes; }
    rows.destination[0] = rows.destination[1] = row.lanes;
    select_handler(instruction)(rows, kFullMask, instruction);
    CHECK(fegetround() == FE_TONEAREST);
}

TEST_CASE("rounding modifiers that arithmetic does not have are refused") {
    for (const Rounding rounding : {Rounding::rni, Rounding::rzi, Rounding::approx, Rounding::full}) {
        CHECK((select_handler(instruction_of(Operation::add, Type::f32, {.rounding = rounding})) == nullptr));
    }
}

}  // namespace
}  // namespace lookahead::isa
