#pragma once

#include "components/mechanisms/prefetchers/stride_table.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

struct IntraParameters {
    std::int64_t entries = 192;
    std::int64_t distance = 1;
    std::int64_t degree = 1;
    std::int64_t confidence = 1;
};
struct InterParameters {
    std::int64_t entries = 16;
    std::int64_t distance = 1;
    std::int64_t degree = 1;
    std::int64_t confidence = 1;
};

/// Follows each warp's own load over the iterations of a loop.
class IntraWarpStride {
  public:
    IntraWarpStride(const IntraParameters& parameters, PrefetchPort& port)
        : parameters_(parameters), table_(static_cast<std::size_t>(parameters.entries)), port_(port) {}

    /// Learns from the load. True if its warp has executed it before: the load iterates.
    bool learn(const ObservedLoad& load) {
        StrideEntry* entry = table_.find(load.pc, load.context);
        const bool iterates = entry != nullptr;
        std::int64_t stride = 0;
        confident_ = false;
        if (entry == nullptr) {
            entry = &table_.replace(load.pc, load.context);
        } else if (entry->last.difference(load, stride)) {
            note_stride(*entry, stride, static_cast<std::uint32_t>(parameters_.confidence));
            confident_ = entry->confidence >= static_cast<std::uint32_t>(parameters_.confidence);
        } else {
            entry->confidence = 0;
        }
        entry->last.take(load);
        table_.update(*entry);
        stride_ = entry->stride;
        return iterates;
    }
    /// For the load of the last `learn`.
    void prefetch(const ObservedLoad& load, unsigned degree) {
        if (!confident_ || stride_ == 0) {
            return;
        }
        for (unsigned i = 0; i < degree; ++i) {
            prefetch_behind(port_, load, stride_ * (parameters_.distance + static_cast<std::int64_t>(i)), load.context);
        }
    }
    bool confident() const { return confident_; }
    unsigned degree() const { return static_cast<unsigned>(parameters_.degree); }
    void clear() { table_.clear(); }
    void fields(StateArchive& archive) { archive& table_; }

  private:
    IntraParameters parameters_;
    StrideTable<StrideEntry> table_;
    PrefetchPort& port_;
    bool confident_ = false;  // of the last load, between learn and prefetch
    std::int64_t stride_ = 0;
};

/// Follows a load over the warps of the SM by their numbers, whatever CTA they belong to.
class InterWarpStride {
  public:
    InterWarpStride(const InterParameters& parameters, PrefetchPort& port, unsigned contexts)
        : parameters_(parameters),
          table_(static_cast<std::size_t>(parameters.entries)),
          port_(port),
          contexts_(static_cast<std::int64_t>(contexts)) {}

    void learn(const ObservedLoad& load) {
        StrideEntry* entry = table_.find(load.pc);
        confident_ = false;
        if (entry == nullptr) {
            entry = &table_.replace(load.pc);
        } else if (entry->last_warp == load.context) {
            entry->confidence = 0;  // an iteration: the base moves, and says nothing of the stride over warps
        } else {
            learn_stride(*entry, load);
        }
        entry->last.take(load);
        entry->last_warp = load.context;
        table_.update(*entry);
        stride_ = entry->stride;
    }
    void prefetch(const ObservedLoad& load, unsigned degree) {
        if (!confident_ || stride_ == 0) {
            return;
        }
        for (unsigned i = 0; i < degree; ++i) {
            const std::int64_t ahead = parameters_.distance + static_cast<std::int64_t>(i);
            if (load.context + ahead >= contexts_) {
                return;
            }
            prefetch_behind(port_, load, stride_ * ahead, static_cast<std::uint16_t>(load.context + ahead));
        }
    }
    unsigned degree() const { return static_cast<unsigned>(parameters_.degree); }
    void clear() { table_.clear(); }
    void fields(StateArchive& archive) { archive& table_; }

  private:
    /// The stride between neighbours is the difference over the distance of the two warps, if that is a whole number: of
    /// bytes, not of lines, as CAPS takes it. Predictions are rounded down to lines.
    void learn_stride(StrideEntry& entry, const ObservedLoad& load) {
        const std::int64_t warps = std::int64_t{load.context} - entry.last_warp;
        std::int64_t apart = 0;
        if (!entry.last.difference(load, apart) || apart % warps != 0) {
            entry.confidence = 0;
            return;
        }
        note_stride(entry, apart / warps, static_cast<std::uint32_t>(parameters_.confidence));
        confident_ = entry.confidence >= static_cast<std::uint32_t>(parameters_.confidence);
    }

    InterParameters parameters_;
    StrideTable<StrideEntry> table_;
    PrefetchPort& port_;
    std::int64_t contexts_;
    bool confident_ = false;  // of the last load, between learn and prefetch
    std::int64_t stride_ = 0;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::ParametersOf<lookahead::gpu::IntraParameters> {
    using P = lookahead::gpu::IntraParameters;
    inline static const auto list = parameter_list<P>(
        integer("entries", &P::entries,
                {.unit = "entry",
                 .min = 1,
                 .max = 65536,
                 .help = "Loads of warps that are followed on an SM; the one updated longest ago makes room.",
                 .source = "estimate: four loads of each of 48 warps, as CAPS targets four"}),
        integer("distance", &P::distance,
                {.unit = "iteration",
                 .min = 1,
                 .max = 64,
                 .help = "How many iterations ahead the first prefetch is.",
                 .source = "Koo et al., section III.A: the next iterations"}),
        integer("degree", &P::degree,
                {.unit = "iteration",
                 .min = 1,
                 .max = 16,
                 .help = "Iterations that are prefetched at a time.",
                 .source = "estimate: one; the paper does not say"}),
        integer("confidence", &P::confidence,
                {.unit = "repetition",
                 .min = 0,
                 .max = 16,
                 .help = "How often in a row a stride must repeat before it is used.",
                 .source = "Baer and Chen, 1991: a stride seen twice is steady"}));
};

template <>
struct lookahead::ParametersOf<lookahead::gpu::InterParameters> {
    using P = lookahead::gpu::InterParameters;
    inline static const auto list = parameter_list<P>(
        integer("entries", &P::entries,
                {.unit = "entry",
                 .min = 1,
                 .max = 65536,
                 .help = "Loads that are followed on an SM; the one updated longest ago makes room.",
                 .source = "estimate: more than the loads of most kernels"}),
        integer("distance", &P::distance,
                {.unit = "warp",
                 .min = 1,
                 .max = 64,
                 .help = "How many warps ahead the first prefetch is.",
                 .source = "Koo et al., figure 1: one to ten; the next warp where the figure begins"}),
        integer("degree", &P::degree,
                {.unit = "warp",
                 .min = 1,
                 .max = 64,
                 .help = "Warps that are prefetched for at a time.",
                 .source = "estimate: one; the paper does not say"}),
        integer("confidence", &P::confidence,
                {.unit = "repetition",
                 .min = 0,
                 .max = 16,
                 .help = "How often in a row a stride must repeat before it is used.",
                 .source = "Baer and Chen, 1991: a stride seen twice is steady"}));
};
