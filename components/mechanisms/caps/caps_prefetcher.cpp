
#include "components/isa/instruction.h"
#include "components/mechanisms/caps/backward_slice.h"
#include "components/mechanisms/prefetchers/stride_table.h"
#include "components/sm/context_states.h"
#include "components/sm/lsu/lane_data.h"
#include "core/mutation/rule.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

/// Counts of one SM's CAPS tables.
struct CapsCounters {
    LOOKAHEAD_COUNTER(table_accesses, "access",
                      "Table accesses: a load's look-up of PerCTA and DIST together, a walk's look-up of another CTA's "
                      "PerCTA, and each entry written.");
    LOOKAHEAD_COUNTER(bases, "load", "Loads that registered a base: their warps lead their CTAs.");
    LOOKAHEAD_COUNTER(rebases, "load", "Loads of a leading warp that moved its CTA's base.");
    LOOKAHEAD_COUNTER(strides, "load", "Strides found.");
    LOOKAHEAD_COUNTER(disagreements, "load", "Pairs of warps whose accesses have no single whole stride.");
    LOOKAHEAD_COUNTER(stride_after_base, "load",
                      "Strides that triggered prefetches for bases that were already known.");
    LOOKAHEAD_COUNTER(base_after_stride, "load", "Bases that triggered prefetches for their CTA at once.");
    LOOKAHEAD_COUNTER(predictions, "load", "Loads that were compared with their prediction.");
    LOOKAHEAD_COUNTER(mispredictions, "load", "Part of predictions: loads that went to another address.");
    LOOKAHEAD_COUNTER(shut_off, "CTA",
                      "Sets of prefetches for a CTA that were suppressed because of too many mispredictions.");
    LOOKAHEAD_COUNTER(repeated, "CTA",
                      "Sets of prefetches for a CTA that a stride found again would have requested again.");
    LOOKAHEAD_COUNTER(executed, "line",
                      "Lines of warps that had already executed the load when its base or stride became known.");
    LOOKAHEAD_COUNTER(indirect, "load", "Executions of loads whose address comes from data.");
    LOOKAHEAD_COUNTER(uncoalesced, "load", "Executions of direct loads with more than four accesses.");
    LOOKAHEAD_COUNTER(untargeted, "load",
                      "Executions of loads that came too late to be followed (caps.targets = first).");
    LOOKAHEAD_COUNTER(cta_strides, "load",
                      "Bases of a load for which two distances can be compared: from the base that another CTA "
                      "registered before on this SM, and the distance before that.");
    LOOKAHEAD_COUNTER(cta_strides_repeated, "load", "Part of cta_strides: bases for which both distances were equal.");
    LOOKAHEAD_COUNTER(wakeups, "warp", "Warps whose scheduler was told of their prefetched line.");
    LOOKAHEAD_ALL_DECLARED;
};

struct CapsParameters {
    static constexpr std::string_view kTables = "Koo et al., HPCA 2018, section V.D: four entries each";

    LOOKAHEAD_PARAMETER(std::int64_t, per_cta_entries, 4, {1, 1024, "entry"},
                        {.help = "Loads of a CTA whose bases are kept (PerCTA table).", .source = kTables});
    LOOKAHEAD_PARAMETER(std::int64_t, dist_entries, 4, {1, 1024, "entry"},
                        {.help = "Loads of an SM whose strides are kept (DIST table).", .source = kTables});
    LOOKAHEAD_PARAMETER(std::int64_t, threshold, 128, {0, 255, "misprediction"},
                        {.help = "Mispredictions of a load beyond which it is no longer prefetched.",
                         .source = "Koo et al., section V.B: 128 of a one-byte counter"});
    LOOKAHEAD_PARAMETER(
        std::string, targets, "latest", {"latest", "first"},
        {.help = "Which loads are followed when a kernel has more than the DIST table has entries: latest, each new "
                 "stride replaces the oldest one; first, those whose strides were found first, until the kernel ends.",
         .source = "open: Koo et al., section V.B, replace the least recently updated entry of PerCTA, and say of DIST "
                   "only that at most four loads are targeted"});
    LOOKAHEAD_PARAMETER(
        bool, keep_counts, true,
        {.help = "A load whose DIST entry was replaced keeps its count of mispredictions, in a byte per load, for when "
                 "its stride is found again; false: the count restarts from 0.",
         .source = "open: Koo et al., section V.B, set the count to 0 with a new stride, and have no loads whose "
                   "entries replace each other; with such loads, none would ever be shut off"});
    LOOKAHEAD_PARAMETER(std::string, fanout, "all_trailing", {"all_trailing", "same_index"},
                        {.help = "Which warps get prefetches when the stride is found after bases: all_trailing, at "
                                 "once all warps but the leading one of each trailing CTA; same_index, at each load of "
                                 "the leading CTA the warps with the same number in the other CTAs.",
                         .source = "Koo et al.: the abstract's all trailing warps; figure 9a's B1 and C1"});
    LOOKAHEAD_PARAMETER(bool, include_leading, false,
                        {.help = "Prefetches for the leading CTA's own trailing warps too.",
                         .source = "Koo et al., section V.C: trailing CTAs only"});
    LOOKAHEAD_PARAMETER(
        bool, include_executed, true,
        {.help = "Prefetches for warps that have already executed the load, in the leading warp's iteration.",
         .source = "Koo et al., section V.B: the tables do not know which warps have executed a load"});
    LOOKAHEAD_PARAMETER(bool, wakeup, true,
                        {.help = "Tells the scheduler of the warp whose prefetched line has arrived.",
                         .source = "Koo et al., section V.A, warp wake-up"});
    LOOKAHEAD_ALL_DECLARED;
};

