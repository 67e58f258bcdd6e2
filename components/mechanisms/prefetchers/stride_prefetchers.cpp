#include "components/mechanisms/prefetchers/stride_table.h"
#include "core/mutation/rule.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

struct IntraParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, entries, 192, {1, 65536, "entry"},
                        {.help = "Loads of warps that are followed on an SM; the one updated longest ago is replaced.",
                         .source = "estimate: four loads of each of 48 warps, as CAPS targets four"});
    LOOKAHEAD_PARAMETER(std::int64_t, distance, 1, {1, 64, "iteration"},
                        {.help = "How many iterations ahead the first prefetch is.",
                         .source = "Koo et al., section III.A: the next iterations"});
    LOOKAHEAD_PARAMETER(std::int64_t, degree, 1, {1, 16, "iteration"},
                        {.help = "Iterations that are prefetched at a time.",
                         .source = "estimate: one; the paper does not say"});
    LOOKAHEAD_PARAMETER(std::int64_t, confidence, 1, {0, 16, "repetition"},
                        {.help = "How often in a row a stride must repeat before it is used.",
                         .source = "Baer and Chen, 1991: a stride seen twice is steady"});
    LOOKAHEAD_ALL_DECLARED;
};
struct InterParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, entries, 16, {1, 65536, "entry"},
                        {.help = "Loads that are followed on an SM; the one updated longest ago is replaced.",
                         .source = "estimate: more than the loads of most kernels"});
    LOOKAHEAD_PARAMETER(std::int64_t, distance, 1, {1, 64, "warp"},
                        {.help = "How many warps ahead the first prefetch is.",
                         .source = "Koo et al., figure 1: one to ten; the next warp where the figure begins"});
    LOOKAHEAD_PARAMETER(std::int64_t, degree, 1, {1, 64, "warp"},
                        {.help = "Warps that are prefetched for at a time.",
                         .source = "estimate: one; the paper does not say"});
    LOOKAHEAD_PARAMETER(std::int64_t, confidence, 1, {0, 16, "repetition"},
                        {.help = "How often in a row a stride must repeat before it is used.",
                         .source = "Baer and Chen, 1991: a stride seen twice is steady"});
    LOOKAHEAD_ALL_DECLARED;
};

/// What the stride prefetchers share.
template <class P>
class StridePrefetcher : public Prefetcher {
  public:
    using Parameters = P;

    StridePrefetcher(const P& parameters, const PrefetcherArguments& arguments)
        : parameters_(parameters), table_(static_cast<std::size_t>(parameters.entries)), port_(arguments.port) {}

    void end_launch() override { table_.clear(); }
    void fields(StateArchive& archive) override { archive& table_; }

  protected:
    const P parameters_;
    StrideTable<StrideEntry> table_;
    PrefetchPort& port_;
};

/// Intra-warp stride prefetching: follows each warp's own load over the iterations of a loop.
class IntraPrefetcher final : public StridePrefetcher<IntraParameters> {
  public:
    using StridePrefetcher::StridePrefetcher;

    void on_load(const ObservedLoad& load, Cycle) override {
        if (!AccessVector::fits(load)) { return; }
        StrideEntry* entry = table_.find(load.pc, load.context);
        std::int64_t stride = 0;
        bool confident = false;
        if (entry == nullptr) {
            entry = &table_.replace(load.pc, load.context);
        } else if (entry->last.difference(load, stride)) {
            note_stride(*entry, stride, static_cast<std::uint32_t>(parameters_.confidence));
            confident = entry->confidence >= static_cast<std::uint32_t>(parameters_.confidence);
        } else {
            entry->confidence = 0;
        }
        entry->last.take(load);
        table_.update(*entry);
        for (std::int64_t i = 0; confident && entry->stride != 0 && i < parameters_.degree; ++i) {
            prefetch_behind(port_, load, entry->stride * (parameters_.distance + i), load.context);
        }
    }
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, IntraPrefetcher, "intra",
                           "Intra-warp stride: the next iterations of a warp's load.",
                           "Koo et al., HPCA 2018, section III.A; Baer and Chen, 1991")

