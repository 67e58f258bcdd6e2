#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "components/sm/instruction_class.h"
#include "components/sm/lsu/load_store_unit.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The pipelines of an SM's units, or of a scheduler's own units: when each takes its next instruction.
///
/// With result buses, a pipeline takes an instruction only if it can leave after its latency: in that cycle no other
/// instruction leaves the same pipeline, and fewer leave all pipelines than there are buses. Until then the instruction
/// keeps its latch, and those behind it wait too.
class UnitPool {
  public:
    explicit UnitPool(const SmParameters& parameters) : buses_(static_cast<unsigned>(parameters.result_buses)) {
        for (unsigned unit = 0; unit < kPipelinedUnits; ++unit) {
            units_[unit].assign(static_cast<std::size_t>(parameters.*kUnits[unit].pipelines), 0);
        }
    }

    bool available(ExecutionUnit unit, Cycle now) const { return next_free(unit) <= now; }
    /// The first cycle in which some pipeline of the kind takes an instruction.
    Cycle next_free(ExecutionUnit unit) const {
        const std::vector<Cycle>& pipelines = units_[static_cast<unsigned>(unit)];
        return pipelines.empty() ? kNoUnit : *std::min_element(pipelines.begin(), pipelines.end());
    }
    /// Enters an instruction that comes at `from` into the pipeline that has been free longest; returns the cycle.
    Cycle take(ExecutionUnit unit, Cycle from, unsigned initiation) {
        std::vector<Cycle>& pipelines = units_[static_cast<unsigned>(unit)];
        Cycle& free = *std::min_element(pipelines.begin(), pipelines.end());
        const Cycle taken = std::max(from, free);
        free = taken + static_cast<Cycle>(initiation);
        return taken;
    }

    /// The same with result buses, if any, for a pipeline of this latency. `now` must not exceed any later `from`.
    Cycle take(ExecutionUnit unit, Cycle from, unsigned initiation, unsigned latency, Cycle now) {
        if (buses_ == 0) [[likely]] { return take(unit, from, initiation); }
        std::erase_if(results_, [now](const Result& result) { return result.at < now; });
        std::vector<Cycle>& pipelines = units_[static_cast<unsigned>(unit)];
        for (Cycle taken = from;; ++taken) {
            for (std::uint32_t number = 0; number < pipelines.size(); ++number) {
                const Result result{taken + latency, static_cast<std::uint32_t>(unit), number};
                if (pipelines[number] <= taken && can_leave(result)) {
                    pipelines[number] = taken + static_cast<Cycle>(initiation);
                    results_.push_back(result);
                    return taken;
                }
            }
        }
    }

    void fields(StateArchive& archive) {
        archive& units_;
        if (buses_ > 0) { archive& results_; }
    }

  private:
    /// An instruction that leaves its pipeline.
    struct Result {
        Cycle at = 0;
        std::uint32_t unit = 0;
        std::uint32_t number = 0;

        void fields(StateArchive& archive) { archive& at& unit& number; }
    };
    bool can_leave(const Result& result) const {
        unsigned others = 0;
        for (const Result& other : results_) {
            if (other.at == result.at) {
                ++others;
                if (other.unit == result.unit && other.number == result.number) { return false; }
            }
        }
        return others < buses_;
    }

    static constexpr Cycle kNoUnit = kCycleInfinity;
    std::array<std::vector<Cycle>, kPipelinedUnits> units_;
    unsigned buses_;
    std::vector<Result> results_;  ///< future results; empty without buses
};

}  // namespace lookahead::gpu
