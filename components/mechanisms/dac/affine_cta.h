#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "components/isa/dim3.h"
#include "components/isa/kernel.h"
#include "components/isa/launch.h"
#include "components/isa/operand.h"
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
    std::uint64_t mod_base = 0;  ///< exact, like mod_offsets, in 64 bits, or modulo 2^32 if the divisor divides that
    Offsets mod_offsets;
    std::uint64_t divisor = 0;

    bool is_number() const { return !is_mod && !offsets.by_thread() && !offsets.by_block(); }
    std::uint64_t value(const isa::Dim3& thread, const isa::Dim3& block) const;
    bool operator==(const Tuple&) const = default;
    void fields(StateArchive& archive) { archive& bits& base& offsets& is_mod& scale& mod_base& mod_offsets& divisor; }
};

/// The tuple that is `value` for every thread.
Tuple number(std::uint64_t value, unsigned bits);

// Results have the bits of the operands. At most one operand is mod-type, and one factor of a product is a number; else
// the analysis was wrong, and the functions throw InternalError.
Tuple add(const Tuple& a, const Tuple& b);
Tuple multiply(const Tuple& a, const Tuple& b);
Tuple negate(const Tuple& a);
/// The tuple modulo 2^32, of 32 bits.
Tuple truncate(const Tuple& a);
/// Extends a 32-bit number to 64 bits for the threads of one block of this size: a plain tuple if none of them wraps
/// around, else a mod-type tuple with divisor 2^32.
Tuple extend(const Tuple& a, bool is_signed, const isa::Dim3& size, const isa::Dim3& block);
/// a mod divisor; the divisor is a power of two, or the numbers do not wrap around.
Tuple modulo(const Tuple& a, std::uint64_t divisor);

template <std::size_t count>
using LaneMasks = std::array<isa::LaneMask, count>;
/// The threads of a CTA: a mask of lanes for each warp.
using Threads = LaneMasks<32>;

template <std::size_t count>
bool none(const LaneMasks<count>& threads) {
    isa::LaneMask some = 0;
    for (const isa::LaneMask lanes : threads) { some |= lanes; }
    return some == 0;
}
inline Threads both(const Threads& a, const Threads& b) {
    Threads result;
    for (std::size_t i = 0; i < result.size(); ++i) { result[i] = a[i] & b[i]; }
    return result;
}
template <std::size_t count>
LaneMasks<count> without(const LaneMasks<count>& a, const LaneMasks<count>& b) {
    LaneMasks<count> result;
    for (std::size_t i = 0; i < count; ++i) { result[i] = a[i] & ~b[i]; }
    return result;
}
inline void add_to(Threads& to, const Threads& more) {
    for (std::size_t i = 0; i < to.size(); ++i) { to[i] |= more[i]; }
}

/// A tuple, and the threads that have it as their value.
struct Piece {
    Threads threads{};
    Tuple tuple;

    void fields(StateArchive& archive) { archive& threads& tuple; }
};
/// A register of the affine warp: one tuple for all threads, or one for each set of threads that took another path.
using AffineRegister = std::vector<Piece>;

/// How the predicate expansion unit compares for a warp (section 4.3).
enum class Comparisons : std::uint8_t {
    scalar,  ///< once for the whole CTA: both operands are numbers there
    two,     ///< the warp's first and last thread; nothing changes between them
    lanes,   ///< each thread, on the lanes
};

/// The affine stream of a launch, the same for all its CTAs.
struct AffineLaunch {
    const isa::Kernel* kernel = nullptr;
    const isa::Program* program = nullptr;
    isa::Dim3 block;
    std::vector<std::uint32_t> constants;  ///< values of the launch's constant rows
    /// Compare each new tuple, thread by thread, with the result of the instruction on plain numbers.
    bool checked = false;

    unsigned warps() const { return isa::warps_per_cta(block); }
    isa::Dim3 thread(unsigned warp, unsigned lane) const;
    /// The index of the next thread.
    isa::Dim3 after(const isa::Dim3& thread) const;
    /// Takes the constants from rows with one value in all lanes.
    void take_constants(const std::vector<isa::Row>& rows);
};

/// Registers and predicates of an affine stream for one CTA, and the effects of all its instructions but control flow.
/// A register holds tuples, a predicate a bit for each thread. Throws InternalError if a tuple cannot be made or is
/// wrong, because the analysis has promised that it can.
class AffineCta {
  public:
    /// Prepares the CTA `ctaid`; `launch` must outlive this object's use.
    void begin(const AffineLaunch& launch, const isa::Dim3& ctaid);
    const isa::Dim3& ctaid() const { return ctaid_; }
    Threads all_threads() const;

    /// Executes an instruction that computes a register or predicates.
    void compute(std::uint32_t pc, const Threads& active);
    Threads predicate(std::uint8_t number, bool negated) const;
    /// Sets the predicate to `holds` for the active threads.
    void take(std::uint8_t number, const Threads& active, const Threads& holds);
    /// How the last comparison into the predicate was made for the warp.
    Comparisons comparisons(std::uint8_t number, unsigned warp) const {
        return number < isa::kPredicateRegisters ? comparisons_[number][warp] : Comparisons::scalar;
    }
    /// Sets `into` to the operand's tuples for the active threads.
    void read(std::uint32_t pc, const isa::Operand& operand, const Threads& active, AffineRegister& into);

    /// The most tuples that the active threads had in one operand.
    std::size_t most_tuples() const { return most_tuples_; }

    /// Archives all but the launch, which resume() sets.
    void fields(StateArchive& archive);
    void resume(const AffineLaunch& launch) { launch_ = &launch; }

  private:
    void tuples(std::uint32_t pc, const Threads& active);
    void set_predicate(std::uint32_t pc, const Threads& active);
    void write(const isa::Instruction& instruction, const AffineRegister& pieces);
    Tuple special(isa::SpecialRegister special) const;
    Tuple result(std::uint32_t pc, const std::array<Tuple, 3>& sources) const;
    Tuple scalar_result(std::uint32_t pc, const std::array<Tuple, 3>& sources) const;
    Threads takes_first(const isa::Instruction& instruction, const Tuple& a, const Tuple& b,
                        const Threads& active) const;
    void check(std::uint32_t pc, const Threads& active) const;
    Comparisons comparisons_of(const isa::Instruction& instruction, unsigned warp, isa::LaneMask active) const;
    bool lies_between(const Tuple& line, const isa::Dim3& first, const isa::Dim3& last, bool is_signed) const;
    [[noreturn]] void fail(std::uint32_t pc, const std::string& what) const;

    const AffineLaunch* launch_ = nullptr;
    isa::Dim3 ctaid_;
    std::vector<AffineRegister> registers_;
    std::array<Threads, isa::kPredicateRegisters> predicates_{};
    std::array<std::array<Comparisons, 32>, isa::kPredicateRegisters> comparisons_{};
    std::size_t most_tuples_ = 0;
    // The operands of one instruction; a member, so that instructions allocate nothing.
    std::array<AffineRegister, 3> sources_;
    AffineRegister made_;
};

/// Computes from the tuples of an `enqueue` the addresses of the warp's active lanes.
void warp_addresses(const AffineLaunch& launch, const isa::Dim3& ctaid, const isa::Instruction& enqueue,
                    const AffineRegister& tuples, unsigned warp, isa::LaneMask active, std::uint64_t* addresses);

}  // namespace lookahead::dac
