#include "experiments/profile/reaching_definitions.h"

#include <algorithm>

#include "components/isa/instruction.h"

namespace lookahead::profile {
namespace {

/// Register numbers are 16 bits wide.
constexpr std::uint32_t kFirstPredicateUnit = 1U << 16;
constexpr std::uint32_t kUnits = kFirstPredicateUnit + isa::kPredicateRegisters;

bool is_guarded(const isa::Instruction& instruction) {
    return instruction.guard != isa::kTruePredicate || instruction.guard_negated;
}

template <class Visit>
void for_each_written(const isa::Instruction& instruction, Visit visit) {
    for (std::uint32_t i = 0; i < instruction.destination_rows; ++i) { visit(instruction.destination + i); }
    for (const std::uint8_t predicate : {instruction.destination_predicate, instruction.destination_predicate2}) {
        if (const std::uint32_t unit = unit_of_predicate(predicate); unit != kNoUnit) { visit(unit); }
    }
}

}  // namespace

void for_each_unit(const isa::Operand& operand, const std::function<void(std::uint32_t unit)>& visit) {
    if (operand.kind != isa::Operand::Kind::reg) { return; }
    for (std::uint32_t i = 0; i < operand.rows; ++i) { visit(operand.index + i); }
}

std::uint32_t unit_of_predicate(std::uint8_t predicate) {
    return predicate < isa::kPredicateRegisters ? kFirstPredicateUnit + predicate : kNoUnit;
}

ReachingDefinitions::ReachingDefinitions(std::span<const isa::Instruction> code, const finaliser::MachineCfg& cfg)
    : code_(code), cfg_(cfg) {
    number_writes();
    solve();
}

void ReachingDefinitions::number_writes() {
    of_unit_.resize(kUnits);
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        first_write_.push_back(static_cast<std::uint32_t>(writes_.size()));
        for_each_written(code_[i], [&](std::uint32_t unit) {
            of_unit_[unit].push_back(static_cast<std::uint32_t>(writes_.size()));
            writes_.push_back({i, unit, !is_guarded(code_[i])});
        });
    }
    first_write_.push_back(static_cast<std::uint32_t>(writes_.size()));
}

/// The usual forward problem: out = generated, or in and not killed.
void ReachingDefinitions::solve() {
    const std::uint32_t blocks = cfg_.graph.size();
    in_.assign(blocks, Bits(writes_.size()));
    const auto end_of = [&](std::uint32_t block) {
        return block + 1 < blocks ? cfg_.first[block + 1] : static_cast<std::uint32_t>(code_.size());
    };
    const auto out_of = [&](std::uint32_t block) {
        Bits bits = in_[block];
        for (std::uint32_t w = first_write_[cfg_.first[block]]; w < first_write_[end_of(block)]; ++w) {
            if (writes_[w].whole) {
                for (const std::uint32_t hidden : of_unit_[writes_[w].unit]) { bits.reset(hidden); }
            }
            bits.set(w);
        }
        return bits;
    };
    const std::vector<std::uint32_t> order = ptx::reverse_post_order(cfg_.graph);
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::uint32_t block : order) {
            const Bits out = out_of(block);
            for (const std::uint32_t next : cfg_.graph.successors[block]) {
                changed |= !out.is_subset_of(in_[next]);
                in_[next] |= out;
            }
        }
    }
}

std::vector<std::uint32_t> ReachingDefinitions::writers(std::uint32_t reader, std::uint32_t unit) const {
    std::vector<std::uint32_t> found;
    const std::uint32_t block = cfg_.block_of[reader];
    const std::vector<std::uint32_t>& candidates = of_unit_[unit];
    const auto end = std::ranges::lower_bound(candidates, first_write_[reader]);
    const auto begin = std::lower_bound(candidates.begin(), end, first_write_[cfg_.first[block]]);
    bool hidden = false;
    for (auto at = end; at != begin && !hidden;) {
        --at;
        found.push_back(writes_[*at].instruction);
        hidden = writes_[*at].whole;
    }
    if (!hidden) {
        for (const std::uint32_t write : candidates) {
            if (in_[block].test(write)) { found.push_back(writes_[write].instruction); }
        }
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace lookahead::profile
