#include "components/mechanisms/dac/classes.h"

#include <algorithm>

#include "components/frontend/finaliser/code/literals.h"
#include "core/mutation/rule.h"

namespace lookahead::dac {

using finaliser::Loop;

std::string_view name_of(Reason reason) {
    static constexpr std::array<std::string_view, static_cast<std::size_t>(Reason::count)> kNames = {
        "none",       "memory",       "lanes",     "operation", "product", "mod",   "wrap",
        "conditions", "loop_carried", "part",      "control",   "order",   "space", "hidden_barrier",
        "comparison", "nesting",      "registers", "spin",      "parted",  "choice"};
    return kNames[static_cast<std::size_t>(reason)];
}

Classes::Classes(const VirtualKernel& kernel, const Flow& flow, const Values& values, bool reports)
    : kernel_(kernel),
      flow_(flow),
      values_(values),
      reports_(reports),
      classes_(values.size()),
      growths_(values.size(), 0),
      divergent_(flow.blocks(), false),
      followed_(flow.blocks(), true),
      parting_join_(flow.blocks(), false),
      parting_loop_(flow.loops().size(), false) {
    // From the most special kind upwards: a branch found to part lanes, or to be unknown to the affine warp, makes
    // values more general, and these may part more lanes.
    do { solve(); } while (find_divergence() || find_followed());
}

void Classes::solve() {
    for (bool changed = true; changed;) {
        changed = false;
        for (ValueId id = 0; id < classes_.size(); ++id) { changed |= update(id); }
    }
}

bool Classes::update(ValueId id) {
    Class next;
    switch (values_[id].kind) {
        case Value::Kind::start:
            next.kind = Kind::grid;
            next.most = 0;
            break;
        case Value::Kind::definition:
            next = definition(id);
            break;
        case Value::Kind::join:
            next = join(id);
            break;
    }
    // Classes only become more general, so that the iteration ends; bounds that keep growing are dropped.
    next = joined(classes_[id], next);
    if (next.most != classes_[id].most && ++growths_[id] > kMostGrowths) { next.most.reset(); }
    if (next == classes_[id]) { return false; }
    classes_[id] = std::move(next);
    return true;
}

Class Classes::definition(ValueId id) const {
    const Position at = values_[id].at;
    if (!followed_[at.block]) { return other(Reason::control); }
    const VirtualInstruction& instruction = values_.instruction(at);
    Class made = computed(at);
    if (!instruction.guarded() || made.kind == Kind::other) { return made; }
    const Class guard = predicate(values_.reads(at).guard, at.block);
    if (guard.kind == Kind::other) { return guard; }
    const bool is_predicate = values_[id].unit >= kernel_.rows();
    const Class before = is_predicate ? predicate(values_[id].before, at.block) : read(values_[id].before, at.block);
    if (guard.kind == Kind::none || before.kind == Kind::none) { return guard.kind == Kind::none ? guard : made; }
    if (before.kind == Kind::other) { return before; }
    if (is_predicate) {
        made.kind = std::max({made.kind, before.kind, guard.kind});
        return made;
    }
    return chosen(guard, std::array{made, before}, condition_of(at));
}

Class Classes::join(ValueId id) const {
    const Value& value = values_[id];
    const std::uint32_t block = value.at.block;
    const bool is_predicate = value.unit >= kernel_.rows();
    Class all;
    bool is_header = false;
    for (const Loop& loop : flow_.loops()) { is_header |= loop.header == block; }
    for (std::size_t i = 0; i < value.inputs.size(); ++i) {
        const auto& before = flow_.predecessors(block);
        const std::uint32_t from = i < before.size() ? before[i] : block;
        const Class input = is_predicate ? predicate(value.inputs[i], from) : read(value.inputs[i], from);
        if (input.kind == Kind::other) { return input; }
        // Section 4.6: divergent tuples with loop-carried dependences are not decoupled.
        if (LOOKAHEAD_RULE(loops_carry_no_conditions) && is_header && !input.conditions.empty()) {
            return other(Reason::loop_carried);
        }
        all = joined(all, input);
    }
    if (!parting_join_[block]) { return all; }
    if (is_predicate) {
        all.kind = std::max(all.kind, Kind::affine);  // each lane has its own bits
        return all;
    }
    if (is_header) { return other(Reason::loop_carried); }
    return with_condition(all, condition_of(value.at) | kJoinCondition);
}

Class Classes::read(ValueId id, std::uint32_t block) const {
    const Class& found = classes_[id];
    if (found.kind == Kind::none || found.kind == Kind::other || values_[id].kind == Value::Kind::start) {
        return found;
    }
    const std::uint32_t from = values_[id].at.block;
    for (std::size_t i = 0; i < flow_.loops().size(); ++i) {
        if (parting_loop_[i] && flow_.loops()[i].blocks.contains(from) && !flow_.loops()[i].blocks.contains(block)) {
            return other(Reason::loop_carried);
        }
    }
    return found;
}

Class Classes::predicate(ValueId id, std::uint32_t block) const {
    if (id == kNoValue) { return {Kind::grid, Reason::none, {}, std::nullopt, 0, false, false}; }
    Class found = classes_[id];
    // Each lane keeps its own bits, whenever it has left a loop.
    if (found.kind != Kind::none && found.kind != Kind::other && read(id, block).kind == Kind::other) {
        found.kind = Kind::affine;
    }
    return found;
}

Class Classes::operand(Position at, std::size_t source) const {
    const finaliser::VirtualOperand& operand = values_.instruction(at).source[source];
    if (operand.kind == isa::Operand::Kind::none) { return {Kind::grid, Reason::none, {}, 0, 0, false, false}; }
    if (operand.kind == isa::Operand::Kind::constant) {
        return constant_class(finaliser::literal_value(kernel_.frame, operand), operand);
    }
    if (operand.rows > 2) { return other(Reason::part); }
    const auto& ids = values_.reads(at).source[source];
    Class low = read(ids[0], at.block);
    if (low.kind == Kind::none || low.kind == Kind::other) { return low; }
    const Value& value = values_[ids[0]];
    const auto whole = [&](ValueId id, unsigned word) {
        return values_[id].kind != Value::Kind::definition || values_[id].word == word;
    };
    if (!whole(ids[0], 0)) { return other(Reason::part); }
    if (operand.rows == 1) {
        // The low word of a pair is the tuple modulo 2^32; the bound may have more bits.
        if (low.most && *low.most > 0xffffffffU) { low.most.reset(); }
        return low;
    }
    if (values_[ids[1]].kind != value.kind || values_[ids[1]].at != value.at || !whole(ids[1], 1) ||
        values_[ids[1]].unit != value.unit + 1) {
        return other(Reason::part);
    }
    if (value.kind == Value::Kind::definition && values_.instruction(value.at).destination_rows != 2) {
        return other(Reason::part);
    }
    const Class high = read(ids[1], at.block);
    return high.kind == Kind::other ? high : low;
}

Class Classes::result(Position at) const {
    const auto& written = values_.written(at);
    return written.empty() ? Class{} : classes_[written.front()];
}

/// The class of the result where the guard holds.
Class Classes::computed(Position at) const {
    const VirtualInstruction& instruction = values_.instruction(at);
    const Reads& reads = values_.reads(at);
    if (const Class given = given_class(kernel_, instruction); given.kind != Kind::none) { return given; }
    if (isa::sets_predicate(instruction.machine.operation)) { return comparison(at); }
    bool is_known = true;
    std::array<Class, 4> sources;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        sources[i] = operand(at, i);
        if (sources[i].kind == Kind::other) { return sources[i]; }
        is_known &= sources[i].kind != Kind::none;
    }
    std::array<Class, 2> predicates;
    for (std::size_t i = 0; i < 2; ++i) {
        predicates[i] = predicate(reads.source_predicate[i], at.block);
        if (predicates[i].kind == Kind::other) { return predicates[i]; }
        is_known &= predicates[i].kind != Kind::none;
    }
    if (!is_known) { return {}; }
    return affine_result(kernel_, instruction, sources, predicates, condition_of(at));
}

