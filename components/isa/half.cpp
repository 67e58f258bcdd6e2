#include "components/isa/half.h"

#include <functional>

#include "components/isa/approximations.h"
#include "components/isa/handler_groups.h"
#include "components/isa/lanes.h"

namespace lookahead::isa {
namespace {

// Sums, products and fused products of halves are exact in f64, or so far from a tie that rounding f64 rounds them
// correctly; they are rounded to half precision once.

template <bool kFlush>
double value_of_half(std::uint16_t half) {
    const bool subnormal = (half & 0x7c00) == 0;
    return float_of_half(kFlush && subnormal ? half & 0x8000 : half);
}
template <bool kFlush, bool kSaturate>
std::uint16_t finish_half(double value) {
    const std::uint16_t half = half_of(kSaturate ? saturate_unit(value) : value, Rounding::rn);
    const bool subnormal = (half & 0x7c00) == 0;
    return kFlush && subnormal ? half & 0x8000 : half;
}

/// An instruction that applies `kFunction`, a function of doubles.
template <auto kFunction, bool kFlush, bool kSaturate, class... Halves>
std::uint16_t on_halves(Halves... halves) {
    return finish_half<kFlush, kSaturate>(kFunction(value_of_half<kFlush>(halves)...));
}
template <bool kFlush>
std::uint16_t negate(std::uint16_t a) {
    const bool subnormal = (a & 0x7c00) == 0;
    return (kFlush && subnormal ? a & 0x8000 : a) ^ 0x8000;
}
template <bool kFlush>
std::uint16_t absolute(std::uint16_t a) {
    return negate<kFlush>(a | 0x8000);
}
/// As for f32: the number if one is NaN, -0 below +0.
template <bool kFlush, bool kLesser>
std::uint16_t extreme(std::uint16_t a, std::uint16_t b) {
    const double x = value_of_half<kFlush>(a), y = value_of_half<kFlush>(b);
    if (x != x) { return half_of(y, Rounding::rn); }
    if (y != y) { return half_of(x, Rounding::rn); }
    const bool first = x == y ? std::signbit(x) == kLesser : (x < y) == kLesser;
    return half_of(first ? x : y, Rounding::rn);
}

template <auto kFunction, class... Words>
std::uint32_t on_both(Words... words) {
    const std::uint32_t low = kFunction(static_cast<std::uint16_t>(words)...);
    const std::uint32_t high = kFunction(static_cast<std::uint16_t>(words >> 16)...);
    return low | high << 16;
}

template <class Half>
using Word = std::uint32_t;
template <auto kFunction, class... Halves>
AluHandler handler_for(std::uint16_t (*)(Halves...), bool packed) {
    return packed ? lanewise<&on_both<kFunction, Word<Halves>...>> : lanewise<kFunction>;
}
/// The handler that applies `kFunction`, a function of halves, to each lane's value or to both halves of it.
template <auto kFunction>
AluHandler halfwise(bool packed) {
    return handler_for<kFunction>(kFunction, packed);
}

template <bool kFlush, bool kSaturate>
AluHandler select_arithmetic(Operation operation, bool packed) {
    using Half = std::uint16_t;
    constexpr auto kFma = [](double a, double b, double c) { return a * b + c; };
    return handler_in(
        {{Operation::add, halfwise<&on_halves<std::plus{}, kFlush, kSaturate, Half, Half>>(packed)},
         {Operation::sub, halfwise<&on_halves<std::minus{}, kFlush, kSaturate, Half, Half>>(packed)},
         {Operation::mul_lo, halfwise<&on_halves<std::multiplies{}, kFlush, kSaturate, Half, Half>>(packed)},
         {Operation::fma, halfwise<&on_halves<kFma, kFlush, kSaturate, Half, Half, Half>>(packed)}},
        operation);
}

template <bool kFlush>
AluHandler select_for(const InstructionForm& instruction, bool packed) {
    const bool nearest = instruction.rounding == Rounding::none || instruction.rounding == Rounding::rn;
    if (const AluHandler handler = instruction.saturate
                                       ? select_arithmetic<kFlush, true>(instruction.operation, packed)
                                       : select_arithmetic<kFlush, false>(instruction.operation, packed)) {
        return nearest ? handler : nullptr;
    }
    if (instruction.saturate) { return nullptr; }
    return handler_in({{Operation::neg, halfwise<&negate<kFlush>>(packed)},
                       {Operation::abs, halfwise<&absolute<kFlush>>(packed)},
                       {Operation::min, halfwise<&extreme<kFlush, true>>(packed)},
                       {Operation::max, halfwise<&extreme<kFlush, false>>(packed)},
                       {Operation::ex2, halfwise<&on_halves<exp2_of, kFlush, false, std::uint16_t>>(packed)},
                       {Operation::tanh, halfwise<&on_halves<tanh_of, kFlush, false, std::uint16_t>>(packed)}},
                      instruction.operation);
}

}  // namespace

AluHandler select_half(const InstructionForm& instruction) {
    if (instruction.type != Type::f16 && instruction.type != Type::f16x2) { return nullptr; }
    const bool packed = instruction.type == Type::f16x2;
    return instruction.flush_to_zero ? select_for<true>(instruction, packed) : select_for<false>(instruction, packed);
}

}  // namespace lookahead::isa
