#include "components/isa/half.h"

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

template <bool kFlush, bool kSaturate>
std::uint16_t add(std::uint16_t a, std::uint16_t b) {
    return finish_half<kFlush, kSaturate>(value_of_half<kFlush>(a) + value_of_half<kFlush>(b));
}
template <bool kFlush, bool kSaturate>
std::uint16_t sub(std::uint16_t a, std::uint16_t b) {
    return finish_half<kFlush, kSaturate>(value_of_half<kFlush>(a) - value_of_half<kFlush>(b));
}
template <bool kFlush, bool kSaturate>
std::uint16_t mul(std::uint16_t a, std::uint16_t b) {
    return finish_half<kFlush, kSaturate>(value_of_half<kFlush>(a) * value_of_half<kFlush>(b));
}
template <bool kFlush, bool kSaturate>
std::uint16_t fma(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
    return finish_half<kFlush, kSaturate>(value_of_half<kFlush>(a) * value_of_half<kFlush>(b) +
                                          value_of_half<kFlush>(c));
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
template <bool kFlush>
std::uint16_t least(std::uint16_t a, std::uint16_t b) {
    return extreme<kFlush, true>(a, b);
}
template <bool kFlush>
std::uint16_t greatest(std::uint16_t a, std::uint16_t b) {
    return extreme<kFlush, false>(a, b);
}
template <bool kFlush>
std::uint16_t exp2_half(std::uint16_t a) {
    return finish_half<kFlush, false>(exp2_of(value_of_half<kFlush>(a)));
}
template <bool kFlush>
std::uint16_t tanh_half(std::uint16_t a) {
    return finish_half<kFlush, false>(tanh_of(value_of_half<kFlush>(a)));
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
    return handler_in({{Operation::add, halfwise<&add<kFlush, kSaturate>>(packed)},
                       {Operation::sub, halfwise<&sub<kFlush, kSaturate>>(packed)},
                       {Operation::mul_lo, halfwise<&mul<kFlush, kSaturate>>(packed)},
                       {Operation::fma, halfwise<&fma<kFlush, kSaturate>>(packed)}},
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
                       {Operation::min, halfwise<&least<kFlush>>(packed)},
                       {Operation::max, halfwise<&greatest<kFlush>>(packed)},
                       {Operation::ex2, halfwise<&exp2_half<kFlush>>(packed)},
                       {Operation::tanh, halfwise<&tanh_half<kFlush>>(packed)}},
                      instruction.operation);
}

}  // namespace

AluHandler select_half(const InstructionForm& instruction) {
    if (instruction.type != Type::f16 && instruction.type != Type::f16x2) { return nullptr; }
    const bool packed = instruction.type == Type::f16x2;
    return instruction.flush_to_zero ? select_for<true>(instruction, packed) : select_for<false>(instruction, packed);
}

}  // namespace lookahead::isa
