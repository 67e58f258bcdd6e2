#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "components/isa/kernel.h"
#include "components/isa/launch.h"
#include "components/mechanisms/dac/tuple.h"
#include "core/state/state_archive.h"

namespace lookahead::dac {

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
    Comparisons comparisons(std::uint8_t number, unsigned warp) const;
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
