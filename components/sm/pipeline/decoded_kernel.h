#pragma once

#include <cstdint>
#include <vector>

#include "components/isa/decoded_instruction.h"
#include "components/isa/kernel.h"
#include "components/sm/instruction_class.h"
#include "components/sm/parameters.h"

namespace lookahead::gpu {

using isa::Action;
using isa::kPredicateSlots;
using isa::kUnusedPredicate;

/// The most registers that an instruction reads, and the most that all but vector stores read: an address and four
/// words.
inline constexpr unsigned kMaximumReads = isa::kMostVectorMemoryRows;
inline constexpr unsigned kUsualReads = 8;

/// What issue and execution need of one instruction, computed once.
struct DecodedInstruction : isa::DecodedInstruction {
    InstructionClass instruction_class = InstructionClass::integer;
    ExecutionUnit unit = ExecutionUnit::sp;
    std::uint8_t sources = 0;       ///< operands that its handler reads
    std::uint8_t reads = 0;         ///< registers that operand collection reads
    std::uint8_t issue_cycles = 1;  ///< how long it holds its scheduler's slot while its operands are staged
    bool writes = false;            ///< some register or predicate awaits a write-back
    bool writes_predicate = false;
    std::uint8_t issue_distance = 1;  ///< cycles from its issue to the earliest issue of the warp's next instruction
    std::uint8_t write_barrier = isa::IssueControl::kNoBarrier;  ///< see isa::IssueControl
    std::uint8_t read_barrier = isa::IssueControl::kNoBarrier;
    std::uint16_t read_latency = 1;    ///< from its issue until its operands are read
    bool long_latency = false;         ///< its results await memory: loads through L1D, atomics, texture fetches
    std::uint64_t constant_lines = 0;  ///< the lines that it reads of the launch's constant bank (ConstantCache)
    union {
        std::uint16_t usual_reads[kUsualReads] = {};
        const std::uint16_t* many_reads;  ///< set for more than kUsualReads reads; DecodedKernel owns them
    };
    std::uint16_t latency = 1;
    std::uint16_t initiation = 1;

    /// The `reads` registers that operand collection reads.
    const std::uint16_t* read_registers() const { return reads <= kUsualReads ? usual_reads : many_reads; }
};

/// How the SM executes a kernel's instructions.
struct DecodeOptions {
    isa::SimtModel simt = isa::SimtModel::stack;
    bool integer_units = false;  ///< as SmParameters::integer_units
    bool queues = false;         ///< an extension serves the queues between a kernel's programs
    bool control_on_sp = false;  ///< as SmParameters::control_on_sp
    bool control_words = false;  ///< native code issues by its control words, as SmParameters::dependences
};

DecodeOptions decode_options(const SmParameters& sm, isa::SimtModel simt, bool queues);

/// A kernel, with its further programs, as the SM's stages read it. Scoreboard bits, common to all its programs:
/// register r is bit r, predicate p is bit first_predicate_bit + p, dependence counter b is bit first_barrier_bit + b.
class DecodedKernel {
  public:
    /// `kernel` must outlive this object. Throws
    /// ConfigurationError if a kernel lacks such an extension, InternalError for code that the SM cannot execute.
    DecodedKernel(const isa::Kernel& kernel, const TimingParameters& timing, const DecodeOptions& options = {});
    // Decoded instructions have pointers into this object.
    DecodedKernel(const DecodedKernel&) = delete;
    DecodedKernel& operator=(const DecodedKernel&) = delete;

    const isa::Kernel& kernel() const { return kernel_; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(code_.size()); }
    const DecodedInstruction& operator[](std::uint32_t pc) const { return code_[pc]; }

    unsigned scoreboard_words() const { return words_; }
    unsigned first_predicate_bit() const { return registers_; }
    unsigned first_barrier_bit() const { return registers_ + isa::kPredicateSlots; }
    /// Whether control words say when its instructions issue; the scoreboard then has only what the parts of one
    /// native instruction pass on, and the dependence counters that are not 0.
    bool by_control_words() const { return by_control_words_; }
    /// Whether more than its own effects follows an instruction's issue: a control word, or a recording.
    bool is_directed() const { return is_directed_; }
    /// The binary logarithm of an instruction's bytes.
    unsigned instruction_shift() const { return instruction_shift_; }
    /// Sets of scoreboard bits: `needs` are the instruction's sources and destinations, none of which may be pending
    /// when it issues; `reads` are its sources, `writes` its destinations.
    const std::uint64_t* needs(std::uint32_t pc) const { return needs_.data() + std::size_t{pc} * words_; }
    const std::uint64_t* reads(std::uint32_t pc) const { return reads_.data() + std::size_t{pc} * words_; }
    const std::uint64_t* writes(std::uint32_t pc) const { return writes_.data() + std::size_t{pc} * words_; }

  private:
    void decode(std::uint32_t pc, const TimingParameters& timing, const DecodeOptions& options);
    void follow_control_words(const TimingParameters& timing);
    void decode_many_reads(std::uint32_t pc);
    void mark_registers(std::vector<std::uint64_t>& sets, std::uint32_t pc, unsigned first, unsigned count);
    void mark(std::vector<std::uint64_t>& sets, std::uint32_t pc, unsigned bit);
    void mark_predicate(std::vector<std::uint64_t>& sets, std::uint32_t pc, unsigned predicate);

    const isa::Kernel& kernel_;
    unsigned registers_;  ///< the most that a program of the kernel has
    bool by_control_words_;
    bool is_directed_;
    unsigned instruction_shift_;
    unsigned words_;
    std::vector<std::vector<std::uint16_t>> many_reads_;
    std::vector<DecodedInstruction> code_;
    std::vector<std::uint64_t> needs_;
    std::vector<std::uint64_t> reads_;
    std::vector<std::uint64_t> writes_;
};

/// The longest time from an instruction's issue until its operands are read.
std::int64_t longest_read_latency(const TimingParameters& timing);

/// The longest latency or initiation interval of all classes.
std::int64_t longest(const TimingParameters& timing, std::int64_t ClassTiming::*cost);

}  // namespace lookahead::gpu
