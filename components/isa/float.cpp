#include <cmath>
#include <functional>

#include "components/isa/directed_rounding.h"
#include "components/isa/float_values.h"
#include "components/isa/handler_groups.h"
#include "components/isa/lanes.h"

namespace lookahead::isa {
namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T>
inline constexpr Bits<T> kSign = Bits<T>{1} << (8 * sizeof(T) - 1);

/// The sign changes for any value, including NaN.
template <bool kFlush, class T>
T negate(T a) {
    return flush<kFlush>(std::bit_cast<T>(std::bit_cast<Bits<T>>(a) ^ kSign<T>));
}
template <bool kFlush, class T>
T absolute(T a) {
    return flush<kFlush>(std::bit_cast<T>(std::bit_cast<Bits<T>>(a) & ~kSign<T>));
}

/// The lesser or the greater of two numbers; of a number and NaN, the number; -0 is less than +0 (PTX ISA, min and
/// max). For two equal values, OR of the bits has the sign if either has, AND if both have.
template <bool kLesser, bool kFlush, class T>
T extreme(T first, T second) {
    const T a = flush<kFlush>(first), b = flush<kFlush>(second);
    const Bits<T> a_bits = std::bit_cast<Bits<T>>(a), b_bits = std::bit_cast<Bits<T>>(b);
    const Bits<T> tie = kLesser ? a_bits | b_bits : a_bits & b_bits;
    const T ordered = (kLesser ? a < b : b < a) ? a : b;
    const T chosen = a == b ? std::bit_cast<T>(tie) : ordered;
    return canonical(b != b ? a : chosen);
}

/// The handlers of type T, by .ftz and .sat.
template <class T, bool kFlush, bool kSaturate>
AluHandler select_for(const InstructionForm& instruction) {
    const Rounding rounding = instruction.rounding;
    constexpr auto kFma = [](T a, T b, T c) { return std::fma(a, b, c); };
    constexpr auto kSquareRoot = [](T a) { return std::sqrt(a); };
    constexpr auto kReciprocal = [](T a) { return 1 / a; };
    return handler_in({{Operation::add, rounded<&computed<std::plus<T>{}, kFlush, kSaturate, T, T>>(rounding)},
                       {Operation::sub, rounded<&computed<std::minus<T>{}, kFlush, kSaturate, T, T>>(rounding)},
                       {Operation::mul_lo, rounded<&computed<std::multiplies<T>{}, kFlush, kSaturate, T, T>>(rounding)},
                       {Operation::fma, rounded<&computed<kFma, kFlush, kSaturate, T, T, T>>(rounding)},
                       {Operation::div, rounded<&computed<std::divides<T>{}, kFlush, kSaturate, T, T>>(rounding)},
                       {Operation::sqrt, rounded<&computed<kSquareRoot, kFlush, kSaturate, T>>(rounding)},
                       {Operation::rcp, rounded<&computed<kReciprocal, kFlush, kSaturate, T>>(rounding)},
                       {Operation::neg, lanewise<&negate<kFlush, T>>},
                       {Operation::abs, lanewise<&absolute<kFlush, T>>},
                       {Operation::min, lanewise<&extreme<true, kFlush, T>>},
                       {Operation::max, lanewise<&extreme<false, kFlush, T>>}},
                      instruction.operation);
}

}  // namespace

AluHandler select_float(const InstructionForm& instruction) {
    if (instruction.type == Type::f64) { return select_for<double, false, false>(instruction); }
    if (instruction.type != Type::f32) { return nullptr; }
    if (instruction.flush_to_zero) {
        return instruction.saturate ? select_for<float, true, true>(instruction)
                                    : select_for<float, true, false>(instruction);
    }
    return instruction.saturate ? select_for<float, false, true>(instruction)
                                : select_for<float, false, false>(instruction);
}

}  // namespace lookahead::isa
