#include <cmath>
#include <functional>

#include "components/isa/approximations.h"
#include "components/isa/handler_groups.h"
#include "components/isa/lanes.h"
#include "components/isa/modes.h"

namespace lookahead::isa {
namespace {

/// An elementary function of f32, rounded once from f64.
template <double (*kFunction)(double), bool kFlush>
float elementary(float a) {
    return finish<kFlush, false>(static_cast<float>(kFunction(flush<kFlush>(a))));
}

/// The function of 2 pi times the value.
template <double (*kFunction)(double)>
double of_turns(double turns) {
    return kFunction((turns - std::nearbyint(turns)) * 6.283185307179586477);
}

double reciprocal_square_root_of(double a) {
    return canonical(1.0 / __builtin_sqrt(a));
}

/// Divisors beyond 2^126 give 0, or NaN for an infinite dividend (PTX ISA, div.approx).
template <bool kFlush>
float divide_approximately(float a, float b) {
    const float divisor = flush<kFlush>(b);
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(divisor);
    const bool large = (bits & 0x7fffffffu) > 0x7e800000u;
    const float inverse_of_large = std::bit_cast<float>((bits & 0x80000000u) | (divisor != divisor ? kNan32 : 0));
    const float quotient = flush<kFlush>(a) / divisor;
    return finish<kFlush, false>(large ? flush<kFlush>(a) * inverse_of_large : quotient);
}

/// The gross approximations of f64 read and write the upper word only; subnormals count as 0 (PTX ISA,
/// rcp.approx.ftz.f64).
double upper_word(double a) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(a) & 0xffffffff00000000;
    const bool subnormal = (bits & 0x7ff0000000000000) == 0;
    return std::bit_cast<double>(subnormal ? bits & 0x8000000000000000 : bits);
}
double gross_reciprocal(double a) {
    return upper_word(canonical(1.0 / upper_word(a)));
}
double gross_reciprocal_square_root(double a) {
    return upper_word(reciprocal_square_root_of(upper_word(a)));
}

/// Applies the function to the high word alone.
template <double (*kFunction)(double)>
std::uint32_t of_high_word(std::uint32_t word) {
    const double result = kFunction(std::bit_cast<double>(std::uint64_t{word} << 32));
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(result) >> 32);
}

template <bool kFlush>
AluHandler select_single(const InstructionForm& instruction) {
    const bool turns = instruction.mode == kTurns;
    constexpr auto kReciprocal = [](float a) { return 1 / a; };
    constexpr auto kSquareRoot = [](float a) { return std::sqrt(a); };
    // Correctly rounded square roots and quotients keep these within their documented errors.
    return handler_in({{Operation::rcp, lanewise<&computed<kReciprocal, kFlush, false, float>>},
                       {Operation::sqrt, lanewise<&computed<kSquareRoot, kFlush, false, float>>},
                       {Operation::rsqrt, lanewise<&elementary<reciprocal_square_root_of, kFlush>>},
                       {Operation::div, instruction.rounding == Rounding::full
                                            ? lanewise<&computed<std::divides<float>{}, kFlush, false, float, float>>
                                            : lanewise<&divide_approximately<kFlush>>},
                       {Operation::ex2, lanewise<&elementary<exp2_of, kFlush>>},
                       {Operation::lg2, lanewise<&elementary<log2_of, kFlush>>},
                       {Operation::sin, turns ? lanewise<&elementary<of_turns<sin_of>, kFlush>>
                                              : lanewise<&elementary<sin_of, kFlush>>},
                       {Operation::cos, turns ? lanewise<&elementary<of_turns<cos_of>, kFlush>>
                                              : lanewise<&elementary<cos_of, kFlush>>},
                       {Operation::tanh, lanewise<&elementary<tanh_of, kFlush>>}},
                      instruction.operation);
}

AluHandler select_double(const InstructionForm& instruction) {
    const bool high_word = instruction.mode == kHighWord;
    if (high_word && instruction.operation == Operation::rcp) { return lanewise<&of_high_word<gross_reciprocal>>; }
    if (high_word) { return lanewise<&of_high_word<gross_reciprocal_square_root>>; }
    if (instruction.operation == Operation::rcp && instruction.flush_to_zero) { return lanewise<&gross_reciprocal>; }
    if (instruction.operation == Operation::rsqrt) {
        return instruction.flush_to_zero ? lanewise<&gross_reciprocal_square_root>
                                         : lanewise<&reciprocal_square_root_of>;
    }
    return nullptr;
}

}  // namespace

/// rsqrt, ex2, lg2, sin, cos and tanh are always approximate; rcp, sqrt and div are if they say so.
AluHandler select_approximate(const InstructionForm& instruction) {
    const Rounding rounding = instruction.rounding;
    if (rounding != Rounding::approx && rounding != Rounding::full && rounding != Rounding::none) { return nullptr; }
    if (instruction.saturate) { return nullptr; }
    if (instruction.type == Type::f64) { return select_double(instruction); }
    if (instruction.type != Type::f32) { return nullptr; }
    return instruction.flush_to_zero ? select_single<true>(instruction) : select_single<false>(instruction);
}

}  // namespace lookahead::isa
