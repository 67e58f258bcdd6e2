#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "components/sm/pipeline/execute_stage.h"
#include "components/sm/pipeline/issue_source.h"
#include "components/sm/pipeline/operand_collectors.h"
#include "components/sm/pipeline/register_ports.h"
#include "components/sm/pipeline/unit_pool.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Issue: each scheduler picks one of its ready warps whose unit, or issue latch before the operand collectors, is
/// free. The scheduler that was granted a unit longest ago is asked first, so that competition favours none.
///
/// Every cycle of a launch is charged to exactly one cause in each scheduler's counters: by `cycle` if it is stepped,
/// by `charge_idle` if it is skipped.
class IssueStage {
  public:
    IssueStage(PipelineState& state, const CtaStage& ctas, WarpSchedulers& schedulers, ExecuteStage& execute,
               LoadStoreUnit& memory);

    /// Returns whether the load/store unit accepted an instruction.
    bool cycle(Cycle now);
    void charge_idle(Cycle cycles);
    /// Least cycle > `now` in which an instruction may issue if nothing else happens before; kNever when none.
    Cycle next_issue(Cycle now) const;

    // For sources, in the cycle in which they are asked:
    // Ready streams whose unit is free for the scheduler.
    ContextMask candidates(const ContextStates& states, ContextMask streams, unsigned scheduler, Cycle now) const;
    /// Least cycle > `now` in which a ready stream may find its unit free if nothing else happens. `of_scheduler`: the
    /// streams that may issue through each scheduler.
    Cycle next_of_ready(const ContextStates& states, const std::vector<ContextMask>& of_scheduler, Cycle now) const;
    /// An instruction with these reads and writes enters its unit. Returns the cycle from which the latency counts.
    Cycle enter(unsigned scheduler, const DecodedInstruction& decoded, std::span<const std::uint16_t> reads,
                std::span<const std::uint16_t> writes, Cycle now);
    /// The load/store unit has accepted an instruction of the source.
    void note_accepted() { accepted_ = true; }
    /// The load/store unit writes the rows at `now`, for a source.
    void rows_written(std::span<const std::uint16_t> rows, Cycle now);
    const std::vector<ContextMask>& warps() const { return warps_; }
    unsigned schedulers() const { return static_cast<unsigned>(warps_.size()); }
    bool has_collectors() const { return collectors_.enabled(); }

    /// Sources of one priority are asked in the order in which they are added; they must outlive the stage.
    void add_source(IssueSource& source) {
        sources_[static_cast<unsigned>(source.priority())].push_back(&source);
        has_sources_ = true;
    }
    bool has_sources() const { return has_sources_; }

    /// Holds the issue slot for `cycles` cycles, this one included, for the instruction that the scheduler issues in
    /// this cycle. `cycles` is at least interval(), the cycles that every instruction takes.
    void hold(unsigned scheduler, Cycle cycles, Cycle now) {
        held_until_[scheduler] = std::max(held_until_[scheduler], now + cycles);
        last_hold_ = std::max(last_hold_, held_until_[scheduler]);
    }
    Cycle interval() const { return interval_; }
    /// Frees the slot at `at`, earlier than usual, after the instruction that the scheduler issues in this cycle.
    void free_slot(unsigned scheduler, Cycle at) { held_until_[scheduler] = at; }

    const std::vector<SchedulerCounters>& counters() const { return counters_; }
    std::vector<SchedulerCounters>& counters() { return counters_; }
    /// The load/store unit writes the instruction's destination at `now`.
    void memory_writes(unsigned context, const isa::Instruction& instruction, Cycle now);

    void fields(StateArchive& archive) {
        for (UnitPool& units : units_) { archive& units; }
        archive& collectors_& first_& held_until_& last_hold_;
        for (RegisterPorts& ports : ports_) { archive& ports; }
        if (!sources_of(IssuePriority::beside).empty()) { archive& warps_last_; }
        if (archive.loading()) { find_free(); }
    }

  private:
    bool step(unsigned scheduler, Cycle now);
    void issue(unsigned scheduler, unsigned context, Cycle now);
    bool step_with_sources(unsigned scheduler, Cycle now);
    bool issue_warp(unsigned scheduler, ContextMask ready, Cycle now);
    const std::vector<IssueSource*>& sources_of(IssuePriority priority) const {
        return sources_[static_cast<unsigned>(priority)];
    }
    bool offer(IssuePriority priority, unsigned scheduler, Cycle now);
    void take_slot(unsigned scheduler, Cycle now);
    SchedulerCycle stall_of(unsigned scheduler) const;
    Cycle enter_unit(unsigned scheduler, unsigned context, const DecodedInstruction& decoded, Cycle now);
    void read_registers(unsigned scheduler, unsigned context, const DecodedInstruction& decoded, Cycle now);
    Cycle stage(unsigned scheduler, const DecodedInstruction& decoded, Cycle from, Cycle now);
    bool issue_attended(unsigned scheduler, unsigned context, Cycle now);
    template <class RowOf>
    Cycle collect(const DecodedInstruction& decoded, unsigned reads, RowOf row_of, Cycle now);
    void occupy(unsigned scheduler, const DecodedInstruction& decoded, Cycle now);
    void find_free();
    void note_free(Cycle free, ExecutionUnit unit);
    /// Index of the pool of units for the scheduler's instructions.
    std::size_t units_of(unsigned scheduler) const { return units_.size() == 1 ? 0 : scheduler; }
    Cycle next_for(ContextMask waiting, const std::vector<ContextMask>& of_scheduler, ExecutionUnit unit,
                   Cycle now) const;

    PipelineState& state_;
    const CtaStage& ctas_;
    WarpSchedulers& schedulers_;
    ExecuteStage& execute_;
    LoadStoreUnit& memory_;
    /// The first cycle in which an instruction may issue, by unit.
    using FreeCycles = std::array<Cycle, kExecutionUnits>;

    std::vector<UnitPool> units_;  ///< of the SM, or of each scheduler
    OperandCollectors collectors_;
    std::vector<RegisterPorts> ports_;  ///< by scheduler; empty without sm.register_ports
    std::vector<FreeCycles> free_;      ///< by pool of units
    std::uint32_t first_ = 0;           ///< the scheduler that is asked first
    std::vector<ContextMask> warps_;    ///< by scheduler
    std::vector<SchedulerCounters> counters_;
    std::array<std::vector<IssueSource*>, 3> sources_;  ///< by priority
    bool has_sources_ = false;
    std::vector<Cycle> held_until_;  ///< by scheduler: the first cycle in which its slot is free
    Cycle last_hold_ = 0;            ///< the greatest of them
    Cycle interval_;                 ///< sm.issue_interval
    std::uint64_t warps_last_ = 0;   ///< schedulers that last issued from their warps, not from a source `beside` them
    bool accepted_ = false;          ///< by the load/store unit, in this cycle
};

/// The contexts, of `contexts`, whose warps belong to the scheduler.
ContextMask warps_of_scheduler(unsigned scheduler, unsigned schedulers, unsigned contexts);

}  // namespace lookahead::gpu
