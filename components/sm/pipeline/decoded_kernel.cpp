#include "components/sm/pipeline/decoded_kernel.h"

#include <algorithm>
#include <bit>

#include "components/isa/modes.h"
#include "components/sm/constant/constant_cache.h"
#include "core/error/error.h"

namespace lookahead::gpu {
namespace {

using isa::Operation;

void refuse_queues(const isa::Kernel& kernel, const isa::Instruction& instruction) {
    if (instruction.operation != Operation::enqueue && instruction.operation != Operation::dequeue &&
        !instruction.dequeues) {
        return;
    }
    throw ConfigurationError(
        "{}:{}: kernel {} has streams with queues between them, for which the SM has no extension; sm.issue_extension "
        "= dac has them, and kernel.transform = none leaves the kernel whole",
        kernel.source_file, instruction.line, kernel.name);
}

/// Whether the instruction is in a class of additions but is no addition.
bool is_simple(const isa::Instruction& instruction, InstructionClass instruction_class) {
    const bool adds = instruction.operation == Operation::add || instruction.operation == Operation::sub;
    return !adds && (instruction_class == InstructionClass::integer || instruction_class == InstructionClass::fp32_add);
}

Action recorded_action(Action action) {
    switch (action) {
        case Action::alu:
        case Action::special_register:
            return Action::recorded;
        case Action::branch:
        case Action::computed_branch:
            return Action::recorded_branch;
        default:
            return action;
    }
}

/// One cycle for the address and a stride, and one for each four rows of indices and data (Crago et al., TACO 2018,
/// section 4.3). With 4, 8 or 16 elements: a strided load takes 1 cycle, a strided store or indirect load 2, 3 or 5, an
/// indirect store 3, 5 or 9.
unsigned issue_cycles_of(const isa::Instruction& instruction) {
    unsigned vectors = 0;
    if (isa::is_vector_memory(instruction.operation)) {
        vectors = unsigned{isa::is_store(instruction.operation)} + unsigned{!isa::is_strided(instruction.operation)};
    }
    return 1 + vectors * instruction.vector / 4;
}

/// Loads of global, local and generic addresses, texture fetches, and atomics of global memory (Kim et al., HPCA 2016,
/// section 3).
bool is_long_latency(InstructionClass instruction_class) {
    using enum InstructionClass;
    return instruction_class == load_global || instruction_class == load_local || instruction_class == atomic_global ||
           instruction_class == texture;
}

/// Literals are part of the instruction, and zero is a register (RZ). Parameters have at most 4352 bytes: the last line
/// stands for all after it.
std::uint64_t constant_lines_of(const isa::Kernel& kernel, const isa::Operand& operand) {
    std::uint64_t lines = 0;
    for (unsigned row = operand.index;
         row < std::min<unsigned>(operand.index + operand.rows, kernel.first_literal_row()); ++row) {
        if (row != static_cast<unsigned>(isa::LaunchRow::zero)) {
            lines |= std::uint64_t{1} << std::min(row / ConstantCache::kWords, ConstantCache::kLines - 1);
        }
    }
    return lines;
}

/// From issue until the operands are read (Huerta et al., MICRO 2025, table 2).
std::int64_t read_latency_of(const isa::Instruction& instruction, InstructionClass instruction_class,
                             const TimingParameters& timing) {
    using enum InstructionClass;
    const bool stores = isa::is_store(instruction.operation) || instruction_class == atomic_global ||
                        instruction_class == atomic_shared;
    std::int64_t latency = timing.operand_read_latency;
    if (instruction_class == load_constant) { latency = timing.constant_read_latency; }
    if (is_long_latency(instruction_class) || instruction_class == store_global || instruction_class == store_local) {
        latency = timing.global_read_latency;
    }
    const unsigned words = std::max<unsigned>(instruction.source[1].rows, 1);
    return stores ? latency + timing.store_read_latency + (words - 1) * timing.store_word_read_latency : latency;
}

}  // namespace

DecodeOptions decode_options(const SmParameters& sm, isa::SimtModel simt, bool queues) {
    return {simt, sm.integer_units > 0, queues, sm.control_on_sp, sm.dependences == "control_words"};
}

DecodedKernel::DecodedKernel(const isa::Kernel& kernel, const TimingParameters& timing, const DecodeOptions& options)
    : kernel_(kernel),
      registers_(kernel.most_registers()),
      by_control_words_(options.control_words && !kernel.controls.empty()),
      is_directed_(by_control_words_ || kernel.recording != nullptr),
      instruction_shift_(static_cast<unsigned>(std::countr_zero(kernel.instruction_bytes))),
      words_((registers_ + (kernel.entries.empty() ? isa::kPredicateRegisters : isa::kPredicateSlots) +
              (by_control_words_ ? isa::IssueControl::kBarriers : 0) + 63) /
             64),
      code_(kernel.code.size()),
      needs_(kernel.code.size() * words_, 0),
      reads_(kernel.code.size() * words_, 0),
      writes_(kernel.code.size() * words_, 0) {
    for (std::uint32_t pc = 0; pc < size(); ++pc) {
        if (!options.queues) { refuse_queues(kernel, kernel.code[pc]); }
        decode(pc, timing, options);
    }
    if (by_control_words_) { follow_control_words(timing); }
}

/// The registers and predicates that an instruction needs are left to its control word, except those that an earlier
/// part of the same native instruction writes, and those of loads without a write barrier: GPUs load constants for the
/// uniform unit and for operands in a fixed time once they are in the cache, and wait at issue until they are.
void DecodedKernel::follow_control_words(const TimingParameters& timing) {
    std::vector<std::uint64_t> loaded(words_, 0);
    const auto is_loaded = [&](std::uint32_t pc) {
        return code_[pc].unit == ExecutionUnit::memory &&
               kernel_.controls[pc].write_barrier == isa::IssueControl::kNoBarrier;
    };
    for (std::uint32_t pc = 0; pc < size(); ++pc) {
        for (unsigned word = 0; is_loaded(pc) && word < words_; ++word) { loaded[word] |= writes(pc)[word]; }
    }
    for (std::size_t i = 0; i < kernel_.entries.size(); ++i) {
        const std::uint32_t end = i + 1 < kernel_.entries.size() ? kernel_.entries[i + 1] : size();
        std::vector<std::uint64_t> written = loaded, needed(words_, 0);
        for (std::uint32_t pc = kernel_.entries[i]; pc < end; ++pc) {
            for (unsigned word = 0; word < words_; ++word) {
                std::uint64_t& needs = needs_[std::size_t{pc} * words_ + word];
                needs &= written[word];
                needed[word] |= needs;
                written[word] |= writes(pc)[word];
            }
        }
        for (std::uint32_t pc = kernel_.entries[i]; pc < end; ++pc) {
            for (unsigned word = 0; word < words_; ++word) {
                writes_[std::size_t{pc} * words_ + word] &= is_loaded(pc) ? ~std::uint64_t{0} : needed[word];
            }
        }
    }
    for (std::uint32_t pc = 0; pc < size(); ++pc) {
        const isa::IssueControl& control = kernel_.controls[pc];
        DecodedInstruction& to = code_[pc];
        to.issue_distance = static_cast<std::uint8_t>(control.issue_distance());
        to.write_barrier = control.write_barrier;
        to.read_barrier = control.read_barrier;
        to.read_latency = static_cast<std::uint16_t>(read_latency_of(*to.instruction, to.instruction_class, timing));
        const std::uint64_t* const writes = this->writes(pc);
        to.writes &= to.unit == ExecutionUnit::memory || to.write_barrier != isa::IssueControl::kNoBarrier ||
                     std::any_of(writes, writes + words_, [](std::uint64_t word) { return word != 0; });
        for (unsigned barrier = 0; barrier < isa::IssueControl::kBarriers; ++barrier) {
            if ((control.waits >> barrier & 1) != 0) { mark(needs_, pc, first_barrier_bit() + barrier); }
        }
    }
}

void DecodedKernel::decode(std::uint32_t pc, const TimingParameters& timing, const DecodeOptions& options) {
    const isa::Instruction& from = kernel_.code[pc];
    DecodedInstruction& to = code_[pc];
    static_cast<isa::DecodedInstruction&>(to) = isa::decode(from, options.simt);
    if (kernel_.recording != nullptr) { to.action = recorded_action(to.action); }
    LOOKAHEAD_ASSERT(!isa::lacks_handler(to), "{}:{}: no handler for the machine instruction at index {} of {}",
                     kernel_.source_file, from.line, pc, kernel_.name);
    to.issue_cycles = static_cast<std::uint8_t>(issue_cycles_of(from));
    to.instruction_class = class_of(from);
    const bool reports =
        from.operation == Operation::enqueue && from.mode == static_cast<std::uint8_t>(isa::QueueMode::lanes);
    to.unit = from.operation == Operation::dequeue || reports ? ExecutionUnit::control
                                                              : unit_of(to.instruction_class, options.integer_units);
    if (options.control_on_sp && to.unit == ExecutionUnit::control &&
        (to.action == Action::branch || to.action == Action::exit || to.action == Action::barrier)) {
        to.unit = ExecutionUnit::sp;
    }
    ClassTiming cost = timing_of(to.instruction_class, timing);
    if (timing.simple_latency > 0 && is_simple(from, to.instruction_class)) { cost = {timing.simple_latency, 1}; }
    if (timing.uniform_move_latency > 0 && from.uniform && from.operation == Operation::mov) {
        cost.latency = timing.uniform_move_latency;
    }
    to.latency = static_cast<std::uint16_t>(cost.latency);
    to.initiation = static_cast<std::uint16_t>(cost.initiation);
    to.long_latency = is_long_latency(to.instruction_class);
    for (unsigned i = 0; i < std::size(from.source); ++i) {
        if (from.source[i].kind != isa::Operand::Kind::none && i < 3) { to.sources = static_cast<std::uint8_t>(i + 1); }
        if (from.source[i].kind == isa::Operand::Kind::constant) {
            to.constant_lines |= constant_lines_of(kernel_, from.source[i]);
        }
        if (from.source[i].kind == isa::Operand::Kind::reg) {
            mark_registers(needs_, pc, from.source[i].index, from.source[i].rows);
            if (from.source[i].index >= kernel_.registers_per_thread()) { continue; }  // no port of the register file
            for (unsigned word = 0; word < from.source[i].rows; ++word, ++to.reads) {
                if (to.reads < kUsualReads) {
                    to.usual_reads[to.reads] = static_cast<std::uint16_t>(from.source[i].index + word);
                }
            }
        }
    }
    if (to.reads > kUsualReads) { decode_many_reads(pc); }
    mark_predicate(needs_, pc, to.guard.slot);
    mark_predicate(needs_, pc, to.source_predicate.slot);
    mark_predicate(needs_, pc, to.source_predicate2.slot);
    mark_registers(writes_, pc, from.destination, from.destination_rows);
    mark_predicate(writes_, pc, to.destination_predicate);
    mark_predicate(writes_, pc, to.destination_predicate2);
    to.writes_predicate = to.destination_predicate != kUnusedPredicate || to.destination_predicate2 != kUnusedPredicate;
    to.writes = from.destination_rows > 0 || to.writes_predicate;
    for (unsigned word = 0; word < words_; ++word) {
        const std::size_t at = std::size_t{pc} * words_ + word;
        reads_[at] = needs_[at];
        needs_[at] |= writes_[at];
    }
}

void DecodedKernel::decode_many_reads(std::uint32_t pc) {
    std::vector<std::uint16_t>& reads = many_reads_.emplace_back();
    for (const isa::Operand& operand : kernel_.code[pc].source) {
        if (operand.index >= kernel_.registers_per_thread()) { continue; }
        for (unsigned word = 0; operand.kind == isa::Operand::Kind::reg && word < operand.rows; ++word) {
            reads.push_back(static_cast<std::uint16_t>(operand.index + word));
        }
    }
    LOOKAHEAD_ASSERT(reads.size() <= kMaximumReads, "{}: instruction {} reads more registers than any can",
                     kernel_.name, pc);
    code_[pc].many_reads = reads.data();
}

void DecodedKernel::mark_registers(std::vector<std::uint64_t>& sets, std::uint32_t pc, unsigned first, unsigned count) {
    LOOKAHEAD_ASSERT(count == 0 || first + count <= registers_, "{}: instruction {} names register {} of {}",
                     kernel_.name, pc, first + count - 1, registers_);
    for (unsigned bit = first; bit < first + count; ++bit) { mark(sets, pc, bit); }
}

void DecodedKernel::mark(std::vector<std::uint64_t>& sets, std::uint32_t pc, unsigned bit) {
    sets[std::size_t{pc} * words_ + bit / 64] |= std::uint64_t{1} << (bit % 64);
}

void DecodedKernel::mark_predicate(std::vector<std::uint64_t>& sets, std::uint32_t pc, unsigned predicate) {
    if (predicate != isa::kTruePredicate && predicate != kUnusedPredicate) { mark(sets, pc, registers_ + predicate); }
}

std::int64_t longest(const TimingParameters& timing, std::int64_t ClassTiming::*cost) {
    std::int64_t longest = 0;
    for (unsigned c = 0; c < kInstructionClasses; ++c) {
        longest = std::max(longest, timing_of(static_cast<InstructionClass>(c), timing).*cost);
    }
    return longest;
}

std::int64_t longest_read_latency(const TimingParameters& timing) {
    constexpr std::int64_t kMostWords = 4;
    return std::max({timing.operand_read_latency, timing.global_read_latency, timing.constant_read_latency}) +
           timing.store_read_latency + (kMostWords - 1) * timing.store_word_read_latency;
}

}  // namespace lookahead::gpu
