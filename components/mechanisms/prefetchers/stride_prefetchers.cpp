#include "components/mechanisms/prefetchers/stride_prefetchers.h"

#include "core/state/state_archive.h"
#include "core/stats/statistics.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

/// Intra-warp stride prefetching: the next iterations of the same warp's load.
class IntraPrefetcher final : public Prefetcher {
  public:
    using Parameters = IntraParameters;

    IntraPrefetcher(const Parameters& parameters, const PrefetcherArguments& arguments)
        : intra_(parameters, arguments.port) {}

    void end_launch() override { intra_.clear(); }
    void on_load(const ObservedLoad& load, Cycle) override {
        if (AccessVector::fits(load)) {
            intra_.learn(load);
            intra_.prefetch(load, intra_.degree());
        }
    }
    void fields(StateArchive& archive) override { archive& intra_; }

  private:
    IntraWarpStride intra_;
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, IntraPrefetcher, "intra",
                           "Intra-warp stride: the next iterations of a warp's load.",
                           "Koo et al., HPCA 2018, section III.A; Baer and Chen, 1991")

/// Inter-warp stride prefetching: the same load of warps with higher numbers, blind to the borders of CTAs.
class InterPrefetcher final : public Prefetcher {
  public:
    using Parameters = InterParameters;

    InterPrefetcher(const Parameters& parameters, const PrefetcherArguments& arguments)
        : inter_(parameters, arguments.port, arguments.contexts) {}

    void end_launch() override { inter_.clear(); }
    void on_load(const ObservedLoad& load, Cycle) override {
        if (AccessVector::fits(load)) {
            inter_.learn(load);
            inter_.prefetch(load, inter_.degree());
        }
    }
    void fields(StateArchive& archive) override { archive& inter_; }

  private:
    InterWarpStride inter_;
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, InterPrefetcher, "inter",
                           "Inter-warp stride: the same load of the next warps, blind to CTAs.",
                           "Koo et al., HPCA 2018, section III.B; Lee et al., MICRO 2010")

struct MtaParameters {
    std::int64_t period = 10000;
    double high_eviction = 0.02;
    double low_eviction = 0.01;
};

struct MtaCounters {
    std::uint64_t intra_loads = 0;
    std::uint64_t inter_loads = 0;
    std::uint64_t throttled = 0;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::StatisticsOf<lookahead::gpu::MtaCounters> {
    using C = lookahead::gpu::MtaCounters;
    static constexpr std::tuple list{
        Counter<C>{"intra_loads", "instruction", "Loads that iterate: intra-warp prefetching.", &C::intra_loads},
        Counter<C>{"inter_loads", "instruction", "Other loads: inter-warp prefetching.", &C::inter_loads},
        Counter<C>{"throttled", "instruction", "Loads for which it made no prefetch, throttled.", &C::throttled}};
};

template <>
struct lookahead::ParametersOf<lookahead::gpu::MtaParameters> {
    using P = lookahead::gpu::MtaParameters;
    inline static const auto list = parameter_list<P>(
        integer("period", &P::period,
                {.unit = "cycle",
                 .min = 100,
                 .max = 100'000'000,
                 .help = "How often the throttle degree is set anew.",
                 .source = "estimate: some ten times a small kernel"}),
        real("high_eviction", &P::high_eviction,
             {.min = 0,
              .max = 1000,
              .help = "Evicted-unused prefetches over useful ones above which the prefetcher throttles itself by one.",
              .source = "Lee et al., MICRO 2010, as we remember their threshold: 0.02; not checked against the text"}),
        real("low_eviction", &P::low_eviction,
             {.min = 0,
              .max = 1000,
              .help = "The same, below which it takes one off.",
              .source = "Lee et al., MICRO 2010, as we remember their threshold: 0.01; not checked against the text"}));
};

namespace lookahead::gpu {

/// Many-thread-aware prefetching: intra-warp where the warp's load iterates, else inter-warp; throttled when prefetched
/// lines are evicted before their use. Both parts have the parameters of their own variants (`intra.*`, `inter.*`). At degree d of 5, d of 5 loads make no prefetch.
class MtaPrefetcher final : public Prefetcher {
  public:
    using Parameters = MtaParameters;
    static constexpr std::string_view kReads[] = {"intra", "inter"};
    static constexpr std::uint32_t kNoPrefetch = 5;

    MtaPrefetcher(const Parameters& parameters, const PrefetcherArguments& arguments)
        : intra_(arguments.configuration.read<IntraParameters>("intra"), arguments.port),
          inter_(arguments.configuration.read<InterParameters>("inter"), arguments.port, arguments.contexts),
          period_(parameters.period),
          high_(parameters.high_eviction),
          low_(parameters.low_eviction) {}

