#pragma once

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

/// The counts of all instructions of the launched kernels, by kernel.
class AccessProfile {
  public:
    void begin_launch(const LaunchOnSm& launch) {
        code_ = launch.kernel.code.data();
        counts_.choose(launch.number, launch.kernel.code.size());
    }

    void line(std::uint32_t pc) { ++of(pc).lines; }
    void answered(std::uint32_t pc, L1Answer answer) {
        AccessCounters& counts = of(pc);
        counts.l1_hits += answer == L1Answer::hit;
        counts.l1_merges += answer == L1Answer::merge;
        counts.l1_misses += answer == L1Answer::miss;
    }
    void banks(std::uint32_t pc, unsigned cycles) { of(pc).bank_cycles += cycles; }
    void completed(const isa::Instruction& instruction, Cycle cycles) {
        AccessCounters& counts = code_ == nullptr ? outside_ : of(static_cast<std::uint32_t>(&instruction - code_));
        ++counts.loads;
        counts.load_cycles += static_cast<std::uint64_t>(cycles);
    }

    AccessCounters totals() const {
        AccessCounters sums = counts_.totals();
        accumulate(sums, outside_);
        return sums;
    }
    void visit(StatisticsVisitor& visitor) const { counts_.visit(visitor, "instruction_access"); }
    void fields(StateArchive& archive) { archive& counts_& outside_; }

  private:
    AccessCounters& of(std::uint32_t pc) { return counts_.has(pc) ? counts_[pc] : outside_; }

    const isa::Instruction* code_ = nullptr;  ///< of the launched kernel; null before the first launch
    CountTables<AccessCounters> counts_;
    AccessCounters outside_;  ///< of accesses without a launch, which are in no table
};

}  // namespace lookahead::gpu
