#include "components/sm/pipeline/operand_collectors.h"

#include <string>

#include "core/error/error.h"

namespace lookahead::gpu {

OperandCollectors::OperandCollectors(const SmParameters& parameters)
    : enabled_(parameters.operand_collectors),
      banks_(static_cast<std::size_t>(parameters.register_banks)),
      bank_mask_(static_cast<unsigned>(parameters.register_banks - 1)) {
    if (!std::has_single_bit(static_cast<std::uint64_t>(parameters.register_banks))) {
        throw ConfigurationError("sm.register_banks is " + std::to_string(parameters.register_banks) +
                                 "; give a power of two");
    }
    const auto path = [](std::int64_t latches, std::int64_t collectors) {
        return Path{std::vector<Cycle>(static_cast<std::size_t>(latches), 0),
                    std::vector<Cycle>(static_cast<std::size_t>(collectors), 0),
                    std::vector<Cycle>(static_cast<std::size_t>(latches), 0)};
    };
    // One latch for each of the kind's units.
    paths_ = {path(parameters.sp_units, parameters.collector_units),
              path(parameters.sfu_units, parameters.special_collector_units),
              path(1, parameters.memory_collector_units)};
}

/// An instruction waits in its issue latch for a collector unit; asks the banks in the cycle after; moves on in the
/// cycle after the last operand has come; and reaches its unit in the one after that.
Cycle OperandCollectors::pass(ExecutionUnit unit, std::span<const std::uint16_t> rows, unsigned initiation,
                              UnitPool* units, Cycle now) {
    Path& path = path_of(unit);
    Cycle& collector = first_free(path.collectors);
    const Cycle collects = std::max(now + 1, collector);
    first_free(path.issue_latches) = collects;
    Cycle gathered = collects;
    for (const std::uint16_t row : rows) {
        gathered = std::max(gathered, read(row, collects + 1, now));
    }
    Cycle& latch = first_free(path.unit_latches);
    const Cycle leaves = std::max(gathered + 1, latch);
    collector = leaves;
    Cycle taken = leaves + 1;
    if (units != nullptr) {
        taken = std::max(taken, units->next_free(unit));
        units->occupy(unit, taken, initiation);
    }
    latch = taken;
    return taken;
}

Cycle OperandCollectors::read(std::uint16_t row, Cycle from, Cycle now) {
    const Cycle ahead = from - now;
    if (ahead >= 64) {
        return from;
    }
    Bank& bank = bank_of(row, now);
    const Cycle at = ahead + std::countr_one(bank.taken >> ahead);
    if (at < 64) {
        bank.taken |= std::uint64_t{1} << at;
    }
    return now + at;
}

void OperandCollectors::write(std::uint16_t row, Cycle at, Cycle now) {
    const Cycle ahead = at - now;
    if (ahead < 64) {
        bank_of(row, now).taken |= std::uint64_t{1} << ahead;
    }
}

Cycle OperandCollectors::longest_wait(Cycle initiation) const {
    std::size_t before = 0;
    for (const Path& path : paths_) {
        before = std::max(before, path.issue_latches.size() + path.collectors.size() + path.unit_latches.size());
    }
    // Each instruction before it holds the unit for its interval, and its operands wait for 64 cycles at most.
    return static_cast<Cycle>(before + 1) * initiation + 64 + 4 + kUnitStages;
}

}  // namespace lookahead::gpu
