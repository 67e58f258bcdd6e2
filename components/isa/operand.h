#pragma once

#include <cstdint>

namespace lookahead::isa {

/// The most registers of one operand: a vector memory instruction's data. Registers of such an operand are aligned to
/// their number, rounded up to a power of two.
inline constexpr unsigned kMostOperandRows = 16;
/// The most rows that a vector memory instruction reads or writes: data, indices and an address.
inline constexpr unsigned kMostVectorMemoryRows = 2 * kMostOperandRows + 2;
/// The first register of a vector memory instruction's data or indices is a multiple of this: a register file reads
/// four words of a lane at once, aligned (Crago et al., TACO 2018, section 4.2: "aligned to a 128-bit granularity").
inline constexpr unsigned kVectorMemoryAlignment = 4;

/// Predicate registers P0..P6 and the constant-true PT, as in NVIDIA's machine ISAs.
inline constexpr std::uint8_t kPredicateRegisters = 7;
inline constexpr std::uint8_t kTruePredicate = 7;
/// The uniform predicates UP0..UP6 of native code follow PT and the place that stands for "none".
inline constexpr std::uint8_t kFirstUniformPredicate = 9;
inline constexpr std::uint8_t kNoPredicate = 0xff;
inline constexpr std::uint32_t kNoTarget = 0xffffffffu;

/// A source operand. A 64-bit value is in an aligned pair of 32-bit warp registers, low word first.
struct Operand {
    enum class Kind : std::uint8_t {
        none,
        reg,       ///< warp registers index, index+1, ...
        constant,  ///< rows index, index+1, ... of the launch's constant rows (the same value in all lanes)
    };
    Kind kind = Kind::none;
    std::uint8_t rows = 0;  ///< 1 (32 bits or fewer), 2 (64 bits), or up to kMostOperandRows for vectors
    std::uint16_t index = 0;
};

}  // namespace lookahead::isa
