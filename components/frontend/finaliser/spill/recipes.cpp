#include "components/frontend/finaliser/spill/recipes.h"

#include <algorithm>
#include <map>

#include "components/frontend/finaliser/analysis/dependences.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

namespace {

/// Longer recipes are not considered: a load from local memory takes as long.
constexpr std::size_t kLongestRecipe = 6;

/// Whether the instruction, executed elsewhere with equal sources, gives the same value. Instructions that a mechanism
/// has annotated are not repeated.
bool can_be_repeated(const VirtualInstruction& instruction) {
    return !instruction.guarded() && instruction.annotations == kNone && is_plain(instruction) &&
           !holds_everything(instruction) && instruction.source_predicate[0].index >= kAlways &&
           instruction.source_predicate[1].index >= kAlways;
}

bool makes(const VirtualInstruction& instruction, std::uint32_t row) {
    return row >= instruction.destination && row < instruction.destination + instruction.destination_rows;
}

bool contains(const RangeSet& set, std::uint32_t position) {
    const auto next = std::ranges::upper_bound(set.ranges(), position, {}, &LiveRange::end);
    return next != set.ranges().end() && next->start <= position;
}

}  // namespace

bool is_plain(const VirtualInstruction& instruction) {
    const isa::OperationGroup group = isa::info_of(instruction.machine.operation).group;
    return group != isa::OperationGroup::memory && group != isa::OperationGroup::exchange &&
           group != isa::OperationGroup::vote && !has_side_effect(instruction) &&
           std::ranges::all_of(instruction.destination_predicate,
                               [](std::uint32_t predicate) { return predicate == kNone; });
}

Recipes::Recipes(const VirtualKernel& kernel, std::span<const RangeSet> ranges) : writes_(kernel), ranges_(ranges) {}

std::optional<std::vector<VirtualInstruction>> Recipes::recipe(const VirtualOperand& rows, const RowGroup& group,
                                                               Place place, std::uint32_t position) const {
    if (!writes_.is_stable(rows, place)) { return std::nullopt; }
    std::vector<VirtualInstruction> made;
    for (std::uint32_t row = rows.index; row < rows.index + rows.rows; ++row) {
        if (!collect(row, {group, position}, made)) { return std::nullopt; }
    }
    return made;
}

bool Recipes::collect(std::uint32_t row, const Request& request, std::vector<VirtualInstruction>& made) const {
    if (std::ranges::any_of(made, [row](const VirtualInstruction& earlier) { return makes(earlier, row); })) {
        return true;
    }
    const auto place = writes_.place(row);
    if (!place || made.size() >= kLongestRecipe) { return false; }
    const VirtualInstruction& instruction = writes_.at(*place);
    if (!can_be_repeated(instruction)) { return false; }
    for (const VirtualOperand& operand : instruction.source) {
        if (operand.kind != Operand::Kind::reg) { continue; }
        bool all_there = true;
        for (std::uint32_t i = 0; i < operand.rows; ++i) { all_there &= is_there(operand.index + i, *place, request); }
        if (all_there) { continue; }
        if (!writes_.is_stable(operand, *place)) { return false; }
        for (std::uint32_t i = 0; i < operand.rows; ++i) {
            if (!collect(operand.index + i, request, made)) { return false; }
        }
    }
    if (made.size() >= kLongestRecipe) { return false; }
    made.push_back(instruction);
    return true;
}

bool Recipes::is_there(std::uint32_t row, Place before, const Request& request) const {
    const bool is_of_group = row >= request.group.first && row < request.group.first + request.group.rows;
    return !is_of_group && writes_.is_stable(register_rows(row), before) &&
           contains(ranges_[row], 2 * request.position);
}

std::uint32_t append_recipe(VirtualKernel& kernel, std::vector<VirtualInstruction> recipe, std::uint32_t row,
                            std::vector<VirtualInstruction>& code) {
    std::map<std::uint32_t, std::uint32_t> first_of;  // group -> the first row of the new one
    std::vector<bool> is_new(kernel.rows(), false);
    const auto renamed = [&](std::uint32_t old) {
        const RowGroup group = kernel.groups[kernel.group_of[old]];
        return first_of.at(kernel.group_of[old]) + (old - group.first);
    };
    for (VirtualInstruction& instruction : recipe) {
        for (VirtualOperand& operand : instruction.source) {
            if (operand.kind != Operand::Kind::reg) { continue; }
            bool all_new = true;
            for (std::uint32_t i = 0; i < operand.rows; ++i) { all_new &= is_new[operand.index + i]; }
            if (all_new) { operand.index = renamed(operand.index); }
        }
        for (unsigned i = 0; i < instruction.destination_rows; ++i) { is_new[instruction.destination + i] = true; }
        const std::uint32_t group = kernel.group_of[instruction.destination];
        if (!first_of.contains(group)) { first_of[group] = kernel.new_rows(kernel.groups[group].rows); }
        instruction.destination = renamed(instruction.destination);
        code.push_back(instruction);
    }
    LOOKAHEAD_ASSERT(is_new[row], "a recipe makes the row that it is for");
    return renamed(row);
}

}  // namespace lookahead::finaliser
