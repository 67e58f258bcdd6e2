#include "components/isa/directed_rounding.h"
#include "components/isa/float_values.h"
#include "components/isa/handler_groups.h"
#include "components/isa/lanes.h"

namespace lookahead::isa {
namespace {

// Single precision, by .ftz and .sat.

template <bool kFlush, bool kSaturate>
float add(float a, float b) {
    return finish<kFlush, kSaturate>(flush<kFlush>(a) + flush<kFlush>(b));
}
template <bool kFlush, bool kSaturate>
float sub(float a, float b) {
    return finish<kFlush, kSaturate>(flush<kFlush>(a) - flush<kFlush>(b));
}
template <bool kFlush, bool kSaturate>
float mul(float a, float b) {
    return finish<kFlush, kSaturate>(flush<kFlush>(a) * flush<kFlush>(b));
}
template <bool kFlush, bool kSaturate>
float fma(float a, float b, float c) {
    return finish<kFlush, kSaturate>(__builtin_fmaf(flush<kFlush>(a), flush<kFlush>(b), flush<kFlush>(c)));
}
template <bool kFlush, bool kSaturate>
float divide(float a, float b) {
    return finish<kFlush, kSaturate>(flush<kFlush>(a) / flush<kFlush>(b));
}
template <bool kFlush, bool kSaturate>
float square_root(float a) {
    return finish<kFlush, kSaturate>(__builtin_sqrtf(flush<kFlush>(a)));
}
template <bool kFlush, bool kSaturate>
float reciprocal(float a) {
    return finish<kFlush, kSaturate>(1.0f / flush<kFlush>(a));
}
/// The sign changes for any value, including NaN.
template <bool kFlush, bool kSaturate>
float negate(float a) {
    return flush<kFlush>(std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) ^ 0x80000000u));
}
template <bool kFlush, bool kSaturate>
float absolute(float a) {
    return flush<kFlush>(std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) & 0x7fffffffu));
}

// Double precision.

double add(double a, double b) {
    return canonical(a + b);
}
double sub(double a, double b) {
    return canonical(a - b);
}
double mul(double a, double b) {
    return canonical(a * b);
}
double fma(double a, double b, double c) {
    return canonical(__builtin_fma(a, b, c));
}
double divide(double a, double b) {
    return canonical(a / b);
}
double square_root(double a) {
    return canonical(__builtin_sqrt(a));
}
double reciprocal(double a) {
    return canonical(1.0 / a);
}
double negate(double a) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) ^ (1ull << 63));
}
double absolute(double a) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) & ~(1ull << 63));
}

/// The lesser of two numbers; of a number and NaN, the number; -0 is less than +0 (PTX ISA, min and max). For two equal
/// values, OR of the bits has the sign if either has, AND if both have.
template <class T, class Bits>
T lesser(T a, T b) {
    const Bits tie = std::bit_cast<Bits>(a) | std::bit_cast<Bits>(b);
    const T ordered = a < b ? a : b;
    const T chosen = a == b ? std::bit_cast<T>(tie) : ordered;
    return canonical(b != b ? a : chosen);
}
template <class T, class Bits>
T greater(T a, T b) {
    const Bits tie = std::bit_cast<Bits>(a) & std::bit_cast<Bits>(b);
    const T ordered = b < a ? a : b;
    const T chosen = a == b ? std::bit_cast<T>(tie) : ordered;
    return canonical(b != b ? a : chosen);
}
template <bool kFlush, bool kSaturate>
float least(float a, float b) {
    return lesser<float, std::uint32_t>(flush<kFlush>(a), flush<kFlush>(b));
}
template <bool kFlush, bool kSaturate>
float greatest(float a, float b) {
    return greater<float, std::uint32_t>(flush<kFlush>(a), flush<kFlush>(b));
}
double least(double a, double b) {
    return lesser<double, std::uint64_t>(a, b);
}
double greatest(double a, double b) {
    return greater<double, std::uint64_t>(a, b);
}

template <bool kFlush, bool kSaturate>
AluHandler select_single(const InstructionForm& instruction) {
    const Rounding rounding = instruction.rounding;
    return handler_in({{Operation::add, rounded<&add<kFlush, kSaturate>>(rounding)},
                       {Operation::sub, rounded<&sub<kFlush, kSaturate>>(rounding)},
                       {Operation::mul_lo, rounded<&mul<kFlush, kSaturate>>(rounding)},
                       {Operation::fma, rounded<&fma<kFlush, kSaturate>>(rounding)},
                       {Operation::div, rounded<&divide<kFlush, kSaturate>>(rounding)},
                       {Operation::sqrt, rounded<&square_root<kFlush, kSaturate>>(rounding)},
                       {Operation::rcp, rounded<&reciprocal<kFlush, kSaturate>>(rounding)},
                       {Operation::neg, lanewise<&negate<kFlush, kSaturate>>},
                       {Operation::abs, lanewise<&absolute<kFlush, kSaturate>>},
                       {Operation::min, lanewise<&least<kFlush, kSaturate>>},
                       {Operation::max, lanewise<&greatest<kFlush, kSaturate>>}},
                      instruction.operation);
}

using Unary = double (*)(double);
using Binary = double (*)(double, double);

AluHandler select_double(const InstructionForm& instruction) {
    const Rounding rounding = instruction.rounding;
    return handler_in({{Operation::add, rounded<Binary{add}>(rounding)},
                       {Operation::sub, rounded<Binary{sub}>(rounding)},
                       {Operation::mul_lo, rounded<Binary{mul}>(rounding)},
                       {Operation::fma, rounded<static_cast<double (*)(double, double, double)>(fma)>(rounding)},
                       {Operation::div, rounded<Binary{divide}>(rounding)},
                       {Operation::sqrt, rounded<Unary{square_root}>(rounding)},
                       {Operation::rcp, rounded<Unary{reciprocal}>(rounding)},
                       {Operation::neg, lanewise<Unary{negate}>},
                       {Operation::abs, lanewise<Unary{absolute}>},
                       {Operation::min, lanewise<Binary{least}>},
                       {Operation::max, lanewise<Binary{greatest}>}},
                      instruction.operation);
}

}  // namespace

AluHandler select_float(const InstructionForm& instruction) {
    if (instruction.type == Type::f64) { return select_double(instruction); }
    if (instruction.type != Type::f32) { return nullptr; }
    if (instruction.flush_to_zero) {
        return instruction.saturate ? select_single<true, true>(instruction) : select_single<true, false>(instruction);
    }
    return instruction.saturate ? select_single<false, true>(instruction) : select_single<false, false>(instruction);
}

}  // namespace lookahead::isa