inline constexpr std::uint16_t kNoSlot = 0xffff;

/// Entry of a PerCTA table. The paper's entries hold PC, leading warp and base. We add counts of executions: otherwise
/// a base that the leading warp has moved in a loop would be compared with warps of another iteration.
struct BaseEntry {
    std::uint32_t pc = 0;
    std::uint16_t context = kNoContext;  ///< unused: the table is by PC
    std::uint16_t leader = 0;            ///< warp in the CTA
    std::uint64_t updated = 0;           ///< 0: no entry
    AccessVector base;
    std::array<std::uint16_t, kMaximumContexts> executions{};  ///< by warp of the CTA, since the entry was made
    std::uint16_t prefetched = 0;  ///< the leading warp's last execution that was prefetched for all warps

    void fields(StateArchive& archive) { archive& pc& context& leader& updated& base& executions& prefetched; }
};

/// For statistics only: the distances of a load's bases that CTAs of this SM registered one after another.
struct CtaDistance {
    std::uint64_t line = 0;  ///< first line of the last base; 0: none
    std::int64_t stride = 0;
    bool known = false;  ///< there was a stride

    void fields(StateArchive& archive) { archive& line& stride& known; }
};

/// Entry of the DIST table.
struct DistanceEntry {
    std::uint32_t pc = 0;
    std::uint16_t context = kNoContext;    ///< unused
    std::uint16_t leading_slot = kNoSlot;  ///< the CTA whose warps gave the stride, while it is resident
    std::uint32_t mispredictions = 0;
    std::int64_t stride = 0;
    std::uint64_t updated = 0;

    void fields(StateArchive& archive) { archive& pc& context& leading_slot& mispredictions& stride& updated; }
};

/// CTA-aware prefetching (Koo et al., HPCA 2018). The first warp of a CTA to execute a load gives the CTA's base; two
/// warps of one CTA give the stride, which holds in all CTAs; both together give the lines of the other warps.
class CapsPrefetcher final : public Prefetcher {
  public:
    using Parameters = CapsParameters;

    CapsPrefetcher(const Parameters& parameters, const PrefetcherArguments& arguments)
        : parameters_(parameters),
          same_index_(parameters.fanout == "same_index"),
          first_only_(parameters.targets == "first"),
          port_(arguments.port),
          distances_(static_cast<std::size_t>(parameters.dist_entries)) {}

    void begin_launch(const LaunchOnSm& launch) override {
        direct_ = direct_loads(launch.kernel);
        warps_per_cta_ = static_cast<std::uint16_t>(launch.warps_per_cta);
        bases_.assign(launch.cta_slots, StrideTable<BaseEntry>(static_cast<std::size_t>(parameters_.per_cta_entries)));
        distances_.clear();
        cta_distances_.assign(launch.kernel.code.size(), {});
        mispredictions_.assign(launch.kernel.code.size(), 0);
    }
    void end_launch() override {
        for (StrideTable<BaseEntry>& table : bases_) { table.clear(); }
        distances_.clear();
    }
    void cta_ended(unsigned slot) override {
        bases_[slot].clear();
        distances_.for_each([slot](DistanceEntry& entry) {
            if (LOOKAHEAD_RULE(leading_cta_ends_with_its_slot) && entry.leading_slot == slot) {
                entry.leading_slot = kNoSlot;
            }
        });
    }
    void on_load(const ObservedLoad& load, Cycle) override;
    void on_fill(std::uint16_t context, Cycle) override {
        if (parameters_.wakeup && context != kNoContext) {
            ++counters_.wakeups;
            port_.hint(WarpHint::promote, context);
        }
    }

