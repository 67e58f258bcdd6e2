#include "components/frontend/finaliser/spill/spill_view.h"

#include <algorithm>
#include <ranges>

#include "components/frontend/finaliser/analysis/flow.h"

namespace lookahead::finaliser {

namespace {

/// How often a loop is assumed to run.
constexpr double kLoopWeight = 10;

/// Whether the guard is overwritten before the result can be stored.
bool overwrites_its_guard(const VirtualInstruction& instruction) {
    return instruction.guarded() && std::ranges::find(instruction.destination_predicate, instruction.guard.index) !=
                                        instruction.destination_predicate.end();
}

std::vector<double> weights_of(const VirtualKernel& kernel) {
    const ptx::Graph graph = flow_of(kernel);
    std::vector<double> weights;
    for (const std::uint32_t depth : loop_depths(graph, ptx::DominatorTree(ptx::immediate_dominators(graph)))) {
        double weight = 1;
        for (std::uint32_t i = 0; i < depth; ++i) { weight *= kLoopWeight; }
        weights.push_back(weight);
    }
    return weights;
}

/// Calls `visit(access, instruction)` for all instructions in the order of the code.
template <typename Visit>
void for_each_access(const VirtualKernel& kernel, std::span<const double> weights, Visit visit) {
    std::uint32_t position = 0;
    for_each_place(kernel, [&](const VirtualInstruction& instruction, Place place) {
        visit(Access{position++, place, weights[place.block], {}}, instruction);
    });
}

Lists<Access> reads_of(const VirtualKernel& kernel, std::span<const double> weights) {
    return {kernel.groups.size(), [&](auto add) {
                for_each_access(kernel, weights, [&](Access access, const VirtualInstruction& instruction) {
                    for (const VirtualOperand& operand : instruction.source) {
                        if (operand.kind != Operand::Kind::reg) { continue; }
                        access.operand = operand;
                        add(kernel.group_of[operand.index], access);
                    }
                });
            }};
}

Lists<Access> writes_of(const VirtualKernel& kernel, std::span<const double> weights) {
    return {kernel.groups.size(), [&](auto add) {
                for_each_access(kernel, weights, [&](Access access, const VirtualInstruction& instruction) {
                    if (instruction.destination_rows == 0) { return; }
                    access.operand = {Operand::Kind::reg, instruction.destination_rows, instruction.destination};
                    add(kernel.group_of[instruction.destination], access);
                });
            }};
}

}  // namespace

SpillView::SpillView(const VirtualKernel& kernel, std::vector<RangeSet> ranges)
    : kernel_(kernel), ranges_(std::move(ranges)), recipes_(kernel, ranges_), fixed_(kernel.groups.size(), false) {
    const std::vector<double> weights = weights_of(kernel);
    reads_ = reads_of(kernel, weights);
    writes_ = writes_of(kernel, weights);
    for_each_instruction(kernel, [&](const VirtualInstruction& instruction) {
        if (instruction.destination_rows != 0 && overwrites_its_guard(instruction)) {
            fixed_[kernel.group_of[instruction.destination]] = true;
        }
        ++instructions_;
    });
}

bool SpilledValues::is_backed(const RowGroup& group) const {
    return std::ranges::all_of(std::views::iota(group.first, group.first + group.rows),
                               [this](std::uint32_t row) { return row < slot_of.size() && slot_of[row] != kNone; });
}

bool SpilledValues::is_affine(const RowGroup& group) const {
    return std::ranges::all_of(std::views::iota(group.first, group.first + group.rows),
                               [this](std::uint32_t row) { return row < affine.size() && affine[row]; });
}

}  // namespace lookahead::finaliser
