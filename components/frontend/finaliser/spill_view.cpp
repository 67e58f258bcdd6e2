#include "components/frontend/finaliser/spill_view.h"

#include <algorithm>
#include <numeric>

#include "components/frontend/finaliser/flow.h"
#include "components/frontend/finaliser/loops.h"

namespace lookahead::finaliser {

using isa::Operand;

namespace {

/// How often a loop is taken to run.
constexpr double kLoopWeight = 10;

/// The guard would be gone when the result is stored.
bool overwrites_its_guard(const VirtualInstruction& instruction) {
    return instruction.guarded() && std::ranges::find(instruction.destination_predicate, instruction.guard.index) !=
                                        instruction.destination_predicate.end();
}

std::vector<double> weights_of(const VirtualKernel& kernel) {
    const ptx::Graph graph = flow_of(kernel);
    std::vector<double> weights;
    for (const std::uint32_t depth : loop_depths(graph, ptx::DominatorTree(ptx::immediate_dominators(graph)))) {
        double weight = 1;
        for (std::uint32_t i = 0; i < depth; ++i) weight *= kLoopWeight;
        weights.push_back(weight);
    }
    return weights;
}

}  // namespace

void SpillView::Accesses::end_counting() {
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    next_ = first_;
    accesses_.resize(first_.back());
}

/// Calls `read(access)` and `write(access, instruction)` for all accesses in the order of the code.
template <typename Read, typename Write>
void SpillView::for_each_access(Read read, Write write) const {
    Access access;
    for (access.place.block = 0; access.place.block < kernel_.blocks.size(); ++access.place.block) {
        access.place.index = 0;
        for (const VirtualInstruction& instruction : kernel_.blocks[access.place.block].code) {
            for (const VirtualOperand& operand : instruction.source) {
                if (operand.kind != Operand::Kind::reg) continue;
                access.operand = operand;
                read(access);
            }
            if (instruction.destination_rows != 0) {
                access.operand = {Operand::Kind::reg, instruction.destination_rows, instruction.destination};
                write(access, instruction);
            }
            ++access.place.index;
            ++access.position;
        }
    }
}

SpillView::SpillView(const VirtualKernel& kernel, std::vector<RangeSet> ranges)
    : kernel_(kernel), ranges_(std::move(ranges)), recipes_(kernel, ranges_), fixed_(kernel.groups.size(), false) {
    reads_.begin(kernel.groups.size());
    writes_.begin(kernel.groups.size());
    for_each_access([&](const Access& access) { reads_.count(kernel.group_of[access.operand.index]); },
                    [&](const Access& access, const VirtualInstruction& instruction) {
                        const std::uint32_t group = kernel.group_of[access.operand.index];
                        writes_.count(group);
                        if (overwrites_its_guard(instruction)) fixed_[group] = true;
                    });
    reads_.end_counting();
    writes_.end_counting();
    const std::vector<double> weights = weights_of(kernel);
    const auto add = [&](Accesses& accesses, Access access) {
        access.weight = weights[access.place.block];
        accesses.add(kernel.group_of[access.operand.index], access);
    };
    for_each_access([&](const Access& access) { add(reads_, access); },
                    [&](const Access& access, const VirtualInstruction&) { add(writes_, access); });
    for (const VirtualBlock& block : kernel.blocks) instructions_ += static_cast<std::uint32_t>(block.code.size());
}

bool SpilledValues::is_backed(const RowGroup& group) const {
    for (std::uint32_t row = group.first; row < group.first + group.rows; ++row)
        if (row >= slot_of.size() || slot_of[row] == kNone) return false;
    return true;
}

}  // namespace lookahead::finaliser