    void fields(StateArchive& archive) override {
        archive& bases_& distances_& warps_per_cta_& cta_distances_& mispredictions_& counters_;
    }
    void visit_statistics(StatisticsVisitor& visitor, std::string_view component) const override {
        visit(visitor, component, "caps", counters_);
    }

  private:
    void follow(const ObservedLoad& load, BaseEntry& base, DistanceEntry* distance);
    void scatter(const ObservedLoad& load, BaseEntry& base, DistanceEntry* distance);
    void find_stride(const ObservedLoad& load, BaseEntry& base);
    void verify(const ObservedLoad& load, const BaseEntry& base, DistanceEntry& distance);
    void measure_distance(const ObservedLoad& load);
    void prefetch_other_ctas(const ObservedLoad& load, const DistanceEntry& distance, std::uint16_t only_warp);
    void prefetch_cta(std::uint16_t slot, BaseEntry& base, const DistanceEntry& distance,
                      std::uint16_t only_warp = kNoContext);
    bool shut_off(const DistanceEntry& distance) const {
        return distance.mispredictions > static_cast<std::uint32_t>(parameters_.threshold);
    }

    CapsParameters parameters_;
    bool same_index_;
    bool first_only_;
    PrefetchPort& port_;
    std::vector<bool> direct_;  // by PC, of the running kernel
    std::uint16_t warps_per_cta_ = 1;
    std::vector<StrideTable<BaseEntry>> bases_;  // the PerCTA tables, by CTA slot
    StrideTable<DistanceEntry> distances_;       // the DIST table
    std::vector<CtaDistance> cta_distances_;     // by PC
    std::vector<std::uint8_t> mispredictions_;   // by PC
    CapsCounters counters_;
};

void CapsPrefetcher::on_load(const ObservedLoad& load, Cycle) {
    if (LOOKAHEAD_RULE(indirect_loads_are_not_targeted) && !direct_[load.pc]) {
        ++counters_.indirect;
        return;
    }
    ++counters_.table_accesses;  // PerCTA and DIST are looked up together
    BaseEntry* base = bases_[load.cta_slot].find(load.pc);
    DistanceEntry* distance = distances_.find(load.pc);
    if (!AccessVector::fits(load)) {
        ++counters_.uncoalesced;
        if (base != nullptr) { scatter(load, *base, distance); }
        return;
    }
    if (first_only_ && distance == nullptr && distances_.full()) {
        ++counters_.untargeted;
        return;
    }
    if (base == nullptr) {
        base = &bases_[load.cta_slot].replace(load.pc);
        base->leader = load.warp_in_cta;
        ++counters_.bases;
        measure_distance(load);
        port_.hint(WarpHint::demote, load.context);
    } else if (base->leader == load.warp_in_cta) {
        ++counters_.rebases;
    } else {
        ++base->executions[load.warp_in_cta];
        follow(load, *base, distance);
        return;
    }
    ++base->executions[load.warp_in_cta];
    base->base.take(load);
    bases_[load.cta_slot].update(*base);
    ++counters_.table_accesses;
    const bool trails = parameters_.include_leading || (distance != nullptr && distance->leading_slot != load.cta_slot);
    if (distance != nullptr && trails) {
        ++counters_.base_after_stride;
        prefetch_cta(load.cta_slot, *base, *distance);
    }
}

void CapsPrefetcher::measure_distance(const ObservedLoad& load) {
    CtaDistance& last = cta_distances_[load.pc];
    if (last.line != 0) {
        const auto stride = static_cast<std::int64_t>(load.lines[0] - last.line);
        counters_.cta_strides += last.known;
        counters_.cta_strides_repeated += last.known && stride == last.stride;
        last.stride = stride;
        last.known = true;
    }
    last.line = load.lines[0];
}

/// A load with a base makes more accesses than an entry holds: it is not prefetched, but compared.
void CapsPrefetcher::scatter(const ObservedLoad& load, BaseEntry& base, DistanceEntry* distance) {
    if (base.leader == load.warp_in_cta) {
        base = {};
        return;
    }
    ++base.executions[load.warp_in_cta];
    if (distance != nullptr && base.executions[load.warp_in_cta] == base.executions[base.leader]) {
        verify(load, base, *distance);
    }
}

/// Handles a load of a warp that does not lead its CTA to this load.
void CapsPrefetcher::follow(const ObservedLoad& load, BaseEntry& base, DistanceEntry* distance) {
    if (base.executions[load.warp_in_cta] == base.executions[base.leader]) {
        if (distance == nullptr) { return find_stride(load, base); }
        verify(load, base, *distance);
    }
    if (same_index_ && distance != nullptr && distance->leading_slot == load.cta_slot) {
        prefetch_other_ctas(load, *distance, load.warp_in_cta);
    }
}

