#include "components/mechanisms/caps/backward_slice.h"

#include "components/isa/instruction.h"
#include "core/bits/one_of.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {
namespace {

using isa::Instruction;
using isa::Operation;

bool is_conditional(const Instruction& instruction) {
    return instruction.guard != isa::kTruePredicate || instruction.guard_negated;
}

/// The registers and predicates whose values may depend on data, before each instruction: a forward fixed point over
/// the control-flow graph, which marks the same loads as a walk back from each of them.
class Taint {
  public:
    explicit Taint(const isa::Kernel& kernel)
        : kernel_(kernel), width_(kernel.registers + isa::kPredicateRegisters + 1) {
        before_.assign(kernel.code.size(), std::vector<bool>(width_));
        reached_.assign(kernel.code.size(), false);
        if (!kernel.code.empty()) { join(0, std::vector<bool>(width_)); }
        while (!open_.empty()) {
            const std::uint32_t pc = open_.back();
            open_.pop_back();
            flow(pc);
        }
    }

    /// Whether the memory instruction's address depends on data.
    bool address(std::uint32_t pc) const { return operand(before_[pc], kernel_.code[pc].source[0]); }
    bool reached(std::uint32_t pc) const { return reached_[pc]; }

  private:
    static bool operand(const std::vector<bool>& taint, const isa::Operand& source) {
        if (source.kind == isa::Operand::Kind::reg) {
            for (unsigned row = 0; row < source.rows; ++row) {
                if (taint[source.index + row]) { return true; }
            }
        }
        return false;
    }
    std::size_t place(std::uint8_t predicate) const { return kernel_.registers + predicate; }
    bool predicate(const std::vector<bool>& taint, std::uint8_t number) const {
        return number < isa::kPredicateRegisters && taint[place(number)];
    }

    /// Whether the result is data whatever the operands are.
    static bool is_source(const Instruction& instruction) {
        if (instruction.operation == Operation::load) { return instruction.space != isa::Space::constant; }
        if (instruction.operation == Operation::read_special) {
            using enum isa::SpecialRegister;
            return is_one_of(instruction.special, warpid, smid, clock, clock64, globaltimer);
        }
        using enum Operation;
        return is_one_of(instruction.operation, load_stride, load_indirect, texture, atomic, shuffle, vote, match,
                         activemask, redux);
    }

    bool result(const std::vector<bool>& taint, const Instruction& instruction) const {
        bool tainted = is_source(instruction) || predicate(taint, instruction.source_predicate) ||
                       predicate(taint, instruction.source_predicate2) || predicate(taint, instruction.guard);
        for (const isa::Operand& source : instruction.source) { tainted = tainted || operand(taint, source); }
        return tainted;
    }

    void flow(std::uint32_t pc) {
        const Instruction& instruction = kernel_.code[pc];
        std::vector<bool> after = before_[pc];
        const bool tainted = result(before_[pc], instruction);
        // A guarded instruction leaves the old value in some lanes.
        const auto write = [&](std::size_t at) {
            after[at] =
                tainted || (LOOKAHEAD_RULE(guarded_write_keeps_data) && is_conditional(instruction) && after[at]);
        };
        for (unsigned row = 0; row < instruction.destination_rows; ++row) { write(instruction.destination + row); }
        for (const std::uint8_t each : {instruction.destination_predicate, instruction.destination_predicate2}) {
            if (each < isa::kPredicateRegisters) { write(place(each)); }
        }
        const bool branches = instruction.operation == Operation::bra;
        if (branches && instruction.target != isa::kNoTarget) { join(instruction.target, after); }
        const bool ends = (branches || instruction.operation == Operation::exit) && !is_conditional(instruction);
        if (!ends && pc + 1 < kernel_.code.size()) { join(pc + 1, after); }
    }

    void join(std::uint32_t pc, const std::vector<bool>& taint) {
        bool changed = !reached_[pc];
        reached_[pc] = true;
        for (std::size_t i = 0; i < width_; ++i) {
            if (taint[i] && !before_[pc][i]) { before_[pc][i] = changed = true; }
        }
        if (changed) { open_.push_back(pc); }
    }

    const isa::Kernel& kernel_;
    std::size_t width_;
    std::vector<std::vector<bool>> before_;
    std::vector<bool> reached_;
    std::vector<std::uint32_t> open_;
};

}  // namespace

std::vector<bool> direct_loads(const isa::Kernel& kernel) {
    std::vector<bool> direct(kernel.code.size());
    const Taint taint(kernel);
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
        const Instruction& instruction = kernel.code[pc];
        const bool global = instruction.space == isa::Space::global || instruction.space == isa::Space::generic;
        direct[pc] = instruction.operation == Operation::load && global && instruction.order == isa::Order::weak &&
                     taint.reached(pc) && !taint.address(pc);
    }
    return direct;
}

}  // namespace lookahead::gpu
