#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "components/cache/line_locks.h"
#include "components/mechanisms/dac/affine_stack.h"
#include "components/mechanisms/dac/dac_parameters.h"
#include "components/mechanisms/dac/tuple_queue.h"
#include "components/mechanisms/dac/warp_record.h"
#include "components/protocols/memory.h"
#include "core/bits/ring.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead {
class Audit;
}  // namespace lookahead

namespace lookahead::dac {

/// The entries of its warp's queue that an access takes: one for each record, or one for a raw access.
constexpr unsigned entries_of(unsigned records) {
    return records == 0 ? 1 : records;
}

/// Identifies the dequeue of an entry: the PC of the enqueue and the entry's number in its queue, or among the reports.
struct PairName {
    std::uint32_t pc = 0;  ///< PC of the enqueue
    std::uint32_t sequence = 0;
    isa::LaneMask active = 0;

    void fields(StateArchive& archive) { archive& pc& sequence& active; }
};

inline std::uint64_t line_of(const WarpRecord& record) {
    return record.region & ~std::uint64_t{gpu::kLineBytes - 1};
}

/// A record in a warp's queue, and the state of its line.
struct QueuedRecord {
    WarpRecord record;
    gpu::SectorMask sectors = gpu::kAllSectors;  ///< sectors of the line that the access touches
    bool awaited = false;                        ///< the line was requested and has not come
    gpu::LineLock lock;

    std::uint64_t line() const { return line_of(record); }
    void fields(StateArchive& archive) { archive& record& sectors& awaited& lock; }
};

/// An access whose address a warp is to dequeue.
struct QueuedAccess {
    PairName name;
    bool data = false;          ///< a load whose lines were requested
    std::uint8_t records = 0;   ///< count of records; 0: a raw access
    std::uint8_t awaited = 0;   ///< records whose line has not come
    LaneAddresses addresses{};  ///< of a raw access, or with dac.check

    void fields(StateArchive& archive) { archive& name& data& records& awaited& addresses; }
};

/// The address queue of a warp (PWAQ).
class AddressQueue {
  public:
    explicit AddressQueue(unsigned entries = 0) : accesses_(entries), records_(entries) {}

    unsigned entries() const { return accesses_.capacity(); }
    unsigned used() const { return used_; }
    unsigned accesses() const { return accesses_.size(); }
    bool has_room(unsigned count) const { return used_ + count <= entries(); }
    bool empty() const { return accesses_.empty(); }
    QueuedAccess& head() { return accesses_.front(); }
    const QueuedAccess& head() const { return accesses_.front(); }
    QueuedRecord& head_record(unsigned number) { return records_[number]; }

    /// Appends an access of so many records, to be filled in place.
    QueuedAccess& push(unsigned records) {
        QueuedAccess& access = accesses_.push();
        access.records = static_cast<std::uint8_t>(records);
        access.awaited = 0;
        used_ += entries_of(records);
        return access;
    }
    QueuedRecord& push_record() { return records_.push(); }
    QueuedAccess& last() { return accesses_[accesses_.size() - 1]; }
    QueuedRecord& last_record() { return records_[records_.size() - 1]; }
    const QueuedRecord& record_before_last() const { return records_[records_.size() - 2]; }
    /// Removes the head; its records must have no lock any more.
    void pop() {
        used_ -= entries_of(head().records);
        for (unsigned record = 0; record < head().records; ++record) { records_.pop(); }
        accesses_.pop();
    }
    /// Calls visit(access, record) for each record in the queue.
    void for_each_record(auto&& visit) {
        std::uint32_t record = 0;
        accesses_.for_each([&](QueuedAccess& access) {
            // The last access may still lack records.
            for (unsigned number = 0; number < access.records && record < records_.size(); ++number) {
                visit(access, records_[record++]);
            }
        });
    }

    void fields(StateArchive& archive) {
        accesses_.fields(archive, [&](QueuedAccess& each) { archive& each; });
        records_.fields(archive, [&](QueuedRecord& each) { archive& each; });
        archive& used_;
    }

  private:
    Ring<QueuedAccess> accesses_;
    Ring<QueuedRecord> records_;
    std::uint32_t used_ = 0;
};

/// An entry of a warp's predicate queue (PWPQ), or a report, which goes the other way.
struct QueuedPredicate {
    PairName name;
    isa::LaneMask holds = 0;
    Cycle ready = 0;  ///< not available before this cycle: the lanes may still compare

    void fields(StateArchive& archive) { archive& name& holds& ready; }
};
using PredicateQueue = Ring<QueuedPredicate>;

/// The queues of each warp, by context, with the numbers that match entries to dequeues: addresses (PWAQ) and
/// predicates (PWPQ) from the affine warp, and reports to it.
class WarpQueues {
  public:
    /// Throws ConfigurationError if the parameters leave a context without a queue.
    WarpQueues(const DacParameters& parameters, unsigned contexts);
    /// Divides the entries among the warps that a launch can have; `warps` is 0 if it is not decoupled.
    void begin_launch(unsigned warps);
    /// A warp starts in the context, with empty queues.
    void start(unsigned context);

    AddressQueue& addresses(unsigned context) { return addresses_[context]; }
    PredicateQueue& predicates(unsigned context) { return predicates_[context]; }
    PredicateQueue& reports(unsigned context) { return reports_[context]; }
    const AddressQueue& addresses(unsigned context) const { return addresses_[context]; }
    const PredicateQueue& predicates(unsigned context) const { return predicates_[context]; }
    const PredicateQueue& reports(unsigned context) const { return reports_[context]; }
    /// Whether the warp has nothing left to dequeue.
    bool empty(unsigned context) const { return addresses_[context].empty() && predicates_[context].empty(); }
    bool some_predicates_full() const;
    /// Whether every warp that has threads in `threads` has reported.
    bool all_have_reported(const SmThreads& threads) const;

    /// Numbers the parts of the entry, and records the markers before it.
    void number(AtqEntry& entry);
    /// The number of the entry that the warp dequeues now; the next call gives the next number.
    std::uint32_t next_address(unsigned context) { return addresses_dequeued_[context]++; }
    std::uint32_t next_predicate(unsigned context) { return predicates_dequeued_[context]++; }
    /// Call it when the affine stream has passed a marker with these threads.
    void enqueue_marker(const SmThreads& threads);
    /// The warp has passed the barrier, fence or atomic of a marker.
    void pass_marker(unsigned context) { ++markers_passed_[context]; }
    /// Whether the warp has a barrier to pass before it gets its part of the entry.
    bool is_behind_marker(const AtqEntry& entry, unsigned context) const {
        return entry.markers[context] > markers_passed_[context];
    }
    /// Whether the warp has passed more markers than the affine warp.
    bool leads_at_markers(unsigned context) const { return markers_passed_[context] > markers_enqueued_[context]; }

    void audit(Audit& audit, const std::string& sm) const;
    void fields(StateArchive& archive);

  private:
    using Numbers = std::array<std::uint32_t, gpu::kMaximumContexts>;

    const DacParameters& parameters_;
    unsigned warps_ = 0;  ///< warps with queues; no state
    std::vector<AddressQueue> addresses_;
    std::vector<PredicateQueue> predicates_;
    std::vector<PredicateQueue> reports_;
    Numbers addresses_enqueued_{};
    Numbers predicates_enqueued_{};
    Numbers addresses_dequeued_{};
    Numbers predicates_dequeued_{};
    Numbers markers_enqueued_{};  ///< passed by the affine stream
    Numbers markers_passed_{};    ///< passed by the warp
};

}  // namespace lookahead::dac
