#pragma once

#include <cstdint>
#include <vector>

#include "components/sm/pipeline/execute_stage.h"
#include "components/sm/pipeline/issue_source.h"
#include "components/sm/pipeline/unit_pool.h"

namespace lookahead::gpu {

/// Issue: each scheduler picks one of its ready warps whose unit is free. The schedulers take turns in being first,
/// so that none is favoured where they compete for a unit. Operand collectors would stand between `issue` and the
/// execute stage.
///
/// Every cycle of a launch is charged to exactly one cause in each scheduler's counters: by `cycle` where it is
/// stepped, by `charge_idle` where it is jumped over.
class IssueStage {
  public:
    IssueStage(PipelineState& state, const CtaStage& ctas, WarpSchedulers& schedulers, ExecuteStage& execute,
               LoadStoreUnit& memory);

    /// Returns true if the load/store unit accepted an instruction.
    bool cycle(Cycle now);
    /// Charges cycles in which nothing happens.
    void charge_idle(Cycle cycles);
    /// Least cycle > `now` in which an instruction may issue if nothing else happens before; kNever when none.
    Cycle next_issue(Cycle now) const;

    /// Sources are asked in the order in which they are added; they outlive the stage.
    void add_source(IssueSource& source) { sources_.push_back(&source); }

    const std::vector<SchedulerCounters>& counters() const { return counters_; }
    std::vector<SchedulerCounters>& counters() { return counters_; }
    const UnitPool& units() const { return units_; }
    UnitPool& units() { return units_; }

  private:
    bool step(unsigned scheduler, Cycle now);
    void issue(unsigned context, Cycle now);
    ContextMask candidates(unsigned scheduler, Cycle now) const;
    bool offer(unsigned scheduler, Cycle now);
    SchedulerCycle stall_of(unsigned scheduler) const;
    Cycle next_for(ContextState state, ExecutionUnit unit, Cycle now) const;

    PipelineState& state_;
    const CtaStage& ctas_;
    WarpSchedulers& schedulers_;
    ExecuteStage& execute_;
    LoadStoreUnit& memory_;
    UnitPool units_;
    std::vector<ContextMask> warps_;  ///< of each scheduler
    std::vector<SchedulerCounters> counters_;
    std::vector<IssueSource*> sources_;
    bool accepted_ = false;  ///< by the load/store unit, in this cycle
};

/// The contexts that belong to a scheduler.
ContextMask warps_of_scheduler(unsigned scheduler, unsigned schedulers, unsigned contexts);

}  // namespace lookahead::gpu