/// Sets the stride: the distance of all accesses divided by that of the two warps, if this is one integer.
void CapsPrefetcher::find_stride(const ObservedLoad& load, BaseEntry& base) {
    const std::int64_t warps = std::int64_t{load.warp_in_cta} - base.leader;
    std::int64_t apart = 0;
    if (!base.base.difference(load, apart) || apart % warps != 0) {
        ++counters_.disagreements;
        base = {};
        return;
    }
    DistanceEntry& distance = distances_.replace(load.pc);
    distance.stride = apart / warps;
    distance.leading_slot = load.cta_slot;
    distance.mispredictions = parameters_.keep_counts ? mispredictions_[load.pc] : 0;
    ++counters_.strides;
    ++counters_.table_accesses;
    ++counters_.stride_after_base;
    prefetch_other_ctas(load, distance, same_index_ ? load.warp_in_cta : kNoContext);
    if (parameters_.include_leading) { prefetch_cta(load.cta_slot, base, distance); }
}

/// Compares the load with its prediction.
void CapsPrefetcher::verify(const ObservedLoad& load, const BaseEntry& base, DistanceEntry& distance) {
    ++counters_.predictions;
    const std::int64_t offset = distance.stride * (std::int64_t{load.warp_in_cta} - base.leader);
    bool right = base.base.count == load.lines.size();
    for (std::uint32_t i = 0; right && i < base.base.count; ++i) {
        right = line_of(base.base.lines[i] + static_cast<std::uint64_t>(offset)) == load.lines[i];
    }
    if (!right) {
        ++counters_.mispredictions;
        distance.mispredictions = std::min(distance.mispredictions + 1, 255u);
        mispredictions_[load.pc] = static_cast<std::uint8_t>(distance.mispredictions);
        ++counters_.table_accesses;
    }
}

/// Prefetches for every CTA with a base except the load's own.
void CapsPrefetcher::prefetch_other_ctas(const ObservedLoad& load, const DistanceEntry& distance,
                                         std::uint16_t only_warp) {
    for (std::uint16_t slot = 0; slot < bases_.size(); ++slot) {
        if (slot == load.cta_slot) { continue; }
        ++counters_.table_accesses;
        if (BaseEntry* other = bases_[slot].find(load.pc); other != nullptr) {
            prefetch_cta(slot, *other, distance, only_warp);
        }
    }
}

/// Prefetches the lines of the CTA's warps, or of one of them, except the leading warp's. Prefetches for all warps only
/// once per base: a stride that was lost to another load and found again would repeat the requests.
void CapsPrefetcher::prefetch_cta(std::uint16_t slot, BaseEntry& base, const DistanceEntry& distance,
                                  std::uint16_t only_warp) {
    if (LOOKAHEAD_RULE(mispredictions_shut_off) && shut_off(distance)) {
        ++counters_.shut_off;
        return;
    }
    if (only_warp == kNoContext) {
        if (LOOKAHEAD_RULE(base_is_prefetched_once) && base.prefetched == base.executions[base.leader]) {
            ++counters_.repeated;
            return;
        }
        base.prefetched = base.executions[base.leader];
    }
    if (distance.stride == 0) { return; }
    for (std::uint16_t warp = 0; warp < warps_per_cta_; ++warp) {
        if (warp == base.leader || (only_warp != kNoContext && warp != only_warp)) { continue; }
        if (base.executions[warp] >= base.executions[base.leader]) {
            counters_.executed += base.base.count;
            if (!parameters_.include_executed) { continue; }
        }
        const std::int64_t offset = distance.stride * (std::int64_t{warp} - base.leader);
        for (std::uint32_t i = 0; i < base.base.count; ++i) {
            port_.prefetch({.line = line_of(base.base.lines[i] + static_cast<std::uint64_t>(offset)),
                            .pc = base.pc,
                            .context = static_cast<std::uint16_t>(slot * warps_per_cta_ + warp)});
        }
    }
}

LOOKAHEAD_REGISTER_STATISTICS(CapsCounters, "caps", "CTA-aware prefetcher of an SM.")
LOOKAHEAD_REGISTER_VARIANT(Prefetcher, CapsPrefetcher, "caps",
                           "CTA-aware: one base per CTA from its leading warp, one stride for all CTAs.",
                           "Koo, Jeon, Liu, Kim and Annavaram, HPCA 2018")

}  // namespace lookahead::gpu
