#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "components/sm/instruction_class.h"
#include "components/sm/lsu/load_store_unit.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The SP, SFU, DP and integer pipelines of an SM, or of a scheduler that has its own: when each takes its next
/// instruction.
class UnitPool {
  public:
    UnitPool(unsigned sp, unsigned sfu, unsigned dp, unsigned integer = 0)
        : units_{std::vector<Cycle>(sp, 0), std::vector<Cycle>(sfu, 0), std::vector<Cycle>(dp, 0),
                 std::vector<Cycle>(integer, 0)} {}

    bool available(ExecutionUnit unit, Cycle now) const { return next_free(unit) <= now; }
    /// The first cycle in which some pipeline of the kind takes an instruction.
    Cycle next_free(ExecutionUnit unit) const {
        const std::vector<Cycle>& pipelines = units_[static_cast<unsigned>(unit)];
        return pipelines.empty() ? kNoUnit : *std::min_element(pipelines.begin(), pipelines.end());
    }
    /// An instruction that comes at `from` enters the pipeline that has been free longest. Returns when.
    Cycle take(ExecutionUnit unit, Cycle from, unsigned initiation) {
        std::vector<Cycle>& pipelines = units_[static_cast<unsigned>(unit)];
        Cycle& free = *std::min_element(pipelines.begin(), pipelines.end());
        const Cycle taken = std::max(from, free);
        free = taken + static_cast<Cycle>(initiation);
        return taken;
    }

    void fields(StateArchive& archive) { archive& units_; }

  private:
    static constexpr Cycle kNoUnit = kCycleInfinity;
    static_assert(static_cast<unsigned>(ExecutionUnit::sp) == 0 && static_cast<unsigned>(ExecutionUnit::integer) == 3);
    std::array<std::vector<Cycle>, 4> units_;
};

}  // namespace lookahead::gpu
