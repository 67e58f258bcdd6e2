#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "components/isa/kernel.h"
#include "components/protocols/launch.h"
#include "components/protocols/send_launch.h"
#include "components/sm/occupancy.h"
#include "core/lp/audit.h"
#include "core/lp/logical_process.h"
#include "core/param/parameters.h"
#include "core/port/out_port.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"
#include "core/time/clock_domain.h"

namespace lookahead::gpu {

struct DispatcherParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, latency, 64, {1, 100000, "core cycle"},
                        {.help = "Latency between dispatcher and SM, each way; also a lookahead of the simulation.",
                         .source = "not published; of the order of a crossbar traversal"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, preassigned_ctas, 1, {0, 32, "CTA"},
        {.help = "CTAs that may wait at an SM beyond its occupancy, to hide the dispatcher's round trip.",
         .source = "choice: 1 makes a replacement immediate, as on hardware"});
    LOOKAHEAD_PARAMETER(std::int64_t, interval, 0, {0, 1000, "core cycle"},
                        {.help = "Cycles between two CTAs that the dispatcher assigns. 0: one CTA per SM and cycle.",
                         .source = "0: GPGPU-Sim assigns one CTA per SM and cycle. An H100 assigns one every 1.0 to "
                                   "1.2 cycles (tests/validation/REAL_GPU.md)"});
    LOOKAHEAD_PARAMETER(Cycle, launch_latency, 0, {0, 1'000'000, "core cycle"},
                        {.help = "Cycles of a launch in which no SM has a CTA: from its start until the first one.",
                         .source = "0: GPGPU-Sim. Empty kernels measure what a launch costs beside its CTAs"});
    LOOKAHEAD_ALL_DECLARED;
};

struct DispatcherCounters {
    LOOKAHEAD_COUNTER(kernels, "kernel", "Kernels begun.");
    LOOKAHEAD_COUNTER(ctas, "CTA", "CTAs assigned to SMs.");
    LOOKAHEAD_ALL_DECLARED;
};

/// Assigns a kernel's CTAs to the SMs: one CTA per SM in turn until every SM is full, then one whenever an SM reports a
/// completed CTA (demand-driven, as GPUs do). Kernels run one after another, in the order of their launches.
///
/// An SM replaces a completed CTA only after a round trip to the dispatcher; `preassigned_ctas` lets that many wait at
/// the SM beyond its occupancy, so that the place is taken at once.
class CtaDispatcher : public LogicalProcess {
  public:
    CtaDispatcher(const DispatcherParameters& parameters, ClockDomain clock, const isa::KernelTable& kernels,
                  const OccupancyLimits& limits, unsigned sms);

    void advance(Inbox inbox, Time horizon) override;
    Time next_event_time() const override { return kTimeInfinity; }
    bool finished() const override { return !running_ && queue_.empty(); }
    std::string waiting_for() const override;
    void visit_statistics(StatisticsVisitor& visitor) const override {
        visit(visitor, name(), "dispatcher", counters_);
    }
    void audit(Audit& audit) const override { audit.account("CTAs", static_cast<std::int64_t>(counters_.ctas)); }
    void fields(StateArchive& archive) override;

    /// For progress reports: the running kernel's name (empty: none), its launch, and its share of completed CTAs.
    std::string running_kernel() const { return running_ ? kernels_[current_.kernel].name : std::string(); }
    std::uint32_t running_launch() const { return current_.launch; }
    double completed_fraction() const {
        return cta_count_ == 0 ? 0 : static_cast<double>(completed_ctas_) / static_cast<double>(cta_count_);
    }

  private:
    friend struct AuditSabotage;
    struct Launch {
        LaunchFields launch{};
        std::vector<std::byte> parameters;

        void fields(StateArchive& archive) {
            archive.plain(launch);
            archive& parameters;
        }
    };

    void handle(const MessageHeader& message);
    void begin_kernel();
    void assign(unsigned sm, Cycle delay);
    void cta_completed(unsigned sm);
    void sm_drained(const SmDrained& message);
    void complete_kernel();
    Time arrival(Cycle delay = 0) const { return clock_.edge(now_ + parameters_.latency + delay); }

    DispatcherParameters parameters_;
    ClockDomain clock_;
    const isa::KernelTable& kernels_;
    OccupancyLimits limits_;
    unsigned sms_;
    OutPort& to_sms_;
    OutPort& to_host_;
    OutPort& to_memory_;

    Cycle now_ = 0;
    Cycle free_ = 0;  // the next cycle in which it may assign a CTA
    ArrivingParameters arriving_;
    std::deque<Launch> queue_;
    bool running_ = false;
    LaunchFields current_{};
    std::uint64_t next_cta_ = 0;
    std::uint64_t cta_count_ = 0;
    std::uint64_t completed_ctas_ = 0;
    std::uint32_t drained_sms_ = 0;
    Time begin_ = 0;
    std::uint64_t warp_instructions_ = 0;
    std::uint64_t thread_instructions_ = 0;
    DispatcherCounters counters_;
};

}  // namespace lookahead::gpu
