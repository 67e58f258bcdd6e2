#pragma once

#include <bit>
#include <cstdint>

/// Internal to components/isa: PTX's rules for floating-point values, free of branches.
namespace lookahead::isa {

/// The NaN that single-precision instructions give (PTX ISA, "Floating Point Instructions").
inline constexpr std::uint32_t kNan32 = 0x7fffffff;
/// The NaN that double-precision instructions give here. (GPUs pass payloads on; it is not documented which operand's.)
inline constexpr std::uint64_t kNan64 = 0xfff8000000000000;

/// With kFlush a subnormal becomes the zero of its sign (.ftz).
template <bool kFlush>
inline float flush(float value) {
    if constexpr (!kFlush) { return value; }
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
template <bool>
inline double flush(double value) {
    return value;
}

/// By masks, not by a choice: the compiler would turn a choice into a branch, and the loop would not be vectorised.
inline float canonical(float value) {
    const std::uint32_t is_nan = value != value ? ~0u : 0u;
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) & ~is_nan) | (kNan32 & is_nan));
}
inline double canonical(double value) {
    const std::uint64_t is_nan = value != value ? ~std::uint64_t{0} : 0;
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) & ~is_nan) | (kNan64 & is_nan));
}

/// Clamped to [0, 1]; NaN and -0 become +0 (.sat).
template <class T>
inline T saturate_unit(T value) {
    const T from_below = value > T(0) ? value : T(0);
    return from_below < T(1) ? from_below : T(1);
}

/// The result of an instruction from its exact, rounded value.
template <bool kFlush, bool kSaturate, class T>
inline T finish(T value) {
    const T flushed = flush<kFlush>(value);
    if constexpr (kSaturate) { return saturate_unit(flushed); }
    return canonical(flushed);
}

/// An instruction that applies `kFunction` to values of one type.
template <auto kFunction, bool kFlush, bool kSaturate, class... Values>
auto computed(Values... values) {
    return finish<kFlush, kSaturate>(kFunction(flush<kFlush>(values)...));
}

}  // namespace lookahead::isa
