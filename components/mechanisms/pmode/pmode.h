#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "components/isa/lane_mask.h"
#include "components/mechanisms/pmode/operations.h"
#include "components/mechanisms/pmode/pmode_counters.h"
#include "components/mechanisms/pmode/pre_execution.h"
#include "components/mechanisms/pmode/register_pool.h"
#include "components/sm/pipeline/execute_stage.h"
#include "components/sm/pipeline/extension_streams.h"
#include "components/sm/pipeline/issue_extension.h"
#include "components/sm/pipeline/issue_stage.h"
#include "components/sm/pipeline/pipeline_state.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

struct PmodeParameters {
    static constexpr std::string_view kPaper = "Kim et al., HPCA 2016";

    LOOKAHEAD_PARAMETER(std::int64_t, pqueue_entries, 8, {0, 64, "instruction"},
                        {.help = "Pre-executed instructions of a warp whose results are kept for reuse; 0: none is "
                                 "reused, pre-execution only brings lines into L1.",
                         .source = "Kim et al., HPCA 2016, section 5.1: 8 entries"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, registers, 128, {0, 1024, "warp register"},
        {.help =
             "The last warp registers of the file; those that the kernel does not occupy hold pre-executed results.",
         .source = "Kim et al., HPCA 2016, section 5: the last 128 of 1024"});
    LOOKAHEAD_PARAMETER(std::int64_t, rename_entries, 63, {1, 255, "register"},
                        {.help = "Registers of a thread, from 0 on, that can be renamed.",
                         .source = "Kim et al., HPCA 2016, section 5.1: 63 entries"});
    LOOKAHEAD_PARAMETER(std::int64_t, reach, 512, {8, 1 << 20, "byte"},
                        {.help = "Instructions farther than this from the blocked one are not pre-executed.",
                         .source = "Kim et al., HPCA 2016, section 5.1: 512 bytes, an offset of 10 bits"});
    LOOKAHEAD_PARAMETER(std::int64_t, simt_entries, 8, {1, 64, "entry"},
                        {.help = "Entries of the SIMT stack's copy; a warp that diverges further stops pre-executing.",
                         .source = "Kim et al., HPCA 2016, section 5: 8 entries"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, switch_cycles, 1, {0, 64, "cycle"},
        {.help = "From the stall that begins pre-execution to the first cycle in which pre-execution goes on.",
         .source = "estimate: scoreboard and SIMT stack are copied in one cycle, as one register is "
                   "written; the paper charges a latency and does not give it"});
    LOOKAHEAD_PARAMETER(bool, one_buffer, true,
                        {.help = "Both streams of a warp share its instruction buffer, so that the blocked instruction "
                                 "is fetched again on return; false: pre-execution has its own buffer.",
                         .source = "Kim et al., HPCA 2016, sections 1, 4 and 5.1: N-mode restarts fetching at the "
                                   "blocked instruction; section 5.2 releases it for execution instead"});
    LOOKAHEAD_PARAMETER(bool, pre_loads, true,
                        {.help = "Loads of global and local memory bring their lines into L1; false: they are skipped, "
                                 "and pre-execution gives only reuse. To tell the two gains apart.",
                         .source = "Kim et al., HPCA 2016, section 5.1: they do"});
    LOOKAHEAD_PARAMETER(bool, check, false,
                        {.help = "Checks the invariants of the renaming registers in every cycle, and each reused "
                                 "value by executing its instruction again. For tests: slow.",
                         .source = "no property of a machine"});
    LOOKAHEAD_ALL_DECLARED;
};

/// A step of a warp in either mode, for tests and for traces.
struct PmodeStep {
    enum class Kind : std::uint8_t {
        entered,
        skipped,
        executed,
        pre_loaded,
        halted,
        returned,
        reused,  ///< in N-mode
        own,     ///< in N-mode: the warp issues the instruction itself
    };
    Kind kind;
    std::uint16_t context;
    std::uint32_t pc;
    isa::LaneMask active;  ///< the stack's lanes, before guards
    SkipReason skip = SkipReason::count;
    HaltReason halt = HaltReason::count;
};

class PmodeObserver {
  public:
    virtual ~PmodeObserver() = default;
    virtual void step(const PmodeStep& step, Cycle now) = 0;
};

/// Warped pre-execution (Kim et al., HPCA 2016). A warp whose next instruction waits for a long-latency register
/// continues on a copy of its scoreboard, SIMT stack and predicates (P-mode): instructions independent of that register
/// write renamed registers, loads bring their lines into L1, the rest is skipped. When the warp returns to normal mode
/// (N-mode), it reuses the results that its P-queue names. README.md has the rules and the choices.
class Pmode final : public IssueExtension, private RegisterRenaming, private StreamPolicy {
  public:
    using Parameters = PmodeParameters;

    Pmode(const PmodeParameters& parameters, const IssueExtensionArguments& arguments);

    Cycle longest_delay() const override { return ExtensionStreams::longest_delay(state_, parameters_.switch_cycles); }
    void begin_launch() override;
    void warp_started(unsigned context) override;
    void warp_exited(unsigned context) override;
    void begin_cycle(Cycle now) override;
    Cycle next_cycle(Cycle now) const override;

    bool classify(unsigned context) override;
    bool supply(unsigned context, Cycle now) override;
    void before_execution(unsigned context, Cycle now) override;
    RegisterRenaming* renaming() override { return this; }
    void collecting(unsigned context, const std::uint16_t* rows, unsigned count, Cycle collected, Cycle now) override;
    void transferred(unsigned context) override { ++warps_[context].own_epoch; }
    void written_back(unsigned context, std::uint32_t pc, bool all) override;

    ContextMask extended() const override { return streams_.running(); }

    void event(unsigned context, std::uint32_t detail, Cycle now) override;
    void load_completed(std::uint16_t token, const isa::Instruction& instruction, Cycle now) override;

    /// Reports all steps to `observer`, which must outlive this object, from the next launch on.
    void observe(PmodeObserver& observer) { observer_ = &observer; }
    const PmodeCounters& counters() const { return counters_; }
    const RegisterPool& pool() const { return pool_; }

    void audit(Audit& audit, const std::string& sm) const override;
    void visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const override {
        visit(visitor, sm, "pmode", counters_);
    }
    void fields(StateArchive& archive) override;

  private:
    struct Verdict {
        ContextState state;
        SkipReason skip = SkipReason::count;
        HaltReason halt = HaltReason::count;
    };

    // The two modes (pmode.cpp).
    bool waits_for_memory(unsigned context) const;
    ContextMask enterable() const;
    void enter(unsigned context, Cycle now);
    void leave(unsigned context);
    void flush_queue(unsigned context);
    void update_attention(unsigned context);
    bool matches(unsigned context) const;
    void track_own(unsigned context, const DecodedInstruction& decoded);
    void verify_reuse(unsigned context, const PQueueEntry& entry, Cycle now);

    // Pre-execution (pre_execution.cpp).
    ContextState judge(unsigned context) override;
    /// Applies also to instructions that need no renaming register.
    bool may_issue() const override { return pool_.free() > 0; }
    bool accepts(unsigned context) const override;
    void issue(unsigned scheduler, unsigned context, Cycle now) override;
    void jumped(unsigned context) override { ++warps_[context].epoch; }
    Verdict verdict(unsigned context) const;
    Verdict verdict_on_control(unsigned context, const DecodedInstruction& decoded) const;
    void skip(unsigned context);
    void branch(unsigned context, const DecodedInstruction& decoded, isa::LaneMask taken, Cycle now);
    void pre_load(unsigned context, isa::LaneMask active, Cycle from, Cycle now);
    void compute(unsigned context, const DecodedInstruction& decoded, isa::LaneMask active, Cycle from,
                 std::span<const std::uint16_t> rows, Cycle now);
    std::uint16_t begin_operation(unsigned context, const DecodedInstruction& decoded, isa::LaneMask active,
                                  std::span<const std::uint16_t> rows);
    void end_operation(std::uint16_t operation);
    void mark_written(unsigned context, std::uint32_t pc, bool poison, std::uint16_t operation);
    void advance(unsigned context);

    /// Reports a step at `pc`, with the lanes `active`, to the observer.
    void tell(PmodeStep::Kind kind, unsigned context, std::uint32_t pc, isa::LaneMask active,
              SkipReason skip = SkipReason::count, HaltReason halt = HaltReason::count) {
        if (observer_ != nullptr) [[unlikely]] {
            observer_->step({kind, static_cast<std::uint16_t>(context), pc, active, skip, halt}, state_.now);
        }
    }
    void halt(unsigned context, HaltReason reason);

    PmodeParameters parameters_;
    ExtensionStreams streams_;         ///< by context; streams of warps in N-mode are vacant
    std::vector<PreExecution> warps_;  ///< by context
    ContextMask skipped_now_ = 0;      ///< warps that have skipped an instruction in this cycle
    Operations operations_;
    RegisterPool pool_;
    PmodeObserver* observer_ = nullptr;
    PmodeCounters counters_;
};

}  // namespace lookahead::gpu
