#include <algorithm>

#include "components/mechanisms/prefetchers/stride_table.h"
#include "core/mutation/rule.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

struct MtaParameters {
    static constexpr std::string_view kTables =
        "Lee et al., MICRO 2010, section III-B: 32, 8 and 8 entries of PWS, GS and IP, 557 B per core";
    static constexpr std::string_view kAhead = "Lee et al., section III-B: the next; larger values are not the paper's";
    static constexpr std::string_view kThrottle = "Lee et al., section V-A, as publicly described";

    LOOKAHEAD_PARAMETER(std::int64_t, pws_entries, 32, {1, 65536, "entry"},
                        {.help = "Loads of warps that are followed (per-warp stride table).", .source = kTables});
    LOOKAHEAD_PARAMETER(std::int64_t, gs_entries, 8, {1, 65536, "entry"},
                        {.help = "Loads whose stride is that of many warps (global stride table).", .source = kTables});
    LOOKAHEAD_PARAMETER(std::int64_t, ip_entries, 8, {1, 65536, "entry"},
                        {.help = "Loads that are followed across warps (inter-thread prefetching table).",
                         .source = kTables});
    LOOKAHEAD_PARAMETER(std::int64_t, promotion, 3, {1, 64, "entry"},
                        {.help = "Trained PWS entries of one load with the same stride that make a GS entry.",
                         .source = "Lee et al., section III-B.1: three"});
    LOOKAHEAD_PARAMETER(std::int64_t, distance, 1, {1, 64, "iteration"},
                        {.help = "GS and PWS: how many iterations ahead the first prefetch is.", .source = kAhead});
    LOOKAHEAD_PARAMETER(std::int64_t, degree, 1, {1, 16, "iteration"},
                        {.help = "GS and PWS: iterations that are prefetched at a time.", .source = kAhead});
    LOOKAHEAD_PARAMETER(std::int64_t, ip_distance, 1, {1, 64, "warp"},
                        {.help = "IP: how many warps ahead the first prefetch is.", .source = kAhead});
    LOOKAHEAD_PARAMETER(std::int64_t, ip_degree, 1, {1, 64, "warp"},
                        {.help = "IP: warps that are prefetched for at a time.", .source = kAhead});
    LOOKAHEAD_PARAMETER(bool, throttle, true,
                        {.help = "The shares of evicted and of merged lines determine how many prefetches are made.",
                         .source = "Lee et al., section V; Koo et al. (CAPS) do not say whether theirs does"});
    LOOKAHEAD_PARAMETER(std::int64_t, initial_degree, 2, {0, 5, "fifth"},
                        {.help = "Fifths of the prefetches that are not made in the first period.",
                         .source = kThrottle});
    LOOKAHEAD_PARAMETER(std::int64_t, period, 100'000, {100, 100'000'000, "cycle"},
                        {.help = "How often the throttle is set anew.", .source = kThrottle});
    LOOKAHEAD_PARAMETER(
        double, high_eviction, 0.02, {0, 1000},
        {.help = "Ratio of prefetches evicted before use to useful ones, above which no prefetches are made.",
         .source = kThrottle});
    LOOKAHEAD_PARAMETER(double, low_eviction, 0.01, {0, 1000},
                        {.help = "The same ratio, from which on fewer prefetches are made.", .source = kThrottle});
    LOOKAHEAD_PARAMETER(double, merge_ratio, 0.15, {0, 1},
                        {.help = "With few evictions: ratio of loads that merge with a request under way to all "
                                 "requests, above which more prefetches are made, and up to which none.",
                         .source = kThrottle});
    LOOKAHEAD_ALL_DECLARED;
};

struct MtaCounters {
    LOOKAHEAD_COUNTER(global_loads, "instruction", "Loads with an entry of the GS table: intra-warp prefetching.");
    LOOKAHEAD_COUNTER(inter_loads, "instruction",
                      "Other loads with a trained entry of the IP table: inter-warp prefetching.");
    LOOKAHEAD_COUNTER(warp_loads, "instruction",
                      "Other loads with a trained entry of the PWS table: intra-warp prefetching.");
    LOOKAHEAD_COUNTER(promotions, "load", "Strides that moved from the PWS to the GS table.");
    LOOKAHEAD_COUNTER(throttled, "instruction",
                      "Part of the loads above: those for which the throttle allowed no prefetch.");
    LOOKAHEAD_COUNTER(periods, "period",
                      "Periods with memory requests, after each of which the throttle was set anew.");
    LOOKAHEAD_COUNTER(more, "period", "Part of periods: those that let it prefetch more.");
    LOOKAHEAD_COUNTER(fewer, "period", "Part of periods: those that let it prefetch less.");
    LOOKAHEAD_COUNTER(stopped, "period", "Part of periods: those after which it made no prefetches.");
    LOOKAHEAD_ALL_DECLARED;
};

