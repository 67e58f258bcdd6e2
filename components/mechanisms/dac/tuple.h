#pragma once

#include <array>
#include <cstdint>

#include "components/isa/dim3.h"
#include "core/state/state_archive.h"

namespace lookahead::dac {

/// Offsets by index of the thread in its block (x, y, z) and of the block in the grid.
struct Offsets {
    std::array<std::uint64_t, 3> thread{};
    std::array<std::uint64_t, 3> block{};

    bool by_thread() const { return (thread[0] | thread[1] | thread[2]) != 0; }
    bool by_block() const { return (block[0] | block[1] | block[2]) != 0; }
    bool operator==(const Offsets&) const = default;
    void fields(StateArchive& archive) { archive& thread& block; }
};

/// A register of the affine warp: base + thread index * offsets + block index * offsets, modulo 2^bits (sections 3 and
/// 4.4). A mod-type tuple (section 4.4) adds scale * ((mod_base + index * mod_offsets) mod divisor), and has no other
/// offsets by thread. The paper multiplies all its fields, the divisor too, by a scalar; here `scale` keeps that
/// factor, because a product of the fields is exact only if none wraps around.
struct Tuple {
    unsigned bits = 32;  ///< 32 or 64
    std::uint64_t base = 0;
    Offsets offsets;
    bool is_mod = false;
    std::uint64_t scale = 0;
    std::uint64_t mod_base = 0;  ///< like mod_offsets, exact in 64 bits or modulo 2^32, if the divisor divides that
    Offsets mod_offsets;
    std::uint64_t divisor = 0;

    bool is_number() const { return !is_mod && !offsets.by_thread() && !offsets.by_block(); }
    std::uint64_t value(const isa::Dim3& thread, const isa::Dim3& block) const;
    bool operator==(const Tuple&) const = default;
    void fields(StateArchive& archive) { archive& bits& base& offsets& is_mod& scale& mod_base& mod_offsets& divisor; }
};

Tuple number(std::uint64_t value, unsigned bits);

// Results have the bits of the operands. At most one operand is mod-type, and one factor of a product is a number; else
// the analysis was wrong, and the functions throw InternalError.
Tuple add(const Tuple& a, const Tuple& b);
Tuple multiply(const Tuple& a, const Tuple& b);
Tuple negate(const Tuple& a);
/// Modulo 2^32.
Tuple truncate(const Tuple& a);
/// Extends a 32-bit number to 64 bits for the threads of one block of this size: a plain tuple if none of them wraps
/// around, else a mod-type tuple with divisor 2^32.
Tuple extend(const Tuple& a, bool is_signed, const isa::Dim3& size, const isa::Dim3& block);
/// a mod divisor, for a power of two, or for numbers that do not wrap around.
Tuple modulo(const Tuple& a, std::uint64_t divisor);

}  // namespace lookahead::dac
