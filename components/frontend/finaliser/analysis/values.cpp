#include "components/frontend/finaliser/analysis/values.h"

#include <algorithm>
#include <utility>

namespace lookahead::finaliser {

Values::Values(const VirtualKernel& kernel, const Flow& flow, AllRows all_rows)
    : kernel_(kernel), flow_(flow), all_rows_(all_rows), start_(flow.blocks()), end_(flow.blocks()) {
    reads_.resize(flow.blocks());
    written_.resize(flow.blocks());
    for (std::uint32_t block : flow.order()) { number_block(block); }
    for (std::uint32_t block : flow.order()) { read_block(block); }
    fill_joins();
    drop_trivial_joins();
    for (auto& block : reads_) {
        for (Reads& reads : block) {
            for (auto& source : reads.source) {
                for (ValueId& id : source) { id = resolved(id); }
            }
            for (ValueId& id : reads.source_predicate) { id = resolved(id); }
            for (ValueId& id : reads.further) { id = resolved(id); }
            reads.guard = resolved(reads.guard);
        }
    }
    for (Value& value : values_) {
        value.before = resolved(value.before);
        for (ValueId& id : value.inputs) { id = resolved(id); }
    }
}

ValueId Values::add(Value value) {
    values_.push_back(std::move(value));
    same_as_.push_back(static_cast<ValueId>(values_.size() - 1));
    return same_as_.back();
}

ValueId Values::resolved(ValueId id) const {
    while (id != kNoValue && same_as_[id] != id) { id = same_as_[id]; }
    return id;
}

/// Gives each result its value.
void Values::number_block(std::uint32_t block) {
    const auto& code = kernel_.blocks[block].code;
    written_[block].resize(code.size());
    reads_[block].resize(code.size());
    for (std::uint32_t index = 0; index < code.size(); ++index) {
        std::uint8_t word = 0;
        const auto define = [&](std::uint32_t unit) {
            const ValueId id = add({Value::Kind::definition, word++, {block, index}, unit, kNoValue, {}});
            written_[block][index].push_back(id);
            end_[block][unit] = id;
        };
        for (unsigned i = 0; i < code[index].destination_rows; ++i) { define(code[index].destination + i); }
        word = 0;
        for (std::uint32_t predicate : code[index].destination_predicate) {
            if (predicate != kNone) { define(predicate_unit(kernel_, predicate)); }
            if (predicate == kNone) { ++word; }
        }
    }
}

void Values::read_block(std::uint32_t block) {
    const auto& code = kernel_.blocks[block].code;
    std::unordered_map<std::uint32_t, ValueId> now;
    const auto current = [&](std::uint32_t unit) {
        const auto found = now.find(unit);
        return found != now.end() ? found->second : now[unit] = at_start(block, unit);
    };
    const auto predicate = [&](std::uint32_t index) {
        return index < kAlways ? current(predicate_unit(kernel_, index)) : kNoValue;
    };
    for (std::uint32_t index = 0; index < code.size(); ++index) {
        const VirtualInstruction& instruction = code[index];
        Reads& reads = reads_[block][index];
        for (std::size_t s = 0; s < instruction.source.size(); ++s) {
            const auto& operand = instruction.source[s];
            if (operand.kind != isa::Operand::Kind::reg) { continue; }
            for (unsigned row = 0; row < std::min<unsigned>(operand.rows, 2); ++row) {
                reads.source[s][row] = current(operand.index + row);
            }
            for (unsigned row = 2; all_rows_ == AllRows::yes && row < operand.rows; ++row) {
                reads.further.push_back(current(operand.index + row));
            }
        }
        for (std::size_t i = 0; i < 2; ++i) {
            reads.source_predicate[i] = predicate(instruction.source_predicate[i].index);
        }
        reads.guard = predicate(instruction.guard.index);
        for (ValueId id : written_[block][index]) {
            if (instruction.guarded()) {
                const ValueId before = current(values_[id].unit);
                values_[id].before = before;
            }
            now[values_[id].unit] = id;
        }
    }
}

ValueId Values::at_end(std::uint32_t block, std::uint32_t unit) {
    const auto found = end_[block].find(unit);
    return found != end_[block].end() ? found->second : at_start(block, unit);
}

ValueId Values::at_start(std::uint32_t block, std::uint32_t unit) {
    // Goes up through blocks that do not write the unit and have one predecessor.
    std::vector<std::uint32_t> passed;
    ValueId id = kNoValue;
    for (std::uint32_t at = block; id == kNoValue;) {
        if (const auto found = start_[at].find(unit); found != start_[at].end()) {
            id = found->second;
            break;
        }
        passed.push_back(at);
        const auto& before = flow_.predecessors(at);
        if (at == 0 && before.empty()) {
            id = add({Value::Kind::start, 0, {}, unit, kNoValue, {}});
        } else if (at != 0 && before.size() == 1) {
            at = before.front();
            if (const auto found = end_[at].find(unit); found != end_[at].end()) { id = found->second; }
        } else {
            id = add({Value::Kind::join, 0, {at, 0}, unit, kNoValue, {}});
            open_.push_back(id);
        }
    }
    for (std::uint32_t at : passed) { start_[at][unit] = id; }
    return id;
}

/// Without recursion: kernels have thousands of blocks.
void Values::fill_joins() {
    while (!open_.empty()) {
        const ValueId id = open_.back();
        open_.pop_back();
        const std::uint32_t block = values_[id].at.block, unit = values_[id].unit;
        std::vector<ValueId> inputs;
        for (std::uint32_t before : flow_.predecessors(block)) { inputs.push_back(at_end(before, unit)); }
        // The entry can be a loop's header, where registers are zero at first.
        if (block == 0) { inputs.push_back(add({Value::Kind::start, 0, {}, unit, kNoValue, {}})); }
        values_[id].inputs = std::move(inputs);
    }
}

void Values::drop_trivial_joins() {
    for (bool changed = true; changed;) {
        changed = false;
        for (ValueId id = 0; id < size(); ++id) {
            if (values_[id].kind != Value::Kind::join || same_as_[id] != id) { continue; }
            ValueId only = kNoValue;
            bool several = false;
            for (ValueId input : values_[id].inputs) {
                input = resolved(input);
                if (input == id || input == only) { continue; }
                several |= only != kNoValue;
                only = input;
            }
            if (several || only == kNoValue) { continue; }
            same_as_[id] = only;
            changed = true;
        }
    }
}

}  // namespace lookahead::finaliser
