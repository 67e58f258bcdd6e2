#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "components/mechanisms/pmode/pmode_counters.h"
#include "components/mechanisms/pmode/pmode_observer.h"
#include "components/mechanisms/pmode/pmode_parameters.h"
#include "components/mechanisms/pmode/pre_execution.h"
#include "components/mechanisms/pmode/register_pool.h"
#include "components/sm/pipeline/execute_stage.h"
#include "components/sm/pipeline/extension_streams.h"
#include "components/sm/pipeline/issue_extension.h"
#include "components/sm/pipeline/issue_stage.h"
#include "components/sm/pipeline/pipeline_state.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Warped pre-execution (Kim et al., HPCA 2016). A warp whose next instruction waits for a long-latency register
/// continues on a copy of its scoreboard, SIMT stack and predicates (P-mode): instructions independent of that register
/// write renamed registers, loads bring their lines into L1, the rest is skipped. When the warp returns to normal mode
/// (N-mode), it reuses the results that its P-queue names. README.md has the rules and the choices.
class Pmode final : public IssueExtension, private StreamPolicy {
  public:
    using Parameters = PmodeParameters;

    Pmode(const PmodeParameters& parameters, const IssueExtensionArguments& arguments);

    Cycle longest_delay() const override;
    void begin_launch() override;
    void warp_started(unsigned context) override;
    void warp_exited(unsigned context) override;
    void begin_cycle(Cycle now) override;
    Cycle next_cycle(Cycle now) const override;

    bool classify(unsigned context) override;
    bool supply(unsigned context, Cycle now) override;
    void before_execution(unsigned context, Cycle now) override;
    void collecting(unsigned context, const std::uint16_t* rows, unsigned count, Cycle collected, Cycle now) override;
    void transferred(unsigned context) override;
    void written_back(unsigned context, std::uint32_t pc, bool all) override;

    ContextMask extended() const override { return streams_.running(); }

    void event(unsigned context, std::uint32_t detail, Cycle now) override;
    void load_completed(std::uint16_t token, const isa::Instruction& instruction, Cycle now) override;

    /// Reports all steps to `observer`, which must outlive this object, from the next launch on.
    void observe(PmodeObserver& observer) { observer_ = &observer; }
    const PmodeCounters& counters() const { return counters_; }
    const RegisterPool& pool() const { return pool_; }

    void audit(Audit& audit, const std::string& sm) const override;
    void visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const override;
    void fields(StateArchive& archive) override;

  private:
    /// What the timing wheel reports.
    enum class Event : std::uint8_t { executed, collected };
    static constexpr unsigned kEventShift = 28;

    /// A pre-executed instruction whose results are not written yet.
    struct Operation {
        bool used = false;
        std::uint8_t words = 0;
        std::uint16_t context = 0;
        std::uint16_t place = kNoPlace;  ///< in the P-queue
        std::uint32_t episode = 0;
        std::uint32_t pc = 0;
        std::array<std::uint16_t, isa::kMostOperandRows> rows{};

        void fields(StateArchive& archive) { archive& used& words& context& place& episode& pc& rows; }
    };
    static constexpr std::uint16_t kNoPlace = 0xffff;
    static constexpr std::uint16_t kNoOperation = 0xffff;

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
    void release_pre_registers(unsigned context);
    void release_own_registers(unsigned context);
    void flush_queue(unsigned context);
    void update_attention(unsigned context);
    void settle(unsigned row);
    void drop_name(unsigned row);
    bool matches(unsigned context) const;
    void track_own(unsigned context, const DecodedInstruction& decoded);
    void verify_reuse(unsigned context, const PQueueEntry& entry, Cycle now);
    void verify_pool() const;

    // Pre-execution (pre_execution.cpp).
    ContextState judge(unsigned context) override;
    bool may_issue() const override;
    bool accepts(unsigned context) const override;
    void issue(unsigned scheduler, unsigned context, Cycle now) override;
    void jumped(unsigned context) override;
    Verdict verdict(unsigned context) const;
    Verdict verdict_on_control(unsigned context, const DecodedInstruction& decoded) const;
    SkipReason always_skipped(unsigned context, std::uint32_t pc, const DecodedInstruction& decoded) const;
    bool out_of_bounds(unsigned context, const DecodedInstruction& decoded) const;
    bool far_from_blocked(unsigned context, std::uint32_t pc) const;
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
    void note_processed(unsigned context, bool skipped);

    /// Reports a step at `pc`, with the lanes `active`, to the observer.
    void tell(PmodeStep::Kind kind, unsigned context, std::uint32_t pc, isa::LaneMask active,
              SkipReason skip = SkipReason::count, HaltReason halt = HaltReason::count) {
        if (observer_ != nullptr) [[unlikely]] {
            observer_->step({kind, static_cast<std::uint16_t>(context), pc, active, skip, halt}, state_.now);
        }
    }
    void halt(unsigned context, HaltReason reason);
    void schedule(unsigned context, Event event, std::uint32_t payload, Cycle now, Cycle at) {
        IssueExtension::schedule(context, static_cast<std::uint32_t>(event) << kEventShift | payload, now, at);
    }
    unsigned home_row(unsigned context, unsigned number) const {
        return context * state_.launch.occupancy.rows_per_warp + number;
    }
    void charge_pool(Cycle now);
    unsigned occupied_rows() const;

    PmodeParameters parameters_;
    IssueStage& issue_;
    ExecuteStage& execute_;
    LoadStoreUnit& memory_;
    ExtensionStreams streams_;            ///< by context; streams of warps in N-mode are vacant
    std::vector<PreExecution> warps_;     ///< by context
    ContextMask skipped_now_ = 0;         ///< warps that have skipped an instruction in this cycle
    std::vector<std::uint16_t> writers_;  ///< by context and scoreboard bit: the last operation that writes it
    unsigned bits_ = 0;                   ///< scoreboard bits of a context
    std::vector<Operation> operations_;
    std::vector<std::uint16_t> free_operations_;
    RegisterPool pool_;
    std::array<std::uint16_t, isa::kMostOperandRows> replaced_{};  ///< rows that the instruction being issued releases
    unsigned replaced_count_ = 0;
    static constexpr Cycle kNotCharging = -1;
    Cycle pool_charged_ = kNotCharging;  ///< the pool's cycles are counted up to this one
    PmodeObserver* observer_ = nullptr;
    PmodeCounters counters_;
};

}  // namespace lookahead::gpu
