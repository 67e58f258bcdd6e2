#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "components/isa/kernel.h"
#include "components/sm/lsu/load_store_unit.h"
#include "components/sm/lsu/miss_samples.h"
#include "components/sm/multiprocessor/held_messages.h"
#include "components/sm/multiprocessor/launches.h"
#include "components/sm/multiprocessor/sm_trace.h"
#include "components/sm/pipeline/barrier_stage.h"
#include "components/sm/pipeline/cta_stage.h"
#include "components/sm/pipeline/execute_stage.h"
#include "components/sm/pipeline/fetch_stage.h"
#include "components/sm/pipeline/issue_extension.h"
#include "components/sm/pipeline/issue_stage.h"
#include "components/sm/pipeline/pipeline_state.h"
#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/lp/logical_process.h"
#include "core/param/configuration.h"
#include "core/state/state_archive.h"
#include "core/stats/phase_log.h"
#include "core/time/clock_domain.h"

namespace lookahead::gpu {

/// What schedulers may see of the pipeline.
class PipelineView final : public WarpView {
  public:
    explicit PipelineView(const PipelineState& state) : state_(state) {}

    Cycle now() const override { return state_.now; }
    ContextMask loads(ContextMask warps) const override {
        ContextMask loads = 0;
        for (const unsigned warp : warps& state_.warps.states.in(ready_for(ExecutionUnit::memory))) {
            const InstructionClass next = (*state_.kernel)[state_.warps.streams[warp].stack.pc()].instruction_class;
            if (next == InstructionClass::load_global || next == InstructionClass::load_local) {
                loads |= context_bit(warp);
            }
        }
        return loads;
    }

  private:
    const PipelineState& state_;
};

/// What an SM offers to the load/store unit that is made for it. All references outlive the unit.
struct LoadStoreServices {
    unsigned contexts;
    std::uint32_t shared_bytes;
    const ClockDomain& clock;
    RegisterFile& registers;
    ConstantCache& constants;
    LoadStoreListener& listener;
    OutPort& requests;
    OutPort& credits;
};
using LoadStoreFactory = std::function<std::unique_ptr<LoadStoreUnit>(const LoadStoreServices&)>;

/// A streaming multiprocessor as a logical process: it joins the stages of components/sm/pipeline, the warp schedulers
/// and the load/store unit. Its ports are those of components/protocols/ports.h.
///
/// In a cycle, in this order: messages are delivered; what is due in the timing wheel is done (write-backs, fetched
/// instructions, branches, barriers); CTAs retire and start; the schedulers issue; fetches start; the load/store
/// unit works. Cycles in which none of this can happen are jumped over.
class StreamingMultiprocessor final : public LogicalProcess, public MissSampler, private LoadStoreListener {
  public:
    /// Reads "sm.…", "sm.timing.…" and the slots "sm.warp_scheduler", "sm.simt" and "sm.issue_extension". `kernels`
    /// outlives the SM.
    StreamingMultiprocessor(const Configuration& configuration, const isa::KernelTable& kernels, SmIdentity identity,
                            const LoadStoreFactory& make_load_store_unit);

    void advance(Inbox inbox, Time horizon) override;
    Time next_event_time() const override;
    bool finished() const override { return !state_.launch.active; }
    std::string waiting_for() const override;
    void audit(Audit& audit) const override;
    /// Times of some misses of L1; null: the load/store unit takes none.
    const MissSamples* miss_samples() const override { return memory_->samples(); }
    const ClockDomain& clock() const override { return clock_; }
    std::uint32_t number() const override { return number_; }
    void start_trace(const TraceWindow& window) override;
    void visit_trace(TraceVisitor& visitor) const override;
    void visit_statistics(StatisticsVisitor& visitor) const override;
    const PhaseLog* phases() const override { return &phases_; }
    std::uint64_t progress() const override { return state_.counters.warp_instructions; }
    void fields(StateArchive& archive) override;

    const SmCounters& counters() const { return state_.counters; }
    const std::vector<SchedulerCounters>& scheduler_counters() const { return issue_.counters(); }
    const Extensions& extensions() const { return extensions_; }
    /// Adds an issue source beside the warps' own streams; it must outlive the SM's use.
    void add_issue_source(IssueSource& source) { issue_.add_source(source); }

  private:
    friend struct AuditSabotage;

    void memory_completed(std::uint16_t context, const isa::Instruction& instruction, Cycle now) override;
    void element_completed(std::uint16_t context, const isa::Instruction& instruction, unsigned element, bool last,
                           Cycle now) override;
    void extension_completed(std::uint16_t token, const isa::Instruction& instruction, Cycle now) override {
        extensions_.load_completed(token, instruction, now);
    }
    void line_came(std::uint32_t reader, Cycle now) override;
    void warp_hint(std::uint16_t context, WarpHint hint) override {
        schedulers_[context % schedulers_.size()]->hint(hint, context);
    }
    bool asks_for_constants() const { return state_.constants.can_ask() && memory_->can_request_line(); }

    void step(Cycle now);
    void charge_until(Cycle end);
    void count_cycles(Cycle cycles);
    void deliver(const MessageHeader& message, Cycle now);
    void begin_kernel(const MessageHeader& message);
    void handle(PipelineEvent event, Cycle now);
    void finish_kernel_if_drained(Cycle now);
    Cycle next_work(Cycle now);
    void send_to_dispatcher(const auto& payload, Cycle now);

    std::uint32_t number_;
    OutPort& to_dispatcher_;
    PipelineState state_;
    ClockDomain clock_;
    Launches launches_;
    std::unique_ptr<LoadStoreUnit> memory_;
    PipelineView view_;
    WarpSchedulers schedulers_;
    CtaStage ctas_;
    BarrierStage barriers_;
    ExecuteStage execute_;
    IssueStage issue_;
    FetchStage fetch_;
    Extensions extensions_;
    HeldMessages held_;
    PhaseLog phases_;                 ///< by kernel
    std::unique_ptr<SmTrace> trace_;  ///< null: none is recorded

    Cycle charged_until_ = 0;          ///< cycles before this one are in the counters
    Cycle next_work_ = kNever;         ///< the next cycle to step if no message comes
    Cycle next_memory_work_ = kNever;  ///< the same for the load/store unit
    /// The first cycle in which a warp may issue; the issue stage is not asked before it. Everything that wakes a warp
    /// sets it. It is no part of the state: where it is not known, the issue stage is asked.
    Cycle next_issue_ = 0;
    bool memory_touched_ = false;  ///< the load/store unit got something in this cycle
};

}  // namespace lookahead::gpu
