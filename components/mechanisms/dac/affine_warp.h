#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "components/mechanisms/dac/cta_batches.h"
#include "components/mechanisms/dac/dac_launch.h"
#include "components/mechanisms/dac/warp_queues.h"
#include "components/sm/pipeline/execute_stage.h"
#include "components/sm/pipeline/extension_streams.h"
#include "components/sm/pipeline/issue_stage.h"
#include "components/sm/pipeline/pipeline_state.h"

namespace lookahead::dac {

/// The affine warp of an SM (Wang and Lin, ISCA 2017, sections 4.1 and 4.5). It runs the kernel's affine stream once
/// for each batch of CTAs, with one SIMT stack for all their warps, and enqueues tuples for them.
class AffineWarp final : private gpu::StreamPolicy {
  public:
    AffineWarp(const DacParameters& parameters, const gpu::IssueExtensionArguments& sm, const DacLaunch& launch,
               TupleQueue& tuples, WarpQueues& queues, DacCounters& counters);

    Cycle longest_delay() const {
        return gpu::ExtensionStreams::longest_delay(sm_.state,
                                                    sm_.state.parameters.branch_latency + sm_.state.warps.size());
    }
    gpu::IssuePriority priority() const { return streams_.priority(); }
    void begin_launch();
    void warp_started(unsigned slot) { batches_.warp_started(slot, sm_.state.now); }
    void warp_exited(unsigned context);
    /// The cycle at which the next run is due; kNever during a run.
    Cycle due() const { return is_running() ? gpu::kNever : batches_.due(); }
    /// Begins a run for the waiting CTAs.
    void start(Cycle now);
    /// Writes back the result of the run's instruction at `pc`.
    void write_back(unsigned run, std::uint32_t pc);
    /// Determines again what the affine warp waits for.
    void renew() { streams_.renew(kStream); }

    /// The CTA slots, those of the oldest run first.
    std::span<const std::uint8_t> turns() const { return batches_.turns(); }
    const isa::Dim3& ctaid(unsigned slot) const { return ctas_[slot].ctaid(); }

    std::string waiting_for() const;
    void audit(Audit& audit, const std::string& sm) const { streams_.audit(audit, sm, "affine warps"); }
    /// Archives the run's number, which like the stream exists between launches too.
    void run_fields(StateArchive& archive) { archive& run_; }
    void stream_fields(StateArchive& archive) { streams_.fields(archive); }
    /// Archives the rest, which exists only in decoupled launches.
    void fields(StateArchive& archive);

  private:
    static constexpr unsigned kStream = 0;  ///< the number of the only stream

    /// Why the affine warp waits at an enqueue or a branch, for statistics.
    enum class Wait : std::uint8_t { nothing, tuple_queue, predicate_queue, report };

    bool is_running() const { return streams_.running() != 0; }
    gpu::ContextState judge(unsigned stream) override;
    void issue(unsigned scheduler, unsigned stream, Cycle now) override;
    SmThreads guarded(const isa::Instruction& instruction) const;
    void branch(const isa::Instruction& instruction, const SmThreads& taken, Cycle now);
    void enqueue(std::uint32_t pc, const SmThreads& active, Cycle from);
    bool has_rows(const AtqEntry& entry) const;
    void take_reports(const isa::Instruction& instruction);
    void go_on(bool issued);
    void end_run();
    gpu::ContextState waits(Wait wait, gpu::ContextState ready);
    void note_wait(Wait wait);

    const gpu::IssueExtensionArguments sm_;
    const DacLaunch& launch_;
    TupleQueue& tuples_;
    WarpQueues& queues_;
    DacCounters& counters_;
    gpu::ExtensionStreams streams_;
    std::vector<std::uint64_t> all_bits_;  ///< all scoreboard bits of this launch
    CtaBatches batches_;
    bool full_predicates_stop_every_;
    std::vector<AffineCta> ctas_;  ///< by CTA slot
    AffineStack stack_;
    std::uint16_t run_ = 0;  ///< write-backs of older runs are dropped
    Cycle waits_since_ = 0;
    Wait waits_for_ = Wait::nothing;
};

}  // namespace lookahead::dac
