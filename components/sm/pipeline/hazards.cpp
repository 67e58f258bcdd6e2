#include "components/sm/pipeline/hazards.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

namespace lookahead::gpu {
namespace {

using isa::Operation;

/// What is known of one register or predicate when an instruction issues, over all paths to it.
struct Pending {
    std::uint16_t cycles = 0;                  ///< until the last write is there
    std::uint8_t barriers = 0;                 ///< that count its writes, a bit each
    std::uint8_t guard = isa::kTruePredicate;  ///< of the writes: lanes without it wait for nothing
    bool guard_negated = false;
    std::uint32_t writer = 0;

    bool operator==(const Pending&) const = default;
    bool is_open() const { return cycles != 0 || barriers != 0; }
    void merge(const Pending& other) {
        if (!other.is_open()) { return; }
        if (!is_open()) {
            *this = other;
            return;
        }
        if (guard != other.guard || guard_negated != other.guard_negated) { guard = isa::kTruePredicate; }
        if (other.cycles > cycles || (barriers == 0 && other.barriers != 0)) { writer = other.writer; }
        cycles = std::max(cycles, other.cycles);
        barriers |= other.barriers;
    }
};
using PendingWrites = std::vector<Pending>;  ///< by bit of the scoreboard

class HazardSearch {
  public:
    HazardSearch(const isa::Kernel& kernel, const TimingParameters& timing, DecodeOptions options)
        : kernel_(kernel), by_words_(kernel, timing, options), whole_(kernel, timing, without_words(options)) {
        leaders_.insert(0);
        for (std::uint32_t pc = 0; pc < whole_.size(); ++pc) {
            if (!ends_block(pc)) { continue; }
            leaders_.insert(pc + 1);
            if (kernel.code[pc].target != isa::kNoTarget) { leaders_.insert(kernel.code[pc].target); }
        }
        leaders_.erase(whole_.size());
    }

    std::string find() {
        std::vector<PendingWrites> at(whole_.size());
        std::set<std::uint32_t> open = leaders_;
        for (const std::uint32_t leader : leaders_) { at[leader].resize(whole_.scoreboard_words() * 64); }
        while (!open.empty() && hazard_.empty()) {
            std::uint32_t pc = *open.begin();
            open.erase(open.begin());
            PendingWrites now = at[pc];
            const auto reach = [&](std::uint32_t next) {
                const PendingWrites before = at[next];
                for (std::size_t bit = 0; bit < now.size(); ++bit) { at[next][bit].merge(now[bit]); }
                if (at[next] != before) { open.insert(next); }
            };
            while (true) {
                issue(pc, now);
                const isa::Instruction& instruction = kernel_.code[pc];
                const bool branches = ends_block(pc);
                if (branches && instruction.target != isa::kNoTarget) { reach(instruction.target); }
                if (branches && !goes_on(pc)) { break; }
                if (++pc == whole_.size()) { break; }
                if (leaders_.contains(pc)) {
                    reach(pc);
                    break;
                }
            }
        }
        return hazard_;
    }

  private:
    static DecodeOptions without_words(DecodeOptions options) {
        options.control_words = false;
        return options;
    }
    bool ends_block(std::uint32_t pc) const {
        return kernel_.code[pc].operation == Operation::bra || kernel_.code[pc].operation == Operation::exit;
    }
    bool goes_on(std::uint32_t pc) const {
        const isa::Instruction& instruction = kernel_.code[pc];
        return instruction.guard != isa::kTruePredicate || instruction.guard_negated ||
               instruction.source_predicate != isa::kNoPredicate;
    }
    static bool has(const std::uint64_t* set, std::size_t bit) { return (set[bit / 64] >> bit % 64 & 1) != 0; }

