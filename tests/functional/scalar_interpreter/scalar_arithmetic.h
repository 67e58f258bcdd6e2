#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "components/frontend/ptx/module.h"

/// Internal to the scalar interpreter: instructions' results from their sources' bits, written after the text of the
/// PTX ISA alone, with the host's rounding modes, long double and 128-bit integers.
namespace lookahead::test {

__extension__ using Wide = __int128;  ///< holds the result of any integer operation
using Sources = std::array<std::uint64_t, 4>;

/// Floating-point arithmetic, and conversions from or to floating point. Empty for approximations, whose bits PTX does
/// not determine, and for other instructions.
std::optional<std::uint64_t> floating_result(const ptx::Instruction& instruction, const Sources& sources);

/// Bit fields, saturating and bytewise integer arithmetic, copysign, slct. Empty for other instructions.
std::optional<std::uint64_t> bitwise_result(const ptx::Instruction& instruction, const Sources& sources);

bool comparison_holds(ptx::Comparison comparison, ptx::Type type, std::uint64_t a, std::uint64_t b);

/// Combines a comparison with the predicate of set or setp.
bool combined(const ptx::Modifiers& modifiers, bool holds, std::uint64_t predicate);

/// add, min, max, and, or and xor of integers; empty for other operations.
std::optional<Wide> reduced(ptx::AtomicOperation operation, Wide a, Wide b);

/// The sum of two halves, or of two pairs of them, rounded to nearest.
std::uint64_t half_sum(ptx::Type type, std::uint64_t a, std::uint64_t b);

/// A subnormal single becomes the zero of its sign (.ftz).
std::uint64_t flushed(std::uint64_t bits);

double as_double(std::uint64_t bits, ptx::Type type);
float as_float(std::uint64_t bits);
/// The value's bits; for any NaN those of the canonical NaN (PTX ISA, "Floating Point Instructions").
std::uint64_t double_bits(double value);
std::uint64_t float_bits(float value);

}  // namespace lookahead::test