/// One operand of a comparison must be the same for a whole CTA (section 4.3). Predicates are combined bit by bit.
Class Classes::comparison(Position at) const {
    const VirtualInstruction& instruction = values_.instruction(at);
    const Reads& reads = values_.reads(at);
    Class all{Kind::grid, Reason::none, {}, std::nullopt, 0, false, false};
    unsigned differing = 0;
    bool numbers = true;
    for (std::size_t i = 0; i < 2; ++i) {
        const Class source = operand(at, i);
        if (source.kind == Kind::none || source.kind == Kind::other) { return source; }
        differing += source.kind > Kind::block ? 1 : 0;
        numbers = numbers && source.kind == Kind::grid;
        const Kind bits = source.conditions.empty() ? source.kind : Kind::affine;
        all.kind = std::max(all.kind, std::min(bits, Kind::affine));
    }
    if (LOOKAHEAD_RULE(one_comparand_is_the_blocks) && differing > 1) { return other(Reason::comparison); }
    if (instruction.machine.operation == Operation::setp && !numbers &&
        !isa::is_word_or_pair(instruction.machine.type)) {
        return other(Reason::operation);
    }
    for (ValueId id : reads.source_predicate) {
        const Class source = predicate(id, at.block);
        if (source.kind == Kind::none || source.kind == Kind::other) { return source; }
        all.kind = std::max(all.kind, source.kind);
    }
    return all;
}