/// Entry of the PWS table: PC, warp, trained, last address and stride.
struct PerWarpStride {
    std::uint32_t pc = 0;
    std::uint16_t context = kNoContext;
    bool trained = false;  ///< the stride has repeated
    std::int64_t stride = 0;
    std::uint64_t updated = 0;  ///< 0: no entry
    AccessVector last;

    void fields(StateArchive& archive) { archive& pc& context& trained& stride& updated& last; }
};

/// Entry of the GS table: PC and stride.
struct GlobalStride {
    std::uint32_t pc = 0;
    std::uint16_t context = kNoContext;  ///< unused: the table is by PC
    std::int64_t stride = 0;
    std::uint64_t updated = 0;  ///< 0: no entry

    void fields(StateArchive& archive) { archive& pc& context& stride& updated; }
};

/// Entry of the IP table: PC, stride, trained, and warp and address of two accesses.
struct InterThreadStride {
    std::uint32_t pc = 0;
    std::uint16_t context = kNoContext;  ///< unused: the table is by PC
    bool trained = false;                ///< three accesses of different warps are equally spaced by warp
    std::uint16_t seen = 0;              ///< accesses that agree so far, at most two
    std::uint16_t warps[2] = {};         ///< of the last access and the one before it
    std::int64_t stride = 0;             ///< between neighbouring warps
    std::uint64_t updated = 0;           ///< 0: no entry
    AccessVector last;

    void fields(StateArchive& archive) { archive& pc& context& trained& seen& warps& stride& updated& last; }
};

/// Many-thread-aware prefetching (Lee et al., MICRO 2010): the hardware prefetcher MT-HWP of section III-B with the
/// throttle of section V. README.md tells the paper's rules from our choices.
class MtaPrefetcher final : public Prefetcher {
  public:
    using Parameters = MtaParameters;
    static constexpr std::uint32_t kNone = 5;  ///< throttle degree: five of five prefetches are dropped

    MtaPrefetcher(const Parameters& parameters, const PrefetcherArguments& arguments)
        : parameters_(parameters),
          contexts_(static_cast<std::int64_t>(arguments.contexts)),
          port_(arguments.port),
          per_warp_(static_cast<std::size_t>(parameters.pws_entries)),
          global_(static_cast<std::size_t>(parameters.gs_entries)),
          inter_thread_(static_cast<std::size_t>(parameters.ip_entries)),
          degree_(parameters.throttle ? static_cast<std::uint32_t>(parameters.initial_degree) : 0) {}

    void end_launch() override {
        per_warp_.clear();
        global_.clear();
        inter_thread_.clear();
    }
    void on_load(const ObservedLoad& load, Cycle now) override;
    void on_access(const L1Event& event, Cycle) override {
        const bool merges = event.kind == L1EventKind::merge;
        merges_ += merges;
        requests_ += merges || event.kind == L1EventKind::miss;
    }
    void on_fate(PrefetchFate fate, Cycle) override {
        useful_ += fate == PrefetchFate::useful || fate == PrefetchFate::late;
        evicted_ += fate == PrefetchFate::early_evicted;
    }
    void fields(StateArchive& archive) override {
        archive& per_warp_& global_& inter_thread_;
        archive& next_& useful_& evicted_& merges_& requests_& merge_ratio_& measured_& degree_& turn_& counters_;
    }
    void visit_statistics(StatisticsVisitor& visitor, std::string_view component) const override {
        visit(visitor, component, "mta", counters_);
    }

