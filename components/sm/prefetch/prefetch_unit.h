#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/cache/tag_array.h"
#include "components/sm/lsu/allocation_map.h"
#include "components/sm/lsu/instruction_queue.h"
#include "components/sm/prefetch/prefetch_counters.h"
#include "components/sm/prefetch/prefetch_parameters.h"
#include "components/sm/prefetch/prefetcher.h"
#include "core/state/state_archive.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu {

class LoadStoreListener;

/// The part of prefetching that is the same for all prefetchers: a bounded queue before L1, the filter of duplicates
/// and of addresses that are not allocated, and the accounts. It belongs to the load/store unit, which calls it and
/// makes the accesses; with the prefetcher "none" there is no such unit.
///
/// It hears of all events of L1. What it knows of a prefetched line it keeps by the line's way, from the request until
/// the line's first use by a demand load, or its end.
class PrefetchUnit final : public L1Listener, private PrefetchPort {
  public:
    /// All references outlive it; `kernels` are those of the run, whose loads get a row of statistics each; `loads` may
    /// be null.
    PrefetchUnit(const Configuration& configuration, std::string name, unsigned contexts, const TagArray& tags,
                 const AllocationMap& allocations, LoadStoreListener& listener, const isa::KernelTable& kernels,
                 const isa::KnownLoads* loads);

    /// Null for the prefetcher "none"; only then `kernels` may be null.
    static std::unique_ptr<PrefetchUnit> make(const Configuration& configuration, std::string name, unsigned contexts,
                                              const TagArray& tags, const AllocationMap& allocations,
                                              LoadStoreListener& listener, const isa::KernelTable* kernels,
                                              const isa::KnownLoads* loads);

    void begin_cycle(Cycle now) { now_ = now; }
    void begin_launch(const LaunchOnSm& launch);
    void end_launch();
    void cta_started(unsigned slot, std::uint64_t cta) { prefetcher_->cta_started(slot, cta); }
    void cta_ended(unsigned slot);
    /// The oldest instruction of the load/store unit is a load, and starts.
    void observe(const QueuedInstruction& entry);

    bool only_when_idle() const { return only_when_idle_; }
    bool empty() const { return queue_.empty(); }
    /// Entries that a prefetch leaves free (prefetch.spare_entries).
    unsigned spare_entries() const { return spare_entries_; }
    /// Drops requests whose lines have come meanwhile. True if one is left.
    bool next(PrefetchRequest& request);
    /// The request of `next` has gone to memory.
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
    /// What a way holds. `claimed`: a demand has joined the fill, which is still under way.
    struct Record {
        State state = State::none;
        std::uint16_t context = kNoContext;
        std::uint32_t pc = 0;
        std::uint32_t row = 0;
        Cycle issued = 0;
    };

    /// A line that went to memory for a load of a warp, which has not come to it since.
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
    std::vector<std::uint32_t> first_of_kernel_;  // of each kernel, where its PCs begin in row_of_pc_
    std::vector<std::uint32_t> row_of_pc_;        // of instructions that are no loads: any
    std::vector<std::string> row_names_;
    std::vector<PrefetchLoadCounters> rows_;
    std::uint32_t first_pc_ = 0;  // of the running kernel
    unsigned warps_per_cta_ = 1;
    bool ending_ = false;  // the launch ends: what still comes is not used
    Cycle now_ = 0;
    Ring<PrefetchRequest> queue_;
    std::vector<Record> records_;            // by way
    std::vector<std::vector<Meant>> meant_;  // by context; for the statistics alone
    std::uint32_t evicted_ = kNoWay;         // way of a prefetch evicted before its use, until the miss that takes it
    PrefetchCounters counters_;
    std::unique_ptr<Prefetcher> prefetcher_;
    bool only_when_idle_;
};

}  // namespace lookahead::gpu
