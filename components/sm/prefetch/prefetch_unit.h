#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/cache/tag_array.h"
#include "components/sm/lsu/allocation_map.h"
#include "components/sm/lsu/instruction_queue.h"
#include "components/sm/prefetch/prefetcher.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu {

/// `prefetch.*`: parameters of all prefetchers.
struct PrefetchParameters {
    LOOKAHEAD_PARAMETER(
        std::int64_t, queue, 64, {1, 4096, "request"},
        {.help = "Prefetches that can wait until L1 has no demand access; further ones are dropped.",
         .source = "estimate: one for each of Fermi's 48 warps, rounded up to a power of two; the papers do not say"});
    LOOKAHEAD_PARAMETER(std::int64_t, spare_entries, 1, {0, 4096, "entry"},
                        {.help = "MSHRs, and places of the miss queue, that a prefetch leaves free for demand "
                                 "accesses; l1d.speculative_mshrs bounds it too.",
                         .source = "estimate: the one that the next access needs"});
    LOOKAHEAD_ALL_DECLARED;
};

/// Bins of the histogram of distances from a prefetch to its demand.
inline constexpr std::size_t kDistanceBins = 12;
inline constexpr Histogram<kDistanceBins>::Edges kDistanceEdges = doubling_edges<kDistanceBins>(8);

/// Prefetches of an SM. requested = duplicates + unmapped + dropped + cleared + queued + issued, and
/// issued = useful + late + early_evicted + unused + outstanding.
struct PrefetchCounters {
    LOOKAHEAD_COUNTER(requested, "line", "Prefetches that the prefetcher chose.");
    LOOKAHEAD_COUNTER(duplicates, "line",
                      "Part of requested: lines that were present, under way or queued already, or that a demand load "
                      "fetched first.");
    LOOKAHEAD_COUNTER(unmapped, "line", "Part of requested: addresses that are not allocated.");
    LOOKAHEAD_COUNTER(dropped, "line", "Part of requested: prefetches that found the queue full.");
    LOOKAHEAD_COUNTER(cleared, "line",
                      "Part of requested: prefetches that were removed from the queue at the kernel's end.");
    LOOKAHEAD_COUNTER(queued, "line", "Part of requested: prefetches that are in the queue now.");
    LOOKAHEAD_COUNTER(issued, "line", "Prefetches that went to memory.");
    LOOKAHEAD_COUNTER(useful, "line", "Part of issued: lines that a demand load found in L1.");
    LOOKAHEAD_COUNTER(late, "line", "Part of issued: lines that a demand load requested while they were under way.");
    LOOKAHEAD_COUNTER(early_evicted, "line", "Part of issued: lines that were evicted before they were used.");
    LOOKAHEAD_COUNTER(evicted_by_prefetch, "line", "Part of early_evicted: lines that were evicted by prefetches.");
    LOOKAHEAD_COUNTER(
        unused, "line",
        "Part of issued: lines that the kernel's end, a store, a fence or an atomic dropped before they were used.");
    LOOKAHEAD_COUNTER(outstanding, "line", "Part of issued: lines under way or in L1 that have not been used.");
    LOOKAHEAD_COUNTER(
        matched, "line",
        "Part of useful and late: lines that were used by the load and the warp for which they were fetched.");
    LOOKAHEAD_COUNTER(meant, "line", "Part of issued: lines for a warp that the prefetcher named.");
    LOOKAHEAD_COUNTER(
        address_right, "line",
        "Part of meant: lines that this warp's load accessed afterwards, whether they were still in L1 or not.");
    LOOKAHEAD_COUNTER(distance_cycles, "cycle",
                      "From a prefetch to the first demand for it, over the useful and late ones.");
    LOOKAHEAD_COUNTER(loads, "instruction", "Warp loads from global memory that the prefetcher saw.");
    LOOKAHEAD_COUNTER(load_accesses, "access", "Accesses of these loads, coalesced: the demand requests.");
    LOOKAHEAD_HISTOGRAM(distance, kDistanceBins, "cycle", "From a prefetch to the first demand for it.",
                        lookahead::gpu::kDistanceEdges);
    LOOKAHEAD_ALL_DECLARED;
};

/// The same counts for one load of one kernel on an SM.
struct PrefetchLoadCounters {
    LOOKAHEAD_COUNTER(executions, "instruction", "Times that a warp executed the load.");
    LOOKAHEAD_COUNTER(accesses, "access", "Accesses of the load, coalesced.");
    LOOKAHEAD_COUNTER(issued, "line", "Prefetches for this load that went to memory.");
    LOOKAHEAD_COUNTER(useful, "line", "Part of issued: lines that a demand load found in L1.");
    LOOKAHEAD_COUNTER(late, "line", "Part of issued: lines that a demand load requested while they were under way.");
    LOOKAHEAD_COUNTER(early_evicted, "line", "Part of issued: lines that were evicted before they were used.");
    LOOKAHEAD_COUNTER(unused, "line", "Part of issued: lines that were dropped before they were used.");
    LOOKAHEAD_COUNTER(
        matched, "line",
        "Part of useful and late: lines that were used by the load and the warp for which they were fetched.");
    LOOKAHEAD_COUNTER(distance_cycles, "cycle",
                      "From a prefetch to the first demand for it, over the useful and late ones.");
    LOOKAHEAD_ALL_DECLARED;
};

