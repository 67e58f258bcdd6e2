#include <array>
#include <cmath>
#include <map>

#include "tests/components/isa/handler_harness.h"

// The references are the C library's long double functions. The bounds are tighter than the PTX ISA's, so that an error
// in a polynomial shows.
namespace lookahead::isa {
namespace {

using test::as;
using test::bits_of;
using test::flushed;
using test::HandlerCheck;
using test::Words;

Instruction make(Operation operation, Type type, bool flush, Rounding rounding = Rounding::approx) {
    return test::instruction_of(operation, type, {.rounding = rounding, .flush = flush});
}

/// A unit in the last place of f32 values of this size.
long double ulp(long double value) {
    if (value == 0) { return 0x1p-149L; }
    return std::max(std::ldexp(1.0L, std::ilogb(value) - 23), 0x1p-149L);
}

using Exact = std::function<long double(long double)>;

/// Within `ulps` of the exact value, after flushing; NaN is canonical; infinities and zeros exact.
bool close(std::uint64_t got_bits, long double exact, bool flush, long double ulps) {
    const float got = as<float>(got_bits);
    if (std::isnan(exact)) { return got_bits == 0x7fffffff; }
    if (std::isinf(exact) || std::fabs(exact) >= 0x1.ffffffp127L) { return got == static_cast<float>(exact); }
    const float rounded = static_cast<float>(exact);
    if (flush && std::fpclassify(rounded) == FP_SUBNORMAL) {
        return got == 0 || std::fabs(std::fabs(rounded) - 0x1p-126f) <= 0x1p-149f;
    }
    if (exact == 0) { return got == 0 && std::signbit(got) == std::signbit(exact); }
    return std::fabs(static_cast<long double>(got) - exact) <= ulps * ulp(exact);
}

void check_unary(Operation operation, long double ulps, const std::function<std::uint64_t()>& values,
                 const Exact& exact) {
    for (const bool flush : {false, true}) {
        const auto reference = [&](const Words& words) {
            const float x = as<float>(words[0]);
            return exact(flush ? flushed(x) : x);
        };
        HandlerCheck(make(operation, Type::f32, flush), {1},
                     [&](const Words& words) { return bits_of(static_cast<float>(reference(words))); })
            .accept([&](std::uint64_t got, std::uint64_t, const Words& words) {
                return close(got, reference(words), flush, ulps);
            })
            .values([&](unsigned) { return values(); })
            .run(600);
    }
}

std::uint64_t any_float() {
    return test::random_value() & 0xffffffff;
}
/// Uniform in [-range, range].
std::function<std::uint64_t()> within(float range) {
    return [range] {
        const auto integer = static_cast<std::int64_t>(test::random_bits()());
        return bits_of(static_cast<float>(integer) * 0x1p-63f * range);
    };
}

TEST_CASE("rcp, sqrt and rsqrt.approx are within 0.51 ulp everywhere") {
    check_unary(Operation::rcp, 0.51L, any_float, [](long double x) { return 1 / x; });
    check_unary(Operation::sqrt, 0.51L, any_float, [](long double x) { return std::sqrt(x); });
    check_unary(Operation::rsqrt, 0.51L, any_float, [](long double x) { return 1 / std::sqrt(x); });
}

TEST_CASE("ex2.approx is within 0.51 ulp") {
    const Exact exact = [](long double x) { return std::exp2(x); };
    check_unary(Operation::ex2, 0.51L, any_float, exact);
    check_unary(Operation::ex2, 0.51L, within(1), exact);
    check_unary(Operation::ex2, 0.51L, within(152), exact);
}

TEST_CASE("lg2.approx is within 0.51 ulp") {
    const Exact exact = [](long double x) { return std::log2(x); };
    check_unary(Operation::lg2, 0.51L, any_float, exact);
    check_unary(
        Operation::lg2, 0.51L, [] { return bits_of(1.0f + as<float>(within(0.5f)())); }, exact);
    check_unary(Operation::lg2, 0.51L, within(100), exact);
}

TEST_CASE("tanh.approx is within 0.51 ulp") {
    const Exact exact = [](long double x) { return std::tanh(x); };
    check_unary(Operation::tanh, 0.51L, any_float, exact);
    check_unary(Operation::tanh, 0.51L, within(0.02f), exact);
    check_unary(Operation::tanh, 0.51L, within(11), exact);
}

TEST_CASE("sin.approx and cos.approx are within 2^-24 for arguments of many turns, and never leave [-1, 1]") {
    const std::map<Operation, Exact> functions = {{Operation::sin, [](long double x) { return std::sin(x); }},
                                                  {Operation::cos, [](long double x) { return std::cos(x); }}};
    for (const auto& [operation, exact] : functions) {
        for (const float range : {1e-3f, 3.15f, 100.0f, 1e5f, 3e38f}) {
            for (const bool flush : {false, true}) {
                HandlerCheck(make(operation, Type::f32, flush), {1}, [](const Words&) { return 0u; })
                    .values([range](unsigned) { return within(range)(); })
                    .accept([&, range, exact = exact](std::uint64_t got, std::uint64_t, const Words& words) {
                        const float value = as<float>(got);
                        if (range > 1e6f) { return std::fabs(value) <= 1.0f; }
                        return std::fabs(value - exact(as<float>(words[0]))) <= 0x1p-24L;
                    })
                    .run(300);
            }
        }
    }
}

TEST_CASE("sin, cos and the others treat special values as the PTX ISA lists them") {
    const auto result = [](Operation operation, std::uint32_t x, bool flush = true) {
        Row in, out{};
        for (auto& word : in.lanes) { word = x; }
        OperandRows rows{};
        rows.source[0][0] = rows.source[0][1] = in.lanes;
        rows.destination[0] = rows.destination[1] = out.lanes;
        const Instruction instruction = make(operation, Type::f32, flush);
        select_handler(instruction)(rows, kFullMask, instruction);
        return out.lanes[17];
    };
    constexpr std::uint32_t kInf = 0x7f800000, kMinusInf = 0xff800000, kNan = 0x7fffffff, kOne = 0x3f800000,
                            kMinusOne = 0xbf800000, kMinusZero = 0x80000000;
    // The results for infinities, zeros and subnormals of both signs.
    constexpr std::uint32_t kArguments[] = {kInf, kMinusInf, 0, kMinusZero, 5, kMinusZero + 5};
    const std::map<Operation, std::array<std::uint32_t, std::size(kArguments)>> cases = {
        {Operation::sin, {kNan, kNan, 0, kMinusZero, 0, kMinusZero}},
        {Operation::cos, {kNan, kNan, kOne, kOne, kOne, kOne}},
        {Operation::ex2, {kInf, 0, kOne, kOne, kOne, kOne}},
        {Operation::lg2, {kInf, kNan, kMinusInf, kMinusInf, kMinusInf, kMinusInf}},
        {Operation::rcp, {0, kMinusZero, kInf, kMinusInf, kInf, kMinusInf}},
        {Operation::rsqrt, {0, kNan, kInf, kMinusInf, kInf, kMinusInf}},
        {Operation::sqrt, {kInf, kNan, 0, kMinusZero, 0, kMinusZero}},
        {Operation::tanh, {kOne, kMinusOne, 0, kMinusZero, 0, kMinusZero}}};
    for (const auto& [operation, results] : cases) {
        CAPTURE(static_cast<int>(operation));
        CHECK(result(operation, 0x7fc00001) == kNan);
        for (unsigned i = 0; i < results.size(); ++i) {
            CAPTURE(kArguments[i]);
            CHECK(result(operation, kArguments[i]) == results[i]);
        }
    }
    CHECK(result(Operation::ex2, 0x40a00000) == 0x42000000);
    CHECK(result(Operation::lg2, kMinusOne) == kNan);
    CHECK(result(Operation::lg2, kOne) == 0);
    CHECK(result(Operation::lg2, 0x41000000) == 0x40400000);
}

TEST_CASE("div.full is within 0.51 ulp; div.approx too, but gives 0 for divisors beyond 2^126") {
    for (const bool flush : {false, true}) {
        for (const Rounding rounding : {Rounding::approx, Rounding::full}) {
            const auto exact = [&](const Words& words) -> long double {
                float a = as<float>(words[0]), b = as<float>(words[1]);
                if (flush) { a = flushed(a), b = flushed(b); }
                if (rounding == Rounding::approx && std::fabs(b) > 0x1p126f) {
                    return static_cast<long double>(a) * std::copysign(0.0L, b);
                }
                return static_cast<long double>(a) / b;
            };
            HandlerCheck(make(Operation::div, Type::f32, flush, rounding), {2}, [](const Words&) { return 0u; })
                .accept([&](std::uint64_t got, std::uint64_t, const Words& words) {
                    return close(got, exact(words), flush, 0.51L);
                })
                .run(300);
        }
    }
}

TEST_CASE("f64 approximations: rsqrt within 2 ulp; rcp and rsqrt .ftz to 20 bits in the upper word") {
    HandlerCheck(make(Operation::rsqrt, Type::f64, false), {1, {2, 1, 1}, 2},
                 [](const Words& words) {
                     return bits_of(static_cast<double>(1 / std::sqrt(static_cast<long double>(as<double>(words[0])))));
                 })
        .accept([](std::uint64_t got, std::uint64_t expected, const Words&) {
            if (std::isnan(as<double>(expected))) { return std::isnan(as<double>(got)); }
            return got - expected + 2 <= 4;
        })
        .run(300);
    const std::map<Operation, Exact> functions = {{Operation::rcp, [](long double x) { return 1 / x; }},
                                                  {Operation::rsqrt, [](long double x) { return 1 / std::sqrt(x); }}};
    for (const auto& [operation, exact] : functions) {
        HandlerCheck(make(operation, Type::f64, true), {1, {2, 1, 1}, 2}, [](const Words&) { return 0u; })
            .accept([exact = exact](std::uint64_t got, std::uint64_t, const Words& words) {
                const double x = as<double>(words[0] >> 32 << 32), value = as<double>(got);
                if ((got & 0xffffffff) != 0) { return false; }
                if (std::isnan(x)) { return std::isnan(value); }
                const long double right = exact(std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x);
                if (std::isnan(right)) { return std::isnan(value); }
                if (std::fabs(right) < 0x1p-1022L) { return value == 0; }
                if (std::isinf(static_cast<double>(right))) { return std::isinf(value); }
                return std::fabs(value - right) <= 0x1p-19L * std::fabs(right);
            })
            .run(300);
    }
}

TEST_CASE("every host computes the same bits") {
    // FNV-1a over the results for 2^16 floats spread over all exponents and signs.
    const auto digest = [](Operation operation) {
        const Instruction instruction = make(operation, Type::f32, false);
        std::uint64_t hash = 0xcbf29ce484222325;
        Row in, out{};
        OperandRows rows{};
        rows.source[0][0] = rows.source[0][1] = in.lanes;
        rows.destination[0] = rows.destination[1] = out.lanes;
        for (std::uint32_t i = 0; i < 1 << 16; i += kWarpSize) {
            for (unsigned lane = 0; lane < kWarpSize; ++lane) { in.lanes[lane] = (i + lane) * 0x9e3779b9u; }
            select_handler(instruction)(rows, kFullMask, instruction);
            for (const std::uint32_t word : out.lanes) { hash = (hash ^ word) * 0x100000001b3; }
        }
        return hash;
    };
    CHECK(digest(Operation::rcp) == 0xe7ad5a7b0b553181);
    CHECK(digest(Operation::sqrt) == 0xef1729fec5c435bb);
    CHECK(digest(Operation::rsqrt) == 0x873098c3b4d35557);
    CHECK(digest(Operation::ex2) == 0xad3b24d99430757a);
    CHECK(digest(Operation::lg2) == 0x4b1051899ab9c166);
    CHECK(digest(Operation::sin) == 0xa25559c0577c6bb5);
    CHECK(digest(Operation::cos) == 0xa0a2483a06e29a75);
    CHECK(digest(Operation::tanh) == 0xc100ed9deffb18ea);
}

}  // namespace
}  // namespace lookahead::isa
