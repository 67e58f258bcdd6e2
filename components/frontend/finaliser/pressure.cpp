#include "components/frontend/finaliser/pressure.h"

#include <algorithm>

namespace lookahead::finaliser {

namespace {

void add(Live& live, bool predicate, int count) {
    (predicate ? live.predicates : live.rows) += count;
}

}  // namespace

StretchValues::StretchValues(const VirtualKernel& kernel, std::span<const VirtualInstruction> code,
                             const BitSet& live_in, const BitSet& live_out) {
    std::vector<std::uint32_t> current(unit_count(kernel), kNone);  // unit -> its value at this place
    const auto begin_value = [&](std::uint32_t unit) {
        current[unit] = static_cast<std::uint32_t>(values_.size());
        // Until the unit is written again, what lives behind the stretch is this value.
        values_.push_back({0, live_out.contains(unit), unit >= kernel.rows()});
        return current[unit];
    };
    const auto begin_next = [&](std::uint32_t unit) {
        if (current[unit] != kNone) values_[current[unit]].outlives = false;
        return begin_value(unit);
    };
    live_in.for_each([&](std::uint32_t unit) { add(live_in_, values_[begin_value(unit)].predicate, 1); });
    first_.reserve(2 * code.size() + 1);
    for (const VirtualInstruction& instruction : code) {
        const auto reads = static_cast<std::ptrdiff_t>(lists_.size());
        first_.push_back(static_cast<std::uint32_t>(lists_.size()));
        for_each_read(kernel, instruction, [&](std::uint32_t unit) {
            const std::uint32_t value = current[unit] != kNone ? current[unit] : begin_value(unit);
            if (std::find(lists_.begin() + reads, lists_.end(), value) != lists_.end()) return;
            lists_.push_back(value);
            ++values_[value].readers;
        });
        first_.push_back(static_cast<std::uint32_t>(lists_.size()));
        for_each_write(kernel, instruction, [&](std::uint32_t unit) {
            // A guarded write goes into the value that is there: it neither begins nor ends one.
            if (instruction.guarded() && current[unit] != kNone) return;
            lists_.push_back(begin_next(unit));
        });
    }
    first_.push_back(static_cast<std::uint32_t>(lists_.size()));
}

Pressure::Pressure(const StretchValues& values) : values_(values), live_(values.live_in()) {
    readers_.reserve(values.values().size());
    for (const StretchValues::Value& value : values.values()) readers_.push_back(value.readers);
}

Live Pressure::live_after(std::uint32_t i) const {
    Live live = live_;
    const auto& values = values_.values();
    for (std::uint32_t value : values_.reads(i))
        if (readers_[value] == 1 && !values[value].outlives) add(live, values[value].predicate, -1);
    for (std::uint32_t value : values_.writes(i))
        if (readers_[value] > 0 || values[value].outlives) add(live, values[value].predicate, 1);
    return live;
}

void Pressure::place(std::uint32_t i) {
    live_ = live_after(i);
    for (std::uint32_t value : values_.reads(i)) --readers_[value];
}

}  // namespace lookahead::finaliser
