#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "components/frontend/ptx/ir.h"

/// Internal to the scalar interpreter: the results of instructions from their sources' bits, written from the PTX ISA's
/// text alone, on the host's rounding modes, long double and 128-bit integers.
namespace lookahead::test {

__extension__ using Wide = __int128;  ///< holds any operation's result on integers
using Sources = std::array<std::uint64_t, 4>;

/// Floating-point arithmetic, and conversions from or to floating point. Nothing for approximations, whose bits PTX
/// leaves open, and for other instructions.
std::optional<std::uint64_t> floating_result(const ptx::Instruction& instruction, const Sources& sources);

/// Bit fields, saturating and bytewise integer arithmetic, copysign, slct. Nothing for other instructions.
std::optional<std::uint64_t> bitwise_result(const ptx::Instruction& instruction, const Sources& sources);

bool comparison_holds(ptx::Comparison comparison, ptx::Type type, std::uint64_t a, std::uint64_t b);

/// What set and setp make of a comparison and their predicate.
bool combined(const ptx::Modifiers& modifiers, bool holds, std::uint64_t predicate);

/// add, min, max, and, or and xor of integers; nothing for other operations.
std::optional<Wide> reduced(ptx::AtomicOperation operation, Wide a, Wide b);

/// The sum of two halves, or of two pairs of them, rounded to nearest.
std::uint64_t half_sum(ptx::Type type, std::uint64_t a, std::uint64_t b);

/// A subnormal single as the zero of its sign (.ftz).
std::uint64_t flushed(std::uint64_t bits);

double as_double(std::uint64_t bits, ptx::Type type);
float as_float(std::uint64_t bits);
/// The bits, those of the canonical NaN for any (PTX ISA, "Floating Point Instructions").
std::uint64_t double_bits(double value);
std::uint64_t float_bits(float value);

}  // namespace lookahead::test