  private:
    bool learn_over_warps(const ObservedLoad& load, std::int64_t& stride);
    bool learn_in_warp(const ObservedLoad& load, std::int64_t& stride);
    void promote(const PerWarpStride& entry);
    void prefetch_iterations(const ObservedLoad& load, std::int64_t stride);
    void prefetch_warps(const ObservedLoad& load, std::int64_t stride);
    bool lets_through();
    void adapt(Cycle now);
    void choose_degree(double evictions);

    MtaParameters parameters_;
    std::int64_t contexts_;
    PrefetchPort& port_;
    StrideTable<PerWarpStride> per_warp_;
    StrideTable<GlobalStride> global_;
    StrideTable<InterThreadStride> inter_thread_;
    Cycle next_ = 0;            ///< the end of the period
    std::uint64_t useful_ = 0;  ///< of the period, like the next three
    std::uint64_t evicted_ = 0;
    std::uint64_t merges_ = 0;
    std::uint64_t requests_ = 0;
    double merge_ratio_ = 0;    ///< of the earlier periods
    bool measured_ = false;     ///< there was an earlier period
    std::uint32_t degree_ = 0;  ///< how many of five prefetches are dropped
    std::uint32_t turn_ = 0;    ///< 0 to 4
    MtaCounters counters_;
};

/// GS and IP are looked up together, and GS has priority (section III-B.3): strides within a warp are more common, and
/// only repeated ones enter GS. A load in neither is looked up in PWS, where it trains. A load in GS does not train IP,
/// which would not be used.
void MtaPrefetcher::on_load(const ObservedLoad& load, Cycle now) {
    if (!AccessVector::fits(load)) { return; }
    adapt(now);
    if (GlobalStride* global = global_.find(load.pc); LOOKAHEAD_RULE(mta_global_goes_first) && global != nullptr) {
        global_.update(*global);
        ++counters_.global_loads;
        return prefetch_iterations(load, global->stride);
    }
    std::int64_t stride = 0;
    if (learn_over_warps(load, stride)) {
        ++counters_.inter_loads;
        return prefetch_warps(load, stride);
    }
    if (learn_in_warp(load, stride)) {
        ++counters_.warp_loads;
        prefetch_iterations(load, stride);
    }
}

/// IP (section III-B.2) is trained by three accesses of different warps that are equally spaced by warp. Returns
/// whether it is trained. An access elsewhere, or by the last warp again, restarts the training: the entry has one bit
/// for it, and an outdated stride would fetch useless lines until the entry is replaced.
bool MtaPrefetcher::learn_over_warps(const ObservedLoad& load, std::int64_t& stride) {
    InterThreadStride* entry = inter_thread_.find(load.pc);
    if (entry == nullptr) { entry = &inter_thread_.replace(load.pc); }
    const std::int64_t warps = std::int64_t{load.context} - entry->warps[0];
    std::int64_t apart = 0;
    if (entry->seen == 0 || warps == 0 || !entry->last.difference(load, apart) || apart % warps != 0) {
        entry->trained = false;
        entry->seen = 1;
    } else {
        const std::int64_t found = apart / warps;
        const bool third = entry->seen == 2;
        const bool another = entry->trained || load.context != entry->warps[1];
        const bool again = found == entry->stride || entry->seen == 1;
        entry->trained = third && another && found != 0 && again;
        entry->stride = found;
        entry->seen = 2;
    }
    entry->warps[1] = entry->warps[0];
    entry->warps[0] = load.context;
    entry->last.take(load);
    inter_thread_.update(*entry);
    stride = entry->stride;
    return entry->trained;
}

/// PWS (section III-B.1): a warp's stride is trained when it has repeated. A stride of zero trains nothing: the line is
/// present, and an entry in GS would keep the load from IP.
bool MtaPrefetcher::learn_in_warp(const ObservedLoad& load, std::int64_t& stride) {
    PerWarpStride* entry = per_warp_.find(load.pc, load.context);
    std::int64_t found = 0;
    if (entry == nullptr) {
        entry = &per_warp_.replace(load.pc, load.context);
    } else {
        const bool agrees = entry->last.difference(load, found);
        entry->trained = agrees && found != 0 && found == entry->stride;
        entry->stride = agrees ? found : 0;
    }
    entry->last.take(load);
    per_warp_.update(*entry);
    stride = entry->stride;
    const bool trained = entry->trained;
    if (trained && LOOKAHEAD_RULE(mta_strides_are_promoted)) { promote(*entry); }
    return trained;
}