    void issue(std::uint32_t pc, PendingWrites& now) {
        const isa::IssueControl& control = kernel_.controls[pc];
        const DecodedInstruction& decoded = whole_[pc];
        const bool counted = control.write_barrier != isa::IssueControl::kNoBarrier;
        for (std::size_t bit = 0; bit < now.size(); ++bit) {
            Pending& pending = now[bit];
            pending.barriers &= static_cast<std::uint8_t>(~control.waits);
            const bool writes = has(whole_.writes(pc), bit);
            const bool reads = has(whole_.reads(pc), bit);
            const bool is_kept = has(by_words_.needs(pc), bit);  // by the scoreboard
            const unsigned hidden = reads ? read_delay(pc, bit) : counted ? 1U : decoded.latency;
            if ((reads || writes) && !is_kept && (pending.cycles > hidden || pending.barriers != 0) &&
                !excludes(kernel_.code[pc], pending)) {
                report(pc, bit, pending);
            }
            if (writes) {
                Pending written = write_of(pc, bit, control, decoded);
                if (decoded.guarded) { written.merge(pending); }
                pending = written;
            }
            const auto distance = static_cast<std::uint16_t>(control.issue_distance());
            pending.cycles = static_cast<std::uint16_t>(pending.cycles - std::min(pending.cycles, distance));
        }
        // What is known of a guard ends with the predicate's next value.
        for (Pending& pending : now) {
            if (pending.guard != isa::kTruePredicate &&
                has(whole_.writes(pc), whole_.first_predicate_bit() + pending.guard) && pending.writer != pc) {
                pending.guard = isa::kTruePredicate;
            }
        }
    }

    Pending write_of(std::uint32_t pc, std::size_t bit, const isa::IssueControl& control,
                     const DecodedInstruction& decoded) const {
        const isa::Instruction& instruction = kernel_.code[pc];
        Pending written{0, 0, instruction.guard, instruction.guard_negated, pc};
        if (control.write_barrier != isa::IssueControl::kNoBarrier) {
            written.barriers = static_cast<std::uint8_t>(1U << control.write_barrier);
        } else if (decoded.unit != ExecutionUnit::memory) {
            // The lower word of a wide product is there a cycle earlier: ptxas lets its readers issue after 3 cycles,
            // those of the upper one after 4.
            const bool is_lower = instruction.destination_rows == 2 && bit == instruction.destination &&
                                  (decoded.instruction_class == InstructionClass::integer_mad ||
                                   decoded.instruction_class == InstructionClass::integer_multiply);
            written.cycles = static_cast<std::uint16_t>(decoded.latency - (is_lower ? 1 : 0));
        }
        return written;
    }
    /// Cycles after its issue in which a wide product reads the addend's upper word: ptxas lets it issue 2 cycles after
    /// the writer of this word, and others 4.
    unsigned read_delay(std::uint32_t pc, std::size_t bit) const {
        constexpr unsigned kDelay = 2;
        const isa::Instruction& instruction = kernel_.code[pc];
        const isa::Operand& addend = instruction.source[2];
        const bool is_upper = instruction.operation == Operation::mad_wide && addend.kind == isa::Operand::Kind::reg &&
                              addend.rows == 2 && bit == addend.index + 1u;
        return is_upper ? kDelay : 0;
    }
    /// Whether no lane executes both the instruction and the pending write: their guards are each other's complement.
    static bool excludes(const isa::Instruction& instruction, const Pending& pending) {
        return pending.guard != isa::kTruePredicate && pending.guard == instruction.guard &&
               pending.guard_negated != instruction.guard_negated;
    }

    void report(std::uint32_t pc, std::size_t bit, const Pending& pending) {
        if (!hazard_.empty()) { return; }
        const unsigned first = whole_.first_predicate_bit();
        const std::string place =
            bit < first ? fmt::format("register {}", bit) : fmt::format("predicate {}", bit - first);
        const std::string reason =
            pending.barriers != 0
                ? fmt::format("does not wait for barrier {}, which counts it", std::countr_zero(pending.barriers))
                : fmt::format("may issue {} cycles too early for the latency of {} cycles", pending.cycles,
                              whole_[pending.writer].latency);
        hazard_ = fmt::format("address {:#x} needs {}, which address {:#x} writes, and {}", address_of(pc), place,
                              address_of(pending.writer), reason);
    }
    std::uint64_t address_of(std::uint32_t pc) const {
        const auto next = std::ranges::upper_bound(kernel_.entries, pc);
        return static_cast<std::uint64_t>(next - kernel_.entries.begin() - 1) * isa::kNativeInstructionBytes;
    }

    const isa::Kernel& kernel_;
    const DecodedKernel by_words_;
    const DecodedKernel whole_;  ///< with all that its instructions need and write
    std::set<std::uint32_t> leaders_;
    std::string hazard_;
};

}  // namespace

std::string control_word_hazard(const isa::Kernel& kernel, const TimingParameters& timing,
                                const DecodeOptions& options) {
    return kernel.controls.empty() ? std::string() : HazardSearch(kernel, timing, options).find();
}

}  // namespace lookahead::gpu
