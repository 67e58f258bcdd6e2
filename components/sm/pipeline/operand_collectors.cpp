#include "components/sm/pipeline/operand_collectors.h"

#include <string>

#include "core/error/error.h"

namespace lookahead::gpu {

// One latch for each of a kind's units.
OperandCollectors::OperandCollectors(const SmParameters& parameters)
    : enabled_(parameters.operand_collectors),
      paths_{Path(parameters.sp_units, parameters.collector_units),
             Path(parameters.sfu_units, parameters.special_collector_units),
             Path(1, parameters.memory_collector_units)},
      banks_(static_cast<std::size_t>(parameters.register_banks)),
      bank_mask_(static_cast<unsigned>(parameters.register_banks - 1)) {
    if (!std::has_single_bit(static_cast<std::uint64_t>(parameters.register_banks))) {
        throw ConfigurationError("sm.register_banks is " + std::to_string(parameters.register_banks) +
                                 "; give a power of two");
    }
}

/// An instruction waits in its issue latch for a collector unit; asks the banks in the cycle after; moves on in the
/// cycle after the last operand has come; and reaches its unit in the one after that.
Cycle OperandCollectors::pass(ExecutionUnit unit, std::span<const std::uint16_t> rows, unsigned initiation,
                              UnitPool* units, Cycle now) {
    Path& path = path_of(unit);
    const Cycle collects = std::max(now + 1, path.collectors.first());
    path.issue_latches.take_first(collects);
    Cycle gathered = collects;
    for (const std::uint16_t row : rows) {
        gathered = std::max(gathered, read(row, collects + 1, now));
    }
    const Cycle leaves = std::max(gathered + 1, path.unit_latches.first());
    path.collectors.take_first(leaves);
    Cycle taken = leaves + 1;
    if (units != nullptr) {
        taken = std::max(taken, units->next_free(unit));
        units->occupy(unit, taken, initiation);
    }
    path.unit_latches.take_first(taken);
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
        before = std::max(before, path.issue_latches.count() + path.collectors.count() + path.unit_latches.count());
    }
    // Each instruction before it holds the unit for its interval, and its operands wait for 64 cycles at most.
    return static_cast<Cycle>(before + 1) * initiation + 64 + 4 + kUnitStages;
}

}  // namespace lookahead::gpu
