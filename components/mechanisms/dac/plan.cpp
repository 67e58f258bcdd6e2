#include "components/mechanisms/dac/plan.h"

#include <algorithm>
#include <set>

#include "components/isa/memory_access.h"
#include "core/bits/one_of.h"
#include "core/mutation/rule.h"

namespace lookahead::dac {

using finaliser::BitSet;
using isa::QueueMode;

namespace {

bool is_access(const isa::InstructionForm& machine) {
    return machine.operation == Operation::load || machine.operation == Operation::store;
}
bool is_access(const VirtualInstruction& instruction) {
    return is_access(instruction.machine);
}

QueueMode queue_of(const VirtualInstruction& instruction) {
    return is_access(instruction) ? isa::queue_entry_of(instruction.machine) : QueueMode::predicate;
}

/// Whether a comparison sets two predicates that are not complements: a combined comparison does, a dequeue cannot.
bool has_two_results(const VirtualInstruction& instruction) {
    return instruction.machine.combine != isa::Combine::none && instruction.destination_predicate[0] != kNone &&
           instruction.destination_predicate[1] != kNone;
}

/// Whether the instruction overwrites its own guard: an enqueue after it would have the wrong guard.
bool overwrites_guard(const VirtualInstruction& instruction) {
    return instruction.guarded() && std::ranges::find(instruction.destination_predicate, instruction.guard.index) !=
                                        instruction.destination_predicate.end();
}

}  // namespace

bool stops_expansion(const isa::InstructionForm& machine) {
    // Shared memory has no lines in L1, and its accesses order only the CTA's own: stores update requested lines.
    if (isa::is_memory(machine.operation) && machine.space == Space::shared) { return false; }
    return is_one_of(machine.operation, Operation::barrier, Operation::membar, Operation::atomic, Operation::reduce) ||
           (is_access(machine) && machine.order != isa::Order::weak);
}

Plan::Plan(const VirtualKernel& kernel, const Flow& flow, const Choices& choices)
    : kernel_(kernel),
      flow_(flow),
      choices_(choices),
      values_(kernel, flow),
      classes_(kernel, flow, values_, choices.reports),
      steps_(flow.blocks()) {
    for (std::uint32_t block = 0; block < flow.blocks(); ++block) {
        steps_[block].resize(kernel.blocks[block].code.size());
    }
    find_candidates();
    hide_behind_barriers();
    drop_unread();
    find_affine();
    check_limits();
    refuse_spinning();
    refuse_parted_barriers();
}

void Plan::for_each(auto visit) const {
    for (std::uint32_t block : flow_.order()) {
        for (std::uint32_t index = 0; index < kernel_.blocks[block].code.size(); ++index) {
            visit(Position{block, index});
        }
    }
}

void Plan::find_candidates() {
    for_each([this](Position position) {
        const VirtualInstruction& instruction = values_.instruction(position);
        const bool access = is_access(instruction) && instruction.machine.space != Space::constant;
        if (!access && !isa::sets_predicate(instruction.machine.operation)) { return; }
        Step& step = at(position);
        step.candidate = true;
        step.stays =
            overwrites_guard(instruction) || has_two_results(instruction) ? Reason::operation : why_not(position);
        if (step.stays == Reason::none) { step.queue = queue_of(instruction); }
    });
}

Reason Plan::why_not(Position position) const {
    const VirtualInstruction& instruction = values_.instruction(position);
    if (is_access(instruction)) {
        if (const Reason reason = why_no_access(position); reason != Reason::none) { return reason; }
    }
    if (LOOKAHEAD_RULE(control_by_data_stays) && !classes_.followed(position.block)) { return Reason::control; }
    const Class guard = classes_.predicate(values_.reads(position).guard, position.block);
    if (guard.kind == Kind::other) { return Reason::control; }
    if (!is_access(instruction)) {
        if (const Class result = classes_.result(position); result.kind == Kind::other) { return result.reason; }
    }
    for (const Class& operand : enqueued(position)) {
        if (LOOKAHEAD_RULE(operands_have_few_conditions) && operand.conditions.size() > choices_.conditions) {
            return Reason::conditions;
        }
    }
    return (is_access(instruction) ? choices_.accesses : choices_.predicates) ? Reason::none : Reason::choice;
}

/// The operands that a candidate enqueues: an access's address, or both operands of a comparison.
std::vector<Class> Plan::enqueued(Position position) const {
    std::vector<Class> operands{classes_.operand(position, 0)};
    if (!is_access(values_.instruction(position))) { operands.push_back(classes_.operand(position, 1)); }
    return operands;
}

Reason Plan::why_no_access(Position position) const {
    const isa::InstructionForm& machine = values_.instruction(position).machine;
    const bool shared = choices_.shared && machine.space == Space::shared;
    if (LOOKAHEAD_RULE(spaces_are_known) && !shared && machine.space != Space::global &&
        machine.space != Space::local) {
        return Reason::space;
    }
    if (LOOKAHEAD_RULE(ordered_accesses_are_not_decoupled) && machine.order != isa::Order::weak) {
        return Reason::order;
    }
    const Class address = classes_.operand(position, 0);
    return address.kind == Kind::other ? address.reason : Reason::none;
}

/// A load must not be requested before a barrier that precedes it. If the affine warp cannot tell whether or how often
/// a warp passes a barrier, loads that may follow it stay.
void Plan::hide_behind_barriers() {
    const auto stays = [this](Position position) {
        Step& step = at(position);
        if (step.queue != QueueMode::data) { return; }
        step.queue.reset();
        step.stays = Reason::hidden_barrier;
    };
    for_each([&](Position position) {
        const VirtualInstruction& instruction = values_.instruction(position);
        if (!stops_expansion(instruction.machine)) { return; }
        const Class guard = classes_.predicate(values_.reads(position).guard, position.block);
        at(position).marker = classes_.followed(position.block) && guard.kind != Kind::other;
        if (at(position).marker) { return; }
        const BitSet behind = flow_.behind(position.block);
        for_each([&](Position load) {
            const bool same = load.block == position.block && load.index > position.index;
            if (same || behind.contains(load.block)) { stays(load); }
        });
    });
}

/// A decoupled instruction whose result only decoupled instructions read need not dequeue. Removes from a copy the
/// operands that come from queues, and drops what the rest does not need.
void Plan::drop_unread() {
    VirtualKernel copy = kernel_;
    for_each([&](Position position) {
        if (!at(position).queue) { return; }
        VirtualInstruction& instruction = copy.blocks[position.block].code[position.index];
        if (instruction.machine.operation == Operation::load || instruction.machine.operation == Operation::store) {
            instruction.source[0] = {};
            return;
        }
        instruction.source = {};
        instruction.source_predicate = {};
    });
    stays_ = needed_instructions(copy, Flow(copy));
    for_each([&](Position position) {
        if (!stays(position)) { at(position).queue.reset(); }
    });
}

void Plan::find_affine() {
    seen_.assign(values_.size(), false);
    for_each([this](Position position) {
        if (!at(position).queue) { return; }
        decouples_ = true;
        need(position);
    });
    if (!decouples_) { return; }
    for_each([this](Position position) {
        if (at(position).marker && has_queued_access_behind(position)) { need(position); }
    });
    while (!open_.empty()) {
        const Position position = open_.back();
        open_.pop_back();
        const Reads& reads = values_.reads(position);
        const VirtualInstruction& instruction = values_.instruction(position);
        Step& step = at(position);
        step.reports = finaliser::is_jump(instruction) && classes_.reported(position.block);
        if (!step.reports) { need_value(reads.guard); }
        // Only a marker's place matters; an access needs its address.
        if (!step.marker) {
            for (std::size_t i = 0; i < (is_access(instruction) ? 1U : reads.source.size()); ++i) {
                for (ValueId id : reads.source[i]) { need_value(id); }
            }
            for (ValueId id : reads.source_predicate) { need_value(id); }
            if (!is_access(instruction)) {
                for (ValueId id : values_.written(position)) { need_value(values_[id].before); }
            }
        }
        for (std::uint32_t from : flow_.controllers(position.block)) {
            need({from, static_cast<std::uint32_t>(kernel_.blocks[from].code.size() - 1)});
        }
    }
}

/// Whether an enqueued access follows the marker: otherwise nothing waits for a warp to pass it.
bool Plan::has_queued_access_behind(Position marker) const {
    const BitSet behind = flow_.behind(marker.block);
    bool found = false;
    for_each([&](Position position) {
        const Step& step = at(position);
        const bool later = position.block == marker.block && position.index > marker.index;
        found =
            found || (step.queue && step.queue != QueueMode::predicate && (later || behind.contains(position.block)));
    });
    return found;
}

/// The affine warp leads all warps in one order: in the loop of one warp it would wait forever for another warp that
/// needs its later entries.
void Plan::refuse_spinning() {
    if (!decouples_) { return; }
    for (std::uint32_t block : flow_.order()) {
        if (classes_.spins(block)) { return refuse(Reason::spin, 0); }
    }
}

/// The affine warp leads all warps on one path of a branch before those on the other. On the first path it would wait
/// for room in the queues of warps that wait at a barrier for the other path's warps, which wait for their entries.
void Plan::refuse_parted_barriers() {
    for (std::uint32_t block = 0; decouples_ && block < flow_.blocks(); ++block) {
        if (!flow_.reachable(block) || !classes_.parts_ctas(block)) { continue; }
        std::size_t dequeuing = 0, waiting = 0;
        for (std::uint32_t way : flow_.graph().successors[block]) {
            const BitSet blocks = flow_.up_to(way, flow_.post_dominator(block));
            const bool takes = dequeues(blocks);
            dequeuing += takes;
            waiting += takes && has_barrier(blocks);
        }
        if (LOOKAHEAD_RULE(parted_warps_do_not_wait) && waiting > 0 && dequeuing > 1) {
            return refuse(Reason::parted, 0);
        }
    }
}

bool Plan::has_barrier(const BitSet& blocks) const {
    bool found = false;
    for_each([&](Position position) {
        const bool barrier = values_.instruction(position).machine.operation == Operation::barrier;
        found = found || (blocks.contains(position.block) && barrier && at(position).affine);
    });
    return found;
}

bool Plan::dequeues(const BitSet& blocks) const {
    bool found = false;
    for_each([&](Position position) { found = found || (blocks.contains(position.block) && at(position).queue); });
    return found;
}

void Plan::need(Position position) {
    if (at(position).affine) { return; }
    at(position).affine = true;
    open_.push_back(position);
}

void Plan::need_value(ValueId id) {
    if (id == kNoValue || seen_[id]) { return; }
    seen_[id] = true;
    const Value& value = values_[id];
    if (value.kind == Value::Kind::definition) { need(value.at); }
    for (ValueId input : value.inputs) { need_value(input); }
}

/// The most stack entries at the block: for each enclosing branch that may part lanes, both paths and the join.
unsigned Plan::stack_entries(std::uint32_t block) const {
    std::set<std::uint32_t> around;
    std::vector<std::uint32_t> open{block};
    while (!open.empty()) {
        const std::uint32_t at_block = open.back();
        open.pop_back();
        for (std::uint32_t from : flow_.controllers(at_block)) {
            if (around.insert(from).second) { open.push_back(from); }
        }
    }
    unsigned entries = 1;
    for (std::uint32_t from : around) {
        if (!classes_.divergent(from)) { continue; }
        const auto& ways = flow_.graph().successors[from];
        const bool both = std::ranges::find(ways, flow_.post_dominator(from)) == ways.end() && ways.size() > 1;
        entries += both ? 2 : 1;
    }
    return entries;
}

void Plan::check_limits() {
    if (!decouples_) { return; }
    unsigned deepest = 0;
    std::set<Condition> conditions;
    std::vector<bool> counted(flow_.blocks(), false);
    for_each([&](Position position) {
        Step& step = at(position);
        if (!step.affine) { return; }
        if (!counted[position.block]) { deepest = std::max(deepest, stack_entries(position.block)); }
        counted[position.block] = true;
        if (!step.queue) { return; }
        for (const Class& operand : enqueued(position)) {
            step.conditions = std::max(step.conditions, static_cast<std::uint8_t>(operand.conditions.size()));
            conditions.insert(operand.conditions.begin(), operand.conditions.end());
        }
    });
    if (deepest > kStackDepth) { return refuse(Reason::nesting, deepest); }
    if (conditions.size() > kConditionRegisters) {
        refuse(Reason::registers, static_cast<std::uint32_t>(conditions.size()));
    }
}

void Plan::refuse(Reason reason, std::uint32_t found) {
    refusal_ = {reason, found};
    for (auto& block : stays_) { block.assign(block.size(), true); }
    decouples_ = false;
    for_each([&](Position position) {
        Step& step = at(position);
        if (step.queue) { step.stays = reason; }
        step.queue.reset();
        step.affine = step.reports = false;
    });
}

}  // namespace lookahead::dac
