#include <algorithm>
#include <cfenv>
#include <cmath>

#include "tests/components/isa/half_reference.h"
#include "tests/components/isa/handler_harness.h"
#include "tests/components/isa/integer_reference.h"

// The references convert one value: integers in 128 bits, floats through volatile long double under fesetround, halves
// by search among all 65536 of them.
namespace lookahead::isa {
namespace {

using test::as;
using test::bits_of;
using test::check_handler;
using test::greatest;
using test::HandlerCheck;
using test::Integer;
using test::Kind;
using test::least;
using test::number;
using test::power_of_two;
using test::word;
using test::Words;

const Kind kIntegers[] = {{Type::u8, 8, false},   {Type::s8, 8, true},   {Type::u16, 16, false}, {Type::s16, 16, true},
                          {Type::u32, 32, false}, {Type::s32, 32, true}, {Type::u64, 64, false}, {Type::s64, 64, true}};

Instruction make(Type to, Type from, Rounding rounding = Rounding::none, bool saturate = false, bool flush = false) {
    return test::instruction_of(Operation::convert, to,
                                {.source_type = from, .rounding = rounding, .flush = flush, .saturate = saturate});
}
unsigned rows(Type type) {
    return type_rows(type);
}

template <class To>
To rounded(long double value, int mode) {
    const int before = fegetround();
    fesetround(mode);
    const volatile long double in = value;
    const volatile To out = static_cast<To>(in);
    fesetround(before);
    return out;
}
long double whole(long double value, int mode) {
    const int before = fegetround();
    fesetround(mode);
    const volatile long double in = value;
    const volatile long double out = std::rint(in);
    fesetround(before);
    return out;
}

const std::vector<std::pair<Rounding, int>> kRoundings = {{Rounding::rn, FE_TONEAREST},
                                                          {Rounding::rz, FE_TOWARDZERO},
                                                          {Rounding::rm, FE_DOWNWARD},
                                                          {Rounding::rp, FE_UPWARD}};
const std::vector<std::pair<Rounding, int>> kWholeRoundings = {{Rounding::rni, FE_TONEAREST},
                                                               {Rounding::rzi, FE_TOWARDZERO},
                                                               {Rounding::rmi, FE_DOWNWARD},
                                                               {Rounding::rpi, FE_UPWARD}};

TEST_CASE("integers become each other by cutting and extending, or by saturating") {
    for (const Kind& from : kIntegers) {
        for (const Kind& to : kIntegers) {
            for (const bool saturate : {false, true}) {
                check_handler(make(to.type, from.type, Rounding::none, saturate),
                              {1, {rows(from.type), 1, 1}, rows(to.type)}, [&](const Words& words) {
                                  const Integer value = number(words[0], from);
                                  return word(saturate ? std::clamp(value, least(to), greatest(to)) : value, to);
                              });
            }
        }
    }
}

template <class Float>
std::uint64_t finished(Float value, bool saturate) {
    if (saturate) { value = std::isnan(value) || value <= 0 ? 0 : value >= 1 ? 1 : value; }
    if (std::isnan(value)) { return sizeof(Float) == 4 ? 0x7fffffff : 0xfff8000000000000; }
    return bits_of(value);
}

TEST_CASE("integers become floats with one rounding") {
    for (const Kind& from : kIntegers) {
        for (const auto& [rounding, mode] : kRoundings) {
            for (const bool saturate : {false, true}) {
                const auto value = [&](const Words& words) { return static_cast<long double>(number(words[0], from)); };
                check_handler(make(Type::f32, from.type, rounding, saturate), {1, {rows(from.type), 1, 1}},
                              [&, host = mode](const Words& words) {
                                  return finished(rounded<float>(value(words), host), saturate);
                              });
                check_handler(make(Type::f64, from.type, rounding, saturate), {1, {rows(from.type), 1, 1}, 2},
                              [&, host = mode](const Words& words) {
                                  return finished(rounded<double>(value(words), host), saturate);
                              });
                check_handler(make(Type::f16, from.type, rounding, saturate), {1, {rows(from.type), 1, 1}},
                              [&, how = rounding](const Words& words) {
                                  long double v = value(words);
                                  if (saturate) { v = std::clamp(v, 0.0L, 1.0L); }
                                  return test::nearest_half(v, how);
                              });
            }
        }
    }
}

long double value_of(Type type, std::uint64_t bits) {
    if (type == Type::f32) { return as<float>(bits); }
    if (type == Type::f64) { return as<double>(bits); }
    return test::value_of_half(static_cast<std::uint16_t>(bits));
}
long double flushed(long double value, Type type) {
    return type == Type::f32 && std::fabs(value) < 0x1p-126L ? std::copysign(0.0L, value) : value;
}

TEST_CASE("floats become integers by the rounding named, saturate, and NaN gives what the PTX ISA says") {
    for (const Type from : {Type::f16, Type::f32, Type::f64}) {
        for (const Kind& to : kIntegers) {
            for (const auto& [rounding, mode] : kWholeRoundings) {
                for (const bool flush : {false, true}) {
                    if (flush && from != Type::f32) { continue; }
                    check_handler(make(to.type, from, rounding, false, flush), {1, {rows(from), 1, 1}, rows(to.type)},
                                  [&, host = mode](const Words& words) {
                                      long double value = value_of(from, words[0]);
                                      if (std::isnan(value)) {
                                          const bool wide = from == Type::f64 || to.bits == 64;
                                          return word(wide ? power_of_two(to.bits - 1) : 0, to);
                                      }
                                      if (flush) { value = flushed(value, from); }
                                      value = whole(value, host);
                                      if (value <= static_cast<long double>(least(to))) { return word(least(to), to); }
                                      if (value >= static_cast<long double>(greatest(to))) {
                                          return word(greatest(to), to);
                                      }
                                      return word(static_cast<Integer>(value), to);
                                  });
                }
            }
        }
    }
}

TEST_CASE("f64 becomes f32 with one rounding, f32 becomes f64 exactly") {
    for (const bool flush : {false, true}) {
        for (const bool saturate : {false, true}) {
            for (const auto& [rounding, mode] : kRoundings) {
                check_handler(make(Type::f32, Type::f64, rounding, saturate, flush), {1, {2, 1, 1}}, 200,
                              [&, host = mode](const Words& words) {
                                  float value = rounded<float>(as<double>(words[0]), host);
                                  if (flush) { value = static_cast<float>(flushed(value, Type::f32)); }
                                  return finished(value, saturate);
                              });
            }
            check_handler(make(Type::f64, Type::f32, Rounding::none, saturate, flush), {1, {1, 1, 1}, 2}, 200,
                          [&](const Words& words) {
                              const long double value = as<float>(words[0]);
                              return finished(static_cast<double>(flush ? flushed(value, Type::f32) : value), saturate);
                          });
        }
    }
}

TEST_CASE("floats round to whole numbers of their own type") {
    for (const auto& [rounding, mode] : kWholeRoundings) {
        for (const bool saturate : {false, true}) {
            for (const bool flush : {false, true}) {
                check_handler(make(Type::f32, Type::f32, rounding, saturate, flush), {1}, 200,
                              [&, host = mode](const Words& words) {
                                  const long double value = as<float>(words[0]);
                                  return finished(
                                      static_cast<float>(whole(flush ? flushed(value, Type::f32) : value, host)),
                                      saturate);
                              });
            }
            check_handler(make(Type::f64, Type::f64, rounding, saturate), {1, {2, 1, 1}, 2}, 200,
                          [&, host = mode](const Words& words) {
                              return finished(static_cast<double>(whole(as<double>(words[0]), host)), saturate);
                          });
        }
    }
    check_handler(make(Type::f32, Type::f32, Rounding::none, true), {1}, 200,
                  [](const Words& words) { return finished(as<float>(words[0]), true); });
}

TEST_CASE("f16 becomes f32 and f64 exactly, and they become f16 with one rounding") {
    for (const bool saturate : {false, true}) {
        check_handler(make(Type::f32, Type::f16, Rounding::none, saturate), {1}, 200, [&](const Words& words) {
            return finished(static_cast<float>(value_of(Type::f16, words[0])), saturate);
        });
        check_handler(
            make(Type::f64, Type::f16, Rounding::none, saturate), {1, {1, 1, 1}, 2}, 200,
            [&](const Words& words) { return finished(static_cast<double>(value_of(Type::f16, words[0])), saturate); });
        for (const auto& [rounding, mode] : kRoundings) {
            for (const Type from : {Type::f32, Type::f64}) {
                HandlerCheck(make(Type::f16, from, rounding, saturate), {1, {rows(from), 1, 1}},
                             [&, how = rounding](const Words& words) {
                                 long double value = value_of(from, words[0]);
                                 if (saturate) { value = std::isnan(value) || value <= 0 ? 0 : std::min(value, 1.0L); }
                                 return test::nearest_half(value, how);
                             })
                    .values([from](unsigned) {
                        // Half of the values are near halves, where rounding decides.
                        if (test::random_bits()() % 2 != 0) { return test::random_value(); }
                        const double near = test::value_of_half(static_cast<std::uint16_t>(test::random_bits()())) *
                                            (1 + static_cast<double>(test::random_bits()() % 17) * 0x1p-14);
                        return from == Type::f64 ? bits_of(near) : bits_of(static_cast<float>(near));
                    })
                    .run(200);
            }
        }
    }
}

}  // namespace
}  // namespace lookahead::isa