/// The common part of all prefetchers: a bounded queue in front of L1, the filter of duplicates and of unallocated
/// addresses, and the statistics. It belongs to the load/store unit, which calls it and makes the accesses; the
/// prefetcher "none" has no such unit.
///
/// It listens to all events of L1. Its record of a prefetched line is kept by the line's way, from the request until a
/// demand load first uses the line or the line leaves.
class PrefetchUnit final : public L1Listener, private PrefetchPort {
  public:
    /// All references must outlive it. The loads of `kernels`, the run's, get a row of statistics each; `loads` may be
    /// null.
    PrefetchUnit(const Configuration& configuration, std::string name, unsigned contexts, const TagArray& tags,
                 const AllocationMap& allocations, LoadStoreListener& listener, const isa::KernelTable& kernels,
                 const isa::KnownLoads* loads);

    /// Null for the prefetcher "none"; only then may `kernels` be null.
    static std::unique_ptr<PrefetchUnit> make(const Configuration& configuration, std::string name, unsigned contexts,
                                              const TagArray& tags, const AllocationMap& allocations,
                                              LoadStoreListener& listener, const isa::KernelTable* kernels,
                                              const isa::KnownLoads* loads);

    void begin_cycle(Cycle now) { now_ = now; }
    void begin_launch(const LaunchOnSm& launch);
    void end_launch();
    void cta_started(unsigned slot, std::uint64_t cta) { prefetcher_->cta_started(slot, cta); }
    void cta_ended(unsigned slot);
    /// Call it when the load/store unit's oldest instruction is a load and starts.
    void observe(const QueuedInstruction& entry);

    bool only_when_idle() const { return only_when_idle_; }
    bool empty() const { return queue_.empty(); }
    /// MSHR entries that prefetches leave free (prefetch.spare_entries).
    unsigned spare_entries() const { return spare_entries_; }
    /// Drops queued requests whose lines have come meanwhile. Returns whether one is left, and sets `request` to it.
    bool next(PrefetchRequest& request);
    /// Removes the request that `next` returned, which has been sent to memory.
    void pop();

    void on_l1_event(const L1Event& event) override;

    const PrefetchCounters& counters() const { return counters_; }
    Prefetcher& prefetcher() { return *prefetcher_; }
    void audit(Audit& audit) const;
    void visit_statistics(StatisticsVisitor& visitor) const;
    void fields(StateArchive& archive);

  private:
    friend struct AuditSabotage;
    enum class State : std::uint8_t { none, under_way, claimed, present };
    /// The state of a way. `claimed`: a demand has joined the fill, which is still under way.
    struct Record {
        State state = State::none;
        std::uint16_t context = kNoContext;
        std::uint32_t pc = 0;
        std::uint32_t row = 0;
        Cycle issued = 0;
    };

    /// A line that was requested from memory for a load that its warp has not executed since.
    struct Meant {
        std::uint32_t pc = 0;
        std::uint64_t line = 0;

        bool operator==(const Meant&) const = default;
        void fields(StateArchive& archive) { archive& pc& line; }
    };

    bool prefetch(const PrefetchRequest& request) override;
    void compare_addresses(const ObservedLoad& load);
    void hint(WarpHint hint, std::uint16_t context) override;
    bool queued(std::uint64_t line) const;
    void withdraw(std::uint64_t line);
    std::uint32_t row_of(std::uint32_t pc) const { return row_of_pc_[first_pc_ + pc]; }
    void add_rows(const isa::Kernel& kernel, std::size_t number);
    void issued(const L1Event& event);
    void used(Record& record, const L1Event& event);
    void end(Record& record, PrefetchFate fate);
    void filled(Record& record);

    std::string name_;
    const TagArray& tags_;
    const AllocationMap& allocations_;
    LoadStoreListener& listener_;
    unsigned spare_entries_;
    std::vector<std::uint32_t> first_of_kernel_;  // by kernel: start of its PCs in row_of_pc_
    std::vector<std::uint32_t> row_of_pc_;        // undefined for instructions that are no loads
    std::vector<std::string> row_names_;
    std::vector<PrefetchLoadCounters> rows_;
    std::uint32_t first_pc_ = 0;  // of the running kernel
    unsigned warps_per_cta_ = 1;
    bool ending_ = false;  // the launch ends: lines that come later are not used
    Cycle now_ = 0;
    Ring<PrefetchRequest> queue_;
    std::vector<Record> records_;            // by way
    std::vector<std::vector<Meant>> meant_;  // by context; for statistics only
    std::uint32_t evicted_ = kNoWay;         // way of a prefetch evicted before use, until the causing miss takes it
    PrefetchCounters counters_;
    std::unique_ptr<Prefetcher> prefetcher_;
    bool only_when_idle_;
};

}  // namespace lookahead::gpu
