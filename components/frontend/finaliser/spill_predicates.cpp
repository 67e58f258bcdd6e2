#include "components/frontend/finaliser/spill_predicates.h"

#include <vector>

#include "components/frontend/finaliser/allocate.h"
#include "components/frontend/finaliser/literals.h"
#include "components/frontend/finaliser/live_ranges.h"

namespace lookahead::finaliser {

using isa::Operand;
using isa::Operation;

namespace {

/// Whether the instruction may run in lanes where its guard fails, if its results go to new places.
bool can_run_unguarded(const VirtualInstruction& instruction) {
    switch (instruction.machine.operation) {
        case Operation::setp:
        case Operation::pred_and:
        case Operation::pred_or:
        case Operation::pred_xor:
        case Operation::pred_not:
        case Operation::pred_mov:
            return true;
        default:
            return false;
    }
}

bool writes_predicate(const VirtualInstruction& instruction, std::uint32_t predicate) {
    return instruction.destination_predicate[0] == predicate || instruction.destination_predicate[1] == predicate;
}

/// Moves one predicate to a row.
class Spiller {
  public:
    Spiller(VirtualKernel& kernel, std::uint32_t predicate)
        : kernel_(kernel), predicate_(predicate), row_(kernel.new_rows(1)) {}

    void run() {
        for (VirtualBlock& block : kernel_.blocks) {
            std::vector<VirtualInstruction> code;
            for (const VirtualInstruction& instruction : block.code) rewrite(instruction, code);
            block.code = std::move(code);
        }
    }

  private:
    void rewrite(VirtualInstruction instruction, std::vector<VirtualInstruction>& code) {
        reload(instruction, code);
        if (!writes_predicate(instruction, predicate_)) {
            code.push_back(instruction);
            return;
        }
        const PredicateUse guard = instruction.guard;
        const std::uint32_t result = kernel_.new_predicate();
        if (instruction.guarded()) run_unguarded(instruction);
        for (std::uint32_t& destination : instruction.destination_predicate)
            if (destination == predicate_) destination = result;
        code.push_back(instruction);
        keep(result, guard, instruction.machine.line, code);
        for (const auto& [from, to] : guarded_copies_) copy(from, to, guard, instruction.machine.line, code);
        guarded_copies_.clear();
    }

    /// The other destination of a guarded setp must not change where the guard fails either.
    void run_unguarded(VirtualInstruction& instruction) {
        for (std::uint32_t& destination : instruction.destination_predicate) {
            if (destination == kNone || destination == predicate_) continue;
            const std::uint32_t other = kernel_.new_predicate();
            guarded_copies_.push_back({other, destination});
            destination = other;
        }
        instruction.guard = {kAlways, false};
    }

    VirtualOperand predicate_row() const { return {Operand::Kind::reg, 1, row_}; }

    void reload(VirtualInstruction& instruction, std::vector<VirtualInstruction>& code) {
        std::uint32_t loaded = kNone;
        for (PredicateUse* use :
             {&instruction.guard, &instruction.source_predicate[0], &instruction.source_predicate[1]}) {
            if (use->index != predicate_) continue;
            if (loaded == kNone) {
                loaded = kernel_.new_predicate();
                VirtualInstruction test;
                test.machine.operation = Operation::setp;
                test.machine.type = isa::Type::u32;
                test.machine.comparison = isa::Comparison::ne;
                test.machine.line = instruction.machine.line;
                test.source = {predicate_row(), literal(kernel_.frame, 0, 1), {}};
                test.destination_predicate[0] = loaded;
                code.push_back(test);
            }
            use->index = loaded;
        }
    }

    /// Writes the predicate's row.
    void keep(std::uint32_t predicate, PredicateUse guard, std::uint32_t line, std::vector<VirtualInstruction>& code) {
        VirtualInstruction select;
        select.machine.operation = Operation::select;
        select.machine.type = isa::Type::b32;
        select.machine.line = line;
        select.source = {literal(kernel_.frame, 1, 1), literal(kernel_.frame, 0, 1), {}};
        select.source_predicate[0] = {predicate, false};
        select.destination = row_;
        select.destination_rows = 1;
        select.guard = guard;
        code.push_back(select);
    }

    static void copy(std::uint32_t from, std::uint32_t to, PredicateUse guard, std::uint32_t line,
                     std::vector<VirtualInstruction>& code) {
        VirtualInstruction move;
        move.machine.operation = Operation::pred_mov;
        move.machine.type = isa::Type::pred;
        move.machine.line = line;
        move.source_predicate[0] = {from, false};
        move.destination_predicate[0] = to;
        move.guard = guard;
        code.push_back(move);
    }

    struct Copy {
        std::uint32_t from, to;
    };

    VirtualKernel& kernel_;
    std::uint32_t predicate_;
    std::uint32_t row_;
    std::vector<Copy> guarded_copies_;
};

bool can_be_spilled(const VirtualKernel& kernel, std::uint32_t predicate) {
    for (const VirtualBlock& block : kernel.blocks)
        for (const VirtualInstruction& instruction : block.code)
            if (writes_predicate(instruction, predicate) && instruction.guarded() && !can_run_unguarded(instruction))
                return false;
    return true;
}

/// The predicate below `count` that lives longest; kNone if none can be spilled.
std::uint32_t longest_lived(const VirtualKernel& kernel, std::uint32_t count) {
    const std::vector<RangeSet> ranges = live_ranges_of(kernel);
    std::uint32_t best = kNone;
    std::uint32_t best_length = 0;
    for (std::uint32_t predicate = 0; predicate < count; ++predicate) {
        std::uint32_t length = 0;
        for (const LiveRange& range : ranges[predicate_unit(kernel, predicate)].ranges())
            length += range.end - range.start;
        if (length <= best_length || !can_be_spilled(kernel, predicate)) continue;
        best = predicate;
        best_length = length;
    }
    return best;
}

}  // namespace

void spill_predicates(VirtualKernel& kernel, unsigned limit) {
    const std::uint32_t originals = kernel.predicates;
    while (allocate(kernel).predicates > limit) {
        const std::uint32_t victim = longest_lived(kernel, originals);
        if (victim == kNone) return;
        Spiller(kernel, victim).run();
    }
}

}  // namespace lookahead::finaliser
