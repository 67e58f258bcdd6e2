#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "components/cache/l1_sets.h"
#include "components/isa/instruction.h"
#include "components/isa/kernel.h"
#include "components/sm/lsu/launch_on_sm.h"
#include "core/state/state_archive.h"
#include "core/stats/count_tables.h"
#include "core/stats/statistics.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The accesses of one instruction on one SM, by warps and by extensions' streams.
struct AccessCounters {
    LOOKAHEAD_COUNTER(lines, "access", "Lines that it accessed in L1, coalesced.");
    LOOKAHEAD_COUNTER(l1_hits, "access", "Loads of a line, or of sectors in the same state, that L1 had.");
    LOOKAHEAD_COUNTER(l1_merges, "access", "The same, that were on their way to L1.");
    LOOKAHEAD_COUNTER(l1_misses, "access", "The same, that L1 requested from L2.");
    LOOKAHEAD_COUNTER(bank_cycles, "cycle", "Cycles in the banks of shared memory.");
    LOOKAHEAD_COUNTER(loads, "instruction", "Completed: loads, and atomics with a result.");
    LOOKAHEAD_COUNTER(load_cycles, "cycle", "Their cycles from acceptance to completion.");
    LOOKAHEAD_ALL_DECLARED;
};

/// The accesses of an instruction, or of one of its elements, while it is the oldest: the first of AccessCounters.
struct HeadAccesses {
    std::array<std::uint16_t, 5> counts{};

    void line() { ++counts[0]; }
    void answered(L1Answer answer) { ++counts[1 + static_cast<std::size_t>(answer)]; }
    void banks(unsigned cycles) { counts[4] = static_cast<std::uint16_t>(counts[4] + cycles); }
    void fields(StateArchive& archive) { archive& counts; }
};

/// The counts of all instructions of the launched kernels, by kernel.
class AccessProfile {
  public:
    /// Accesses of no known instruction, which only tests make, are in the first row.
    AccessProfile() { counts_.choose(UINT64_MAX, 1); }

    void begin_launch(const LaunchOnSm& launch) {
        code_ = launch.kernel.code.data();
        counts_.choose(launch.number, std::max<std::size_t>(launch.kernel.code.size(), 1));
    }

    /// Its accesses follow soon.
    void expect(std::uint32_t pc) const { counts_.expect(pc); }
    void performed(std::uint32_t pc, const HeadAccesses& accesses) {
        for (std::size_t i = 0; i < accesses.counts.size(); ++i) {
            if (accesses.counts[i] != 0) { add(pc, i, accesses.counts[i]); }
        }
    }
    void completed(const isa::Instruction& instruction, Cycle cycles) {
        const std::uint32_t pc = code_ == nullptr ? 0 : static_cast<std::uint32_t>(&instruction - code_);
        add(pc, kLoads, 1);
        add(pc, kLoadCycles, static_cast<std::uint64_t>(cycles));
    }

    AccessCounters totals() const { return counts_.totals(); }
    void visit(StatisticsVisitor& visitor) const { counts_.visit(visitor, "instruction_access"); }
    void fields(StateArchive& archive) { archive& counts_; }

  private:
    // Numbers of AccessCounters in the order of declaration, after those of HeadAccesses.
    static constexpr std::size_t kLoads = 5, kLoadCycles = 6;

    void add(std::uint32_t pc, std::size_t counter, std::uint64_t more) {
        counts_.add(counts_.has(pc) ? pc : 0, counter, more);
    }

    const isa::Instruction* code_ = nullptr;  ///< of the launched kernel; null before the first launch
    CountTables<AccessCounters> counts_;
};

}  // namespace lookahead::gpu
