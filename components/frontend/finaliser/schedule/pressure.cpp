#include "components/frontend/finaliser/schedule/pressure.h"

namespace lookahead::finaliser {

namespace {

void add(Live& live, bool predicate, int count) {
    (predicate ? live.predicates : live.rows) += count;
}

}  // namespace

StretchValues::StretchValues(const VirtualKernel& kernel, std::span<const VirtualInstruction> code,
                             const BitSet& live_in, const BitSet& live_out, std::vector<std::uint32_t>& scratch) {
    std::vector<std::uint32_t>& current = scratch;  // unit -> its current value
    const auto begin_value = [&](std::uint32_t unit) {
        current[unit] = static_cast<std::uint32_t>(values_.size());
        // Until the unit is written again, its value after the stretch is this one.
        values_.push_back({0, live_out.contains(unit), unit >= kernel.rows()});
        return current[unit];
    };
    const auto begin_next = [&](std::uint32_t unit) {
        if (current[unit] != kNone) { values_[current[unit]].outlives = false; }
        return begin_value(unit);
    };
    live_in.for_each([&](std::uint32_t unit) { add(live_in_, values_[begin_value(unit)].predicate, 1); });
    first_.reserve(2 * code.size() + 1);
    for (const VirtualInstruction& instruction : code) {
        const auto reads = static_cast<std::ptrdiff_t>(lists_.size());
        first_.push_back(static_cast<std::uint32_t>(lists_.size()));
        for_each_read(kernel, instruction, [&](std::uint32_t unit) {
            const std::uint32_t value = current[unit] != kNone ? current[unit] : begin_value(unit);
            if (std::find(lists_.begin() + reads, lists_.end(), value) != lists_.end()) { return; }
            lists_.push_back(value);
            ++values_[value].readers;
        });
        first_.push_back(static_cast<std::uint32_t>(lists_.size()));
        for_each_write(kernel, instruction, [&](std::uint32_t unit) {
            // A guarded write changes the current value: it neither begins nor ends one.
            if (instruction.guarded() && current[unit] != kNone) { return; }
            lists_.push_back(begin_next(unit));
        });
    }
    first_.push_back(static_cast<std::uint32_t>(lists_.size()));
    const auto forget = [&](std::uint32_t unit) { current[unit] = kNone; };
    live_in.for_each(forget);
    for (const VirtualInstruction& instruction : code) {
        for_each_read(kernel, instruction, forget);
        for_each_write(kernel, instruction, forget);
    }
}

Pressure::Pressure(const StretchValues& values)
    : values_(values), readers_(values.values().size()), changes_(values.instructions()), live_(values.live_in()) {
    for (std::uint32_t i = 0; i < changes_.size(); ++i) {
        for (const std::uint32_t value : values.reads(i)) {
            ++readers_[value].count;
            readers_[value].sum += i;
        }
        // All readers of the value come after its write.
        for (const std::uint32_t value : values.writes(i)) {
            if (values.values()[value].readers > 0 || values.values()[value].outlives) {
                add(changes_[i], values.values()[value].predicate, 1);
            }
        }
    }
    for (std::uint32_t value = 0; value < readers_.size(); ++value) {
        if (readers_[value].count == 1 && !values.values()[value].outlives) { end_with_last(value); }
    }
}

std::uint32_t Pressure::end_with_last(std::uint32_t value) {
    const std::uint32_t last = readers_[value].sum;
    add(changes_[last], values_.values()[value].predicate, -1);
    return last;
}

}  // namespace lookahead::finaliser
