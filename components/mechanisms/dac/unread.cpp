#include "components/mechanisms/dac/plan.h"

#include <utility>

namespace lookahead::dac {

using finaliser::AllRows;

std::vector<std::vector<bool>> needed_instructions(const VirtualKernel& kernel, const Flow& flow) {
    const Values values(kernel, flow, AllRows::yes);
    std::vector<std::vector<bool>> needed(flow.blocks());
    std::vector<bool> seen(values.size(), false);
    std::vector<Position> open;
    for (std::uint32_t block = 0; block < flow.blocks(); ++block) {
        needed[block].resize(kernel.blocks[block].code.size(), false);
    }
    const auto need = [&](Position at) {
        if (needed[at.block][at.index]) { return; }
        needed[at.block][at.index] = true;
        open.push_back(at);
    };
    std::vector<ValueId> ids;
    const auto need_value = [&](ValueId first) {
        ids.assign(1, first);
        while (!ids.empty()) {
            const ValueId id = ids.back();
            ids.pop_back();
            if (id == kNoValue || seen[id]) { continue; }
            seen[id] = true;
            const Value& value = values[id];
            if (value.kind == Value::Kind::definition) { need(value.at); }
            ids.push_back(value.before);
            ids.insert(ids.end(), value.inputs.begin(), value.inputs.end());
        }
    };
    for (std::uint32_t block : flow.order()) {
        for (std::uint32_t index = 0; index < kernel.blocks[block].code.size(); ++index) {
            if (finaliser::has_side_effect(kernel.blocks[block].code[index])) { need({block, index}); }
        }
    }
    while (!open.empty()) {
        const Position at = open.back();
        open.pop_back();
        const Reads& reads = values.reads(at);
        for (const auto& source : reads.source) {
            for (ValueId id : source) { need_value(id); }
        }
        for (ValueId id : reads.further) { need_value(id); }
        for (ValueId id : reads.source_predicate) { need_value(id); }
        need_value(reads.guard);
    }
    return needed;
}

void remove_unread(VirtualKernel& kernel) {
    const Flow flow(kernel);
    const auto needed = needed_instructions(kernel, flow);
    for (std::uint32_t block : flow.order()) {
        auto& code = kernel.blocks[block].code;
        std::vector<VirtualInstruction> left;
        for (std::uint32_t index = 0; index < code.size(); ++index) {
            if (needed[block][index]) { left.push_back(std::move(code[index])); }
        }
        code = std::move(left);
    }
}

}  // namespace lookahead::dac
