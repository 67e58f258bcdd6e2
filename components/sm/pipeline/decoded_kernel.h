#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "components/isa/handlers.h"
#include "components/isa/kernel.h"
#include "components/isa/simt_state.h"
#include "components/sm/instruction_class.h"
#include "components/sm/parameters.h"

namespace lookahead::gpu {

/// What the execute stage does with an instruction.
enum class Action : std::uint8_t {
    alu,
    special_register,
    memory,
    fence,
    branch,
    exit,
    barrier,
    trap,
    meeting,    ///< an alu instruction, or none, that lanes named by its member mask execute together
    converged,  ///< the same on a stack: those that run are all that can meet
    queue,      ///< enqueues or dequeues, and does nothing else: an extension does it
    nothing
};

/// A context's predicates as the decoded instructions number them: P0..P6, the constant PT, and one that nobody reads,
/// which stands for "none".
inline constexpr unsigned kPredicateSlots = 9;
inline constexpr std::uint8_t kUnusedPredicate = 8;

/// 32-bit registers that an instruction reads at most, and all but vector stores: an address and four words take six.
inline constexpr unsigned kMaximumReads = isa::kMostVectorMemoryRows;
inline constexpr unsigned kUsualReads = 8;

/// A predicate and what its value is xor-ed with.
struct DecodedPredicate {
    std::uint8_t slot = kUnusedPredicate;
    isa::LaneMask flip = 0;
};

/// All that issue and execution of one instruction need, computed once.
struct DecodedInstruction {
    isa::AluHandler handler = nullptr;
    const isa::Instruction* instruction = nullptr;
    Action action = Action::nothing;
    InstructionClass instruction_class = InstructionClass::integer;
    ExecutionUnit unit = ExecutionUnit::sp;
    std::uint8_t sources = 0;       ///< that its handler reads
    std::uint8_t members = 0;       ///< source that holds the member mask
    std::uint8_t reads = 0;         ///< registers that operand collection reads
    std::uint8_t issue_cycles = 1;  ///< for which it holds its scheduler's slot, to have its operands staged
    bool guarded = false;
    bool writes = false;  ///< some register or predicate awaits a write-back
    bool writes_predicate = false;
    bool long_latency = false;         ///< what it writes counts as awaiting memory: global and local loads and atomics
    std::uint64_t constant_lines = 0;  ///< that it reads of the launch's constant bank (ConstantCache)
    union {
        std::uint16_t usual_reads[kUsualReads] = {};
        const std::uint16_t* many_reads;  ///< where there are more than that; DecodedKernel has them
    };
    std::uint16_t latency = 1;
    std::uint16_t initiation = 1;
    DecodedPredicate guard;
    DecodedPredicate source_predicate;
    DecodedPredicate source_predicate2;
    std::uint8_t destination_predicate = kUnusedPredicate;
    std::uint8_t destination_predicate2 = kUnusedPredicate;

    /// What operand collection reads: `reads` of them.
    const std::uint16_t* read_registers() const { return reads <= kUsualReads ? usual_reads : many_reads; }

    /// The active lanes whose guard holds.
    isa::LaneMask guarded_lanes(isa::LaneMask active, const isa::LaneMask* predicates) const {
        return guarded ? active & (predicates[guard.slot] ^ guard.flip) : active;
    }
};

/// A kernel, with its further programs, as the SM's stages read it. Scoreboard bits: register r is bit r, predicate p
/// is bit first_predicate_bit + p; all of the kernel's programs have them there.
class DecodedKernel {
  public:
    /// `kernel` outlives it. `queues`: an extension serves those between the kernel's programs. ConfigurationError for
    /// kernels that need that and do not have it, InternalError for code that the SM cannot execute.
    DecodedKernel(const isa::Kernel& kernel, const TimingParameters& timing,
                  isa::SimtModel simt = isa::SimtModel::stack, bool integer_units = false, bool queues = false,
                  bool control_on_sp = false);
    // Instructions point into it.
    DecodedKernel(const DecodedKernel&) = delete;
    DecodedKernel& operator=(const DecodedKernel&) = delete;

    const isa::Kernel& kernel() const { return kernel_; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(code_.size()); }
    const DecodedInstruction& operator[](std::uint32_t pc) const { return code_[pc]; }

    unsigned scoreboard_words() const { return words_; }
    unsigned first_predicate_bit() const { return registers_; }
    /// Registers and predicates that must not be pending when the instruction issues: its sources and destinations.
    const std::uint64_t* needs(std::uint32_t pc) const { return needs_.data() + std::size_t{pc} * words_; }
    const std::uint64_t* reads(std::uint32_t pc) const { return reads_.data() + std::size_t{pc} * words_; }
    const std::uint64_t* writes(std::uint32_t pc) const { return writes_.data() + std::size_t{pc} * words_; }

  private:
    void decode(std::uint32_t pc, const TimingParameters& timing, isa::SimtModel simt, bool integer_units,
                bool control_on_sp);
    void decode_many_reads(std::uint32_t pc);
    void mark_registers(std::vector<std::uint64_t>& sets, std::uint32_t pc, unsigned first, unsigned count);
    void mark_predicate(std::vector<std::uint64_t>& sets, std::uint32_t pc, unsigned predicate);

    const isa::Kernel& kernel_;
    unsigned registers_;  ///< the most that a program of the kernel has
    unsigned words_;
    std::vector<std::vector<std::uint16_t>> many_reads_;
    std::vector<DecodedInstruction> code_;
    std::vector<std::uint64_t> needs_;
    std::vector<std::uint64_t> reads_;
    std::vector<std::uint64_t> writes_;
};

/// The longest latency of any pipeline.
std::int64_t longest_latency(const TimingParameters& timing);
std::int64_t longest_initiation(const TimingParameters& timing);

}  // namespace lookahead::gpu
