#include "components/frontend/finaliser/spill/spill_predicates.h"

#include <algorithm>
#include <span>
#include <vector>

#include "components/frontend/finaliser/allocate/allocate.h"
#include "components/frontend/finaliser/analysis/live_ranges.h"
#include "components/frontend/finaliser/code/literals.h"

namespace lookahead::finaliser {

namespace {

/// Whether the instruction may run in lanes where its guard fails, if its results go to new places.
bool can_run_unguarded(const VirtualInstruction& instruction) {
    return isa::sets_predicate(instruction.machine.operation);
}

/// Moves predicates to rows.
class Spiller {
  public:
    Spiller(VirtualKernel& kernel, std::span<const std::uint32_t> predicates)
        : kernel_(kernel), row_of_(kernel.predicates, kNone) {
        for (const std::uint32_t predicate : predicates) { row_of_[predicate] = kernel.new_rows(1); }
    }

    void run() {
        for (VirtualBlock& block : kernel_.blocks) {
            std::vector<VirtualInstruction> code;
            for (const VirtualInstruction& instruction : block.code) { rewrite(instruction, code); }
            block.code = std::move(code);
        }
    }

  private:
    void rewrite(VirtualInstruction instruction, std::vector<VirtualInstruction>& code) {
        reload(instruction, code);
        if (std::ranges::none_of(instruction.destination_predicate, [this](auto each) { return is_spilled(each); })) {
            code.push_back(instruction);
            return;
        }
        const PredicateUse guard = instruction.guard;
        const bool stays_guarded = instruction.guarded() && !can_run_unguarded(instruction);
        if (instruction.guarded() && !stays_guarded) { run_unguarded(instruction); }
        std::vector<Copy> kept;
        for (std::uint32_t& destination : instruction.destination_predicate) {
            if (!is_spilled(destination)) { continue; }
            kept.push_back({kernel_.new_predicate(), row_of_[destination]});
            destination = kept.back().from;
            // Otherwise its value where the guard fails would live from the kernel's start.
            if (stays_guarded) { move({kAlways, true}, destination, {kAlways, false}, instruction, code); }
        }
        code.push_back(instruction);
        for (const auto& [from, to] : kept) { keep(from, to, guard, instruction, code); }
        for (const auto& [from, to] : guarded_copies_) { move({from, false}, to, guard, instruction, code); }
        guarded_copies_.clear();
    }

    bool is_spilled(std::uint32_t predicate) const { return predicate < row_of_.size() && row_of_[predicate] != kNone; }

    /// The other destination of a guarded setp must not change where the guard fails either.
    void run_unguarded(VirtualInstruction& instruction) {
        for (std::uint32_t& destination : instruction.destination_predicate) {
            if (destination == kNone || is_spilled(destination)) { continue; }
            const std::uint32_t other = kernel_.new_predicate();
            guarded_copies_.push_back({other, destination});
            destination = other;
        }
        instruction.guard = {kAlways, false};
    }

    void reload(VirtualInstruction& instruction, std::vector<VirtualInstruction>& code) {
        std::vector<Copy> loaded;
        for (PredicateUse* use :
             {&instruction.guard, &instruction.source_predicate[0], &instruction.source_predicate[1]}) {
            if (!is_spilled(use->index)) { continue; }
            auto known = std::ranges::find(loaded, use->index, &Copy::from);
            if (known == loaded.end()) {
                known = loaded.insert(known, {use->index, kernel_.new_predicate()});
                VirtualInstruction test = beside(instruction, Operation::setp, Type::u32);
                test.machine.comparison = isa::Comparison::ne;
                test.source = {register_rows(row_of_[use->index]), literal(kernel_.frame, 0, 1), {}};
                test.destination_predicate[0] = known->to;
                code.push_back(test);
            }
            use->index = known->to;
        }
    }

    void keep(std::uint32_t predicate, std::uint32_t row, PredicateUse guard, const VirtualInstruction& written_by,
              std::vector<VirtualInstruction>& code) {
        VirtualInstruction select = beside(written_by, Operation::select, Type::b32);
        select.source = {literal(kernel_.frame, 1, 1), literal(kernel_.frame, 0, 1), {}};
        select.source_predicate[0] = {predicate, false};
        select.set_destination(row);
        select.guard = guard;
        code.push_back(select);
    }

    static void move(PredicateUse from, std::uint32_t to, PredicateUse guard, const VirtualInstruction& written_by,
                     std::vector<VirtualInstruction>& code) {
        VirtualInstruction move = beside(written_by, Operation::pred_mov, Type::pred);
        move.source_predicate[0] = from;
        move.destination_predicate[0] = to;
        move.guard = guard;
        code.push_back(move);
    }

    struct Copy {
        std::uint32_t from, to;
    };

    VirtualKernel& kernel_;
    std::vector<std::uint32_t> row_of_;  ///< by original predicate; kNone: it stays
    std::vector<Copy> guarded_copies_;
};

/// At most `most` of the predicates below `count`, those with the longest lives.
std::vector<std::uint32_t> longest_lived(const VirtualKernel& kernel, std::uint32_t count, std::size_t most) {
    struct PredicateLength {
        std::uint32_t predicate;
        std::uint32_t length;
    };
    const std::vector<RangeSet> ranges = live_ranges_of(kernel);
    std::vector<PredicateLength> candidates;
    for (std::uint32_t predicate = 0; predicate < count; ++predicate) {
        std::uint32_t length = 0;
        for (const LiveRange& range : ranges[predicate_unit(kernel, predicate)].ranges()) {
            length += range.end - range.start;
        }
        if (length > 0) { candidates.push_back({predicate, length}); }
    }
    std::ranges::stable_sort(candidates, std::ranges::greater(), &PredicateLength::length);
    std::vector<std::uint32_t> result;
    for (const PredicateLength& candidate : candidates) {
        if (result.size() < most) { result.push_back(candidate.predicate); }
    }
    return result;
}

/// If at most this many predicates are missing, one is spilled at a time, otherwise half of them.
constexpr std::size_t kFew = 16;

}  // namespace

void spill_predicates(VirtualKernel& kernel, unsigned limit) {
    const std::uint32_t originals = kernel.predicates;
    for (;;) {
        const std::uint32_t predicates = allocate(kernel).predicates;
        if (predicates <= limit) { return; }
        const std::size_t missing = predicates - limit;
        const auto victims = longest_lived(kernel, originals, missing > kFew ? missing / 2 : 1);
        if (victims.empty()) { return; }
        Spiller(kernel, victims).run();
    }
}

}  // namespace lookahead::finaliser
