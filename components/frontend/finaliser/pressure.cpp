#include "components/frontend/finaliser/pressure.h"

#include <algorithm>
#include <unordered_map>

namespace lookahead::finaliser {

Pressure::Pressure(const VirtualKernel& kernel, std::span<const VirtualInstruction> code, const BitSet& live_in,
                   const BitSet& live_out)
    : reads_(code.size()), writes_(code.size()) {
    std::unordered_map<std::uint32_t, std::uint32_t> current;  // unit -> its value at this place
    const auto begin_value = [&](std::uint32_t unit) {
        current[unit] = static_cast<std::uint32_t>(values_.size());
        values_.push_back({0, false, unit >= kernel.rows()});
        return current[unit];
    };
    live_in.for_each([&](std::uint32_t unit) { add(live_, values_[begin_value(unit)], 1); });
    for (std::size_t i = 0; i < code.size(); ++i) {
        for_each_read(kernel, code[i], [&](std::uint32_t unit) {
            const std::uint32_t value = current.contains(unit) ? current[unit] : begin_value(unit);
            if (std::ranges::find(reads_[i], value) != reads_[i].end()) return;
            reads_[i].push_back(value);
            ++values_[value].readers;
        });
        for_each_write(kernel, code[i], [&](std::uint32_t unit) {
            // A guarded write goes into the value that is there: it neither begins nor ends one.
            if (code[i].guarded() && current.contains(unit)) return;
            writes_[i].push_back(begin_value(unit));
        });
    }
    for (const auto& [unit, value] : current) values_[value].outlives = live_out.contains(unit);
}

Live Pressure::live_after(std::uint32_t i) const {
    Live live = live_;
    for (std::uint32_t value : reads_[i])
        if (values_[value].readers == 1 && !values_[value].outlives) add(live, values_[value], -1);
    for (std::uint32_t value : writes_[i])
        if (values_[value].readers > 0 || values_[value].outlives) add(live, values_[value], 1);
    return live;
}

void Pressure::place(std::uint32_t i) {
    live_ = live_after(i);
    for (std::uint32_t value : reads_[i]) --values_[value].readers;
}

}  // namespace lookahead::finaliser
