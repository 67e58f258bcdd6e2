#include "components/frontend/finaliser/pressure.h"

#include <algorithm>
#include <unordered_map>

namespace lookahead::finaliser {

Pressure::Pressure(const VirtualKernel& kernel, std::span<const VirtualInstruction> code, const BitSet& live_in,
                   const BitSet& live_out)
    : reads_(code.size()), writes_(code.size()) {
    std::unordered_map<std::uint32_t, std::uint32_t> current;  // row -> its value at this place
    const auto value_of = [&](std::uint32_t row) {
        const auto [entry, is_new] = current.try_emplace(row, static_cast<std::uint32_t>(values_.size()));
        if (is_new) values_.push_back({});
        return entry->second;
    };
    live_in.for_each([&](std::uint32_t unit) {
        if (unit < kernel.rows()) value_of(unit);
    });
    live_ = static_cast<int>(values_.size());
    for (std::size_t i = 0; i < code.size(); ++i) {
        for_each_read(kernel, code[i], [&](std::uint32_t unit) {
            if (unit >= kernel.rows()) return;
            const std::uint32_t value = value_of(unit);
            if (std::ranges::find(reads_[i], value) != reads_[i].end()) return;
            reads_[i].push_back(value);
            ++values_[value].readers;
        });
        for_each_write(kernel, code[i], [&](std::uint32_t unit) {
            // A guarded write goes into the value that is there: it neither begins nor ends one.
            if (unit >= kernel.rows() || (code[i].guarded() && current.contains(unit))) return;
            current[unit] = static_cast<std::uint32_t>(values_.size());
            writes_[i].push_back(static_cast<std::uint32_t>(values_.size()));
            values_.push_back({});
        });
    }
    for (const auto& [row, value] : current) values_[value].outlives = live_out.contains(row);
}

int Pressure::freed_by(std::uint32_t i) const {
    int freed = 0;
    for (std::uint32_t value : reads_[i]) freed += values_[value].readers == 1 && !values_[value].outlives;
    return freed;
}

int Pressure::begun_by(std::uint32_t i) const {
    int begun = 0;
    for (std::uint32_t value : writes_[i]) begun += values_[value].readers > 0 || values_[value].outlives;
    return begun;
}

int Pressure::change(std::uint32_t i) const {
    return begun_by(i) - freed_by(i);
}

void Pressure::place(std::uint32_t i) {
    live_ += change(i);
    for (std::uint32_t value : reads_[i]) --values_[value].readers;
}

}  // namespace lookahead::finaliser