    void end_launch() override {
        intra_.clear();
        inter_.clear();
    }
    void on_load(const ObservedLoad& load, Cycle now) override {
        if (!AccessVector::fits(load)) {
            return;
        }
        adapt(now);
        const bool iterates = intra_.learn(load);
        inter_.learn(load);
        turn_ = turn_ + 1 == kNoPrefetch ? 0 : turn_ + 1;
        if (turn_ < degree_) {
            ++counters_.throttled;
            return;
        }
        ++(iterates ? counters_.intra_loads : counters_.inter_loads);
        if (iterates) {
            intra_.prefetch(load, intra_.degree());
        } else {
            inter_.prefetch(load, inter_.degree());
        }
    }
    void on_fate(PrefetchFate fate, Cycle) override {
        useful_ += fate == PrefetchFate::useful || fate == PrefetchFate::late;
        evicted_ += fate == PrefetchFate::early_evicted;
    }
    void fields(StateArchive& archive) override {
        archive& intra_& inter_& next_& useful_& evicted_& degree_& turn_;
        archive& counters_;
    }
    void visit_statistics(StatisticsVisitor& visitor, std::string_view component) const override {
        visit(visitor, component, "mta", counters_);
    }

  private:
    /// Looks back on whole periods, when it is called: idle ones change nothing.
    void adapt(Cycle now) {
        if (now < next_) {
            return;
        }
        next_ = now - now % period_ + period_;
        const double rate = static_cast<double>(evicted_) / static_cast<double>(std::max<std::uint64_t>(useful_, 1));
        if (rate > high_) {
            degree_ = std::min(degree_ + 1, kNoPrefetch);
        } else if (rate < low_ && degree_ > 0) {
            --degree_;
        }
        useful_ = evicted_ = 0;
    }

    IntraWarpStride intra_;
    InterWarpStride inter_;
    Cycle period_;
    double high_;
    double low_;
    Cycle next_ = 0;
    std::uint64_t useful_ = 0;
    std::uint64_t evicted_ = 0;
    std::uint32_t degree_ = 0;
    std::uint32_t turn_ = 0;
    MtaCounters counters_;
};

LOOKAHEAD_REGISTER_STATISTICS(MtaCounters, "mta", "Many-thread-aware prefetcher of an SM.")
LOOKAHEAD_REGISTER_VARIANT(Prefetcher, MtaPrefetcher, "mta",
                           "Many-thread aware: intra-warp where a load iterates, else inter-warp; throttled.",
                           "Lee, Lakshminarayana, Kim and Vuduc, MICRO 2010")

struct StridePerWarpParameters {
    std::int64_t entries = 192;
    std::int64_t threshold = 2;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::ParametersOf<lookahead::gpu::StridePerWarpParameters> {
    using P = lookahead::gpu::StridePerWarpParameters;
    inline static const auto list = parameter_list<P>(
        integer("entries", &P::entries,
                {.unit = "entry",
                 .min = 1,
                 .max = 65536,
                 .help = "Loads of warps that are followed on an SM; the one updated longest ago makes room.",
                 .source = "estimate: four loads of each of 48 warps"}),
        integer("threshold", &P::threshold,
                {.unit = "count",
                 .min = 0,
                 .max = 3,
                 .help = "Confidence, of two bits, from which on it prefetches.",
                 .source = "Kim et al., HPCA 2016: two bits, at least 2"}));
};

namespace lookahead::gpu {

/// The "DirectPrefetch" of the pre-execution paper: per warp and PC a stride with a saturating 2-bit confidence.
class StridePerWarpPrefetcher final : public Prefetcher {
  public:
    using Parameters = StridePerWarpParameters;

    StridePerWarpPrefetcher(const Parameters& parameters, const PrefetcherArguments& arguments)
        : table_(static_cast<std::size_t>(parameters.entries)),
          threshold_(static_cast<std::uint32_t>(parameters.threshold)),
          port_(arguments.port) {}

    bool only_when_idle() const override { return true; }
    void end_launch() override { table_.clear(); }
    void on_load(const ObservedLoad& load, Cycle) override {
        if (!AccessVector::fits(load)) {
            return;
        }
        StrideEntry* entry = table_.find(load.pc, load.context);
        std::int64_t stride = 0;
        if (entry == nullptr) {
            entry = &table_.replace(load.pc, load.context);
        } else if (entry->last.difference(load, stride)) {
            note_stride(*entry, stride, 3, true);
            if (entry->confidence >= threshold_ && entry->stride != 0) {
                prefetch_behind(port_, load, entry->stride, load.context);
            }
        } else if (entry->confidence > 0) {
            --entry->confidence;
        }
        entry->last.take(load);
        table_.update(*entry);
    }
    void fields(StateArchive& archive) override { archive& table_; }

  private:
    StrideTable<StrideEntry> table_;
    std::uint32_t threshold_;
    PrefetchPort& port_;
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, StridePerWarpPrefetcher, "stride_per_warp",
                           "Stride of each warp's load with 2-bit confidence, sent while the unit is idle.",
                           "Kim et al., HPCA 2016 (DirectPrefetch)")

}  // namespace lookahead::gpu