/// A stride common to enough warps holds for all (section III-B.1): it moves to GS, whose entry also serves untrained
/// warps, and frees their places in PWS.
void MtaPrefetcher::promote(const PerWarpStride& entry) {
    const std::uint32_t pc = entry.pc;
    const std::int64_t stride = entry.stride;
    std::int64_t warps = 0;
    const auto agrees = [&](const PerWarpStride& each) {
        return each.updated != 0 && each.pc == pc && each.trained && each.stride == stride;
    };
    per_warp_.for_each([&](PerWarpStride& each) { warps += agrees(each); });
    if (warps < parameters_.promotion) { return; }
    global_.replace(pc).stride = stride;
    ++counters_.promotions;
    per_warp_.for_each([&](PerWarpStride& each) {
        if (agrees(each)) { each = {}; }
    });
}

// ---- Prefetches -----------------------------------------------------------------------------------------------------

void MtaPrefetcher::prefetch_iterations(const ObservedLoad& load, std::int64_t stride) {
    for (std::int64_t i = 0, degree = lets_through() ? parameters_.degree : 0; i < degree; ++i) {
        requests_ += prefetch_behind(port_, load, stride * (parameters_.distance + i), load.context);
    }
}

void MtaPrefetcher::prefetch_warps(const ObservedLoad& load, std::int64_t stride) {
    for (std::int64_t i = 0, degree = lets_through() ? parameters_.ip_degree : 0; i < degree; ++i) {
        const std::int64_t ahead = parameters_.ip_distance + i;
        if (LOOKAHEAD_RULE(mta_ends_with_last_warp) && load.context + ahead >= contexts_) { return; }
        requests_ += prefetch_behind(port_, load, stride * ahead, static_cast<std::uint16_t>(load.context + ahead));
    }
}

// ---- Throttle (section V) -------------------------------------------------------------------------------------------

/// Drops `degree_` of each five prefetches in a fixed rotation: the paper gives the number only.
bool MtaPrefetcher::lets_through() {
    turn_ = turn_ + 1 == kNone ? 0 : turn_ + 1;
    const bool through = turn_ >= degree_;
    counters_.throttled += !through;
    return through;
}

/// Runs at the first load after a period's end. A period without memory requests changes nothing. The merge ratio is
/// halfway between the previous one and the period's (equation 8); in the first period it is the period's.
void MtaPrefetcher::adapt(Cycle now) {
    if (now < next_) { return; }
    next_ = now - now % parameters_.period + parameters_.period;
    if (!parameters_.throttle || requests_ == 0) { return; }
    const double merged = static_cast<double>(merges_) / static_cast<double>(requests_);
    merge_ratio_ = measured_ ? (merge_ratio_ + merged) / 2 : merged;
    measured_ = true;
    ++counters_.periods;
    choose_degree(static_cast<double>(evicted_) / static_cast<double>(std::max<std::uint64_t>(useful_, 1)));
    useful_ = evicted_ = merges_ = requests_ = 0;
}

/// The paper's table of decisions. Many evictions: no prefetches; some: fewer. Few: more if many requests merge,
/// because then loads wait for late prefetches; else none, because the other warps hide the latency.
void MtaPrefetcher::choose_degree(double evictions) {
    const std::uint32_t before = degree_;
    if (evictions > parameters_.high_eviction) {
        degree_ = kNone;
    } else if (evictions >= parameters_.low_eviction) {
        degree_ += degree_ < kNone;
    } else if (merge_ratio_ > parameters_.merge_ratio) {
        degree_ -= degree_ > 0;
    } else {
        degree_ = kNone;
    }
    counters_.more += degree_ < before;
    counters_.fewer += degree_ > before;
    counters_.stopped += degree_ == kNone;
}

LOOKAHEAD_REGISTER_STATISTICS(MtaCounters, "mta", "Many-thread-aware prefetcher of an SM.")
LOOKAHEAD_REGISTER_VARIANT(Prefetcher, MtaPrefetcher, "mta",
                           "Many-thread aware: strides of single warps, of all warps and across warps; throttled.",
                           "Lee, Lakshminarayana, Kim and Vuduc, MICRO 2010")

}  // namespace lookahead::gpu
