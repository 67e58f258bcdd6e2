#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "components/isa/kernel.h"
#include "components/isa/launch.h"
#include "components/isa/modes.h"
#include "components/mechanisms/dac/tuple.h"

namespace lookahead::dac {

/// What an enqueue brings one warp.
struct Record {
    std::uint32_t origin = 0;  ///< of the instruction, which is that of its dequeue
    isa::QueueMode mode = isa::QueueMode::address;
    isa::LaneMask active = 0;
    isa::LaneMask holds = 0;                              ///< of a predicate: lanes of `active` for which it holds
    std::array<std::uint64_t, isa::kWarpSize> address{};  ///< of other modes: the access's, by lane of `active`
};

/// By warp of a CTA, in the order in which they come out.
struct WarpQueues {
    std::deque<Record> addresses;
    std::deque<Record> predicates;
};

/// Executes an affine stream for one CTA after another, plainly: the reference for the timing model's affine warp. A
/// register holds a tuple, or where lanes have parted a tuple for each set of threads; a predicate a bit for each thread. The stack is one
/// for the whole CTA (section 4.5) with the order of a warp's own: of a branch, those that fall through go first.
class AffineInterpreter {
  public:
    /// `constants`: values of the launch's constant rows, as isa::make_constant_rows lays them out for `kernel`.
    /// With `checked` each tuple that is made is compared, for each thread, with what the instruction does there on plain
    /// numbers. Throws InternalError where a tuple cannot be made or is wrong: the analysis promised that it can.
    AffineInterpreter(const isa::Kernel& kernel, const isa::Program& program, const isa::Dim3& block,
                      std::vector<std::uint32_t> constants, bool checked);

    std::vector<WarpQueues> run(const isa::Dim3& ctaid);

    /// Warp instructions of the affine warp, all CTAs together.
    std::uint64_t executed() const { return executed_; }
    /// The most tuples that the active threads had in one operand.
    std::size_t most_tuples() const { return most_tuples_; }

  private:
    using Threads = std::array<isa::LaneMask, 32>;  ///< by warp
    struct Piece {
        Threads threads{};
        Tuple tuple;
    };
    using Register = std::vector<Piece>;
    struct Path {
        std::uint32_t pc = 0;
        std::uint32_t join = isa::kNoTarget;
        Threads threads{};
    };

    void step();
    void branch(const isa::Instruction& instruction, const Threads& taken);
    void advance();
    void leave(const Threads& threads);
    void enqueue(const isa::Instruction& instruction, const Threads& active);
    void compute(const isa::Instruction& instruction, const Threads& active);
    void set_predicate(const isa::Instruction& instruction, const Threads& active);
    void write(const isa::Instruction& instruction, Register pieces);
    Register read(const isa::Operand& operand, const Threads& active);
    Register special(isa::SpecialRegister special, const Threads& active) const;
    Tuple result(const isa::Instruction& instruction, std::span<const Tuple> sources) const;
    Tuple scalar_result(const isa::Instruction& instruction, std::span<const Tuple> sources) const;
    /// Splits `active` by which of two tuples the choosing instruction takes.
    Threads takes_first(const isa::Instruction& instruction, const Tuple& a, const Tuple& b,
                        const Threads& active) const;
    void check(const isa::Instruction& instruction, const std::array<Register, 3>& sources, const Register& made,
               const Threads& active) const;
    std::uint64_t value_of(const Register& pieces, unsigned warp, unsigned lane) const;
    isa::Dim3 thread(unsigned warp, unsigned lane) const;
    Threads predicate(std::uint8_t number, bool negated) const;
    [[noreturn]] void fail(const isa::Instruction& instruction, const std::string& what) const;

    const isa::Kernel& kernel_;
    const isa::Program& program_;
    isa::Dim3 block_;
    std::vector<std::uint32_t> constants_;
    bool checked_;
    unsigned warps_;
    isa::Dim3 ctaid_;
    std::vector<Register> registers_;
    std::array<Threads, isa::kPredicateRegisters> predicates_{};
    std::vector<Path> paths_;  ///< the last runs
    std::vector<WarpQueues> queues_;
    std::uint64_t executed_ = 0;
    std::size_t most_tuples_ = 0;
};

}  // namespace lookahead::dac
