#include "components/sm/pipeline/operand_collectors.h"

#include "core/error/error.h"

namespace lookahead::gpu {

// A path has a latch for each SP unit, for each SFU, or for the one load/store unit.
OperandCollectors::OperandCollectors(const SmParameters& parameters)
    : enabled_(parameters.operand_collectors),
      paths_{Path(parameters.sp_units, parameters.collector_units),
             Path(parameters.sfu_units, parameters.special_collector_units),
             Path(1, parameters.memory_collector_units)},
      banks_(static_cast<std::size_t>(parameters.register_banks)),
      bank_mask_(static_cast<unsigned>(parameters.register_banks - 1)) {
    if (!std::has_single_bit(static_cast<std::uint64_t>(parameters.register_banks))) {
        throw ConfigurationError("sm.register_banks is {}; give a power of two", parameters.register_banks);
    }
}

Cycle OperandCollectors::longest_wait(Cycle initiation) const {
    std::size_t before = 0;
    for (const Path& path : paths_) {
        before = std::max(before, path.issue_latches.count() + path.collectors.count() + path.unit_latches.count());
    }
    // Each earlier instruction holds the unit for its interval, and operands wait for 64 cycles at most.
    return static_cast<Cycle>(before + 1) * initiation + 64 + 4 + kUnitStages;
}

}  // namespace lookahead::gpu