/// Inter-warp stride prefetching: follows a load over the warps of the SM by number, ignoring CTA borders.
class InterPrefetcher final : public StridePrefetcher<InterParameters> {
  public:
    InterPrefetcher(const Parameters& parameters, const PrefetcherArguments& arguments)
        : StridePrefetcher(parameters, arguments), contexts_(static_cast<std::int64_t>(arguments.contexts)) {}

    void on_load(const ObservedLoad& load, Cycle) override {
        if (!AccessVector::fits(load)) { return; }
        StrideEntry* entry = table_.find(load.pc);
        bool confident = false;
        if (entry == nullptr) {
            entry = &table_.replace(load.pc);
        } else if (entry->last_warp == load.context) {
            // Another iteration: the base moves, which tells nothing about the stride between warps.
            entry->confidence = 0;
        } else {
            confident = learn_stride(*entry, load);
        }
        entry->last.take(load);
        entry->last_warp = load.context;
        table_.update(*entry);
        if (confident && entry->stride != 0) { prefetch_for_next(load, entry->stride); }
    }

  private:
    /// The stride between neighbours: the difference of addresses divided by that of warp numbers, if an integer number
    /// of bytes (CAPS takes lines). Predictions are rounded down to lines. Returns whether to use it.
    bool learn_stride(StrideEntry& entry, const ObservedLoad& load) const {
        const std::int64_t warps = std::int64_t{load.context} - entry.last_warp;
        std::int64_t apart = 0;
        if (!entry.last.difference(load, apart) || apart % warps != 0) {
            entry.confidence = 0;
            return false;
        }
        note_stride(entry, apart / warps, static_cast<std::uint32_t>(parameters_.confidence));
        return entry.confidence >= static_cast<std::uint32_t>(parameters_.confidence);
    }
    void prefetch_for_next(const ObservedLoad& load, std::int64_t stride) {
        for (std::int64_t i = 0; i < parameters_.degree; ++i) {
            const std::int64_t ahead = parameters_.distance + i;
            if (LOOKAHEAD_RULE(inter_ends_with_last_warp) && load.context + ahead >= contexts_) { return; }
            prefetch_behind(port_, load, stride * ahead, static_cast<std::uint16_t>(load.context + ahead));
        }
    }

    std::int64_t contexts_;
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, InterPrefetcher, "inter",
                           "Inter-warp stride: the same load of the next warps, blind to CTAs.",
                           "Koo et al., HPCA 2018, section III.B; Lee et al., MICRO 2010")

struct StridePerWarpParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, entries, 192, {1, 65536, "entry"},
                        {.help = "Loads of warps that are followed on an SM; the one updated longest ago is replaced.",
                         .source = "estimate: four loads of each of 48 warps"});
    LOOKAHEAD_PARAMETER(std::int64_t, threshold, 2, {0, 3, "count"},
                        {.help = "Value of the two-bit confidence from which on a load is prefetched.",
                         .source = "Kim et al., HPCA 2016: two bits, at least 2"});
    LOOKAHEAD_ALL_DECLARED;
};

/// The "DirectPrefetch" of the pre-execution paper: a stride for each warp and PC, with a saturating 2-bit confidence.
class StridePerWarpPrefetcher final : public StridePrefetcher<StridePerWarpParameters> {
  public:
    using StridePrefetcher::StridePrefetcher;

    bool only_when_idle() const override { return true; }
    void on_load(const ObservedLoad& load, Cycle) override {
        if (!AccessVector::fits(load)) { return; }
        StrideEntry* entry = table_.find(load.pc, load.context);
        std::int64_t stride = 0;
        if (entry == nullptr) {
            entry = &table_.replace(load.pc, load.context);
        } else if (entry->last.difference(load, stride)) {
            note_stride(*entry, stride, 3, true);
            if (entry->confidence >= static_cast<std::uint32_t>(parameters_.threshold) && entry->stride != 0) {
                prefetch_behind(port_, load, entry->stride, load.context);
            }
        } else if (entry->confidence > 0) {
            --entry->confidence;
        }
        entry->last.take(load);
        table_.update(*entry);
    }
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, StridePerWarpPrefetcher, "stride_per_warp",
                           "Stride of each warp's load with 2-bit confidence, sent while the unit is idle.",
                           "Kim et al., HPCA 2016 (DirectPrefetch)")

}  // namespace lookahead::gpu