Class Classes::guard_of_branch(std::uint32_t block) const {
    const auto last = static_cast<std::uint32_t>(kernel_.blocks[block].code.size() - 1);
    return predicate(values_.reads({block, last}).guard, block);
}

bool Classes::parts_ctas(std::uint32_t block) const {
    return flow_.branch(block) != nullptr && guard_of_branch(block).kind > Kind::block;
}

bool Classes::spins(std::uint32_t block) const {
    const auto left = flow_.branch(block) == nullptr ? std::vector<std::uint32_t>{} : flow_.loops_left_at(block);
    const auto last = static_cast<std::uint32_t>(kernel_.blocks[block].code.size() - 1);
    return std::ranges::any_of(left, [&](std::uint32_t number) {
        std::vector<ValueId> open{values_.reads({block, last}).guard};
        std::vector<bool> seen(values_.size(), false);
        while (!open.empty()) {
            const ValueId id = open.back();
            open.pop_back();
            if (id == kNoValue || seen[id]) { continue; }
            seen[id] = true;
            const Value& value = values_[id];
            if (value.kind == Value::Kind::start) { continue; }
            if (!flow_.loops()[number].blocks.contains(value.at.block)) { continue; }
            open.insert(open.end(), value.inputs.begin(), value.inputs.end());
            open.push_back(value.before);
            if (value.kind != Value::Kind::definition) { continue; }
            const isa::InstructionForm& machine = values_.instruction(value.at).machine;
            if (machine.operation == Operation::atomic) { return true; }
            if (machine.operation == Operation::load && machine.order != isa::Order::weak) { return true; }
            const Reads& reads = values_.reads(value.at);
            for (const auto& source : reads.source) { open.insert(open.end(), source.begin(), source.end()); }
            open.insert(open.end(), reads.source_predicate.begin(), reads.source_predicate.end());
            open.push_back(reads.guard);
        }
        return false;
    });
}

bool Classes::find_divergence() {
    bool changed = false;
    for (std::uint32_t block : flow_.order()) {
        const VirtualInstruction* branch = flow_.branch(block);
        if (branch == nullptr || divergent_[block]) { continue; }
        if (guard_of_branch(block).kind <= Kind::grid) { continue; }
        divergent_[block] = changed = true;
        for (std::uint32_t join : flow_.joins_of(block)) { parting_join_[join] = true; }
        for (std::uint32_t loop : flow_.loops_left_at(block)) { parting_loop_[loop] = true; }
    }
    return changed;
}

bool Classes::find_followed() {
    bool changed = false;
    for (bool again = true; again;) {
        again = false;
        for (std::uint32_t block : flow_.order()) {
            if (!followed_[block]) { continue; }
            const bool follows = std::ranges::all_of(flow_.controllers(block), [&](std::uint32_t from) {
                return followed_[from] && (reports_ || guard_of_branch(from).kind != Kind::other);
            });
            if (follows) { continue; }
            followed_[block] = false;
            changed = again = true;
        }
    }
    return changed;
}

}  // namespace lookahead::dac
