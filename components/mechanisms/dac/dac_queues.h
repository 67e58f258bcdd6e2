#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "components/cache/line_locks.h"
#include "components/isa/modes.h"
#include "components/mechanisms/dac/affine_cta.h"
#include "components/mechanisms/dac/affine_stack.h"
#include "components/mechanisms/dac/warp_record.h"
#include "components/protocols/memory.h"
#include "core/bits/ring.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::dac {

/// Entries of its warp's queue that an access of so many records takes: one each, and one for a raw access, which has
/// none.
constexpr unsigned entries_of(unsigned records) {
    return records == 0 ? 1 : records;
}

/// What an access asks of its warp's queue and of L1's locks.
struct AccessSize {
    std::uint64_t first_line = 0;
    std::uint8_t records = 0;  ///< 0: it is raw
};

/// An entry of the affine tuple queue: what an `enqueue` brings the warps of its batch. Its warps are those with active
/// lanes.
struct AtqEntry {
    isa::QueueMode mode = isa::QueueMode::address;
    std::uint32_t pc = 0;          ///< of the enqueue
    gpu::ContextMask pending = 0;  ///< warps that have not got theirs
    bool adjusts = false;          ///< an address, where rows of threads end: what that adds is still to be computed
    SmThreads active{};
    std::array<std::uint32_t, gpu::kMaximumContexts> sequence{};  ///< by context, among what it gets in that queue
    std::array<std::uint32_t, gpu::kMaximumContexts>
        markers{};  ///< by context, that the affine stream has passed before
    // A predicate's:
    SmThreads holds{};
    std::array<Comparisons, gpu::kMaximumContexts> comparisons{};
    // An address's:
    std::vector<AffineRegister> tuples;  ///< by CTA slot
    // What an address comes to for a warp that could not take it, so that it is not computed at each attempt; no state.
    gpu::ContextMask tried = 0;
    std::array<AccessSize, gpu::kMaximumContexts> sizes{};

    bool of_predicate() const { return mode == isa::QueueMode::predicate; }
    void fields(StateArchive& archive) {
        archive& mode& pc& pending& adjusts& active& sequence& markers& holds& comparisons& tuples;
        tried = archive.loading() ? gpu::ContextMask{} : tried;
    }
};

/// Names the dequeue that an entry is for: of which instruction, and the how many-th of its queue. A report's is its
/// own.
struct PairName {
    std::uint32_t pc = 0;  ///< of the enqueue
    std::uint32_t sequence = 0;
    isa::LaneMask active = 0;

    void fields(StateArchive& archive) { archive& pc& sequence& active; }
};

inline std::uint64_t line_of(const WarpRecord& record) {
    return record.region & ~std::uint64_t{gpu::kLineBytes - 1};
}

/// A record in a warp's queue, with what its line waits for.
struct QueuedRecord {
    WarpRecord record;
    gpu::SectorMask sectors = gpu::kAllSectors;  ///< of its line that the access touches
    bool awaited = false;                        ///< the line was asked for and has not come
    gpu::LineLock lock;

    std::uint64_t line() const { return line_of(record); }
    void fields(StateArchive& archive) { archive& record& sectors& awaited& lock; }
};

/// An access whose address a warp is to dequeue.
struct QueuedAccess {
    PairName name;
    bool data = false;          ///< a load whose lines were asked for
    std::uint8_t records = 0;   ///< of these, behind those of the access before; 0: it is raw
    std::uint8_t awaited = 0;   ///< records whose line has not come
    LaneAddresses addresses{};  ///< of a raw one, or with dac.check

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

    /// A new last access of so many records, to be filled in place.
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
    /// The head's records have no lock any more.
    void pop() {
        used_ -= entries_of(head().records);
        for (unsigned record = 0; record < head().records; ++record) { records_.pop(); }
        accesses_.pop();
    }
    /// visit(access, record) for each record in the queue.
    template <class Visit>
    void for_each_record(Visit&& visit) {
        std::uint32_t record = 0;
        accesses_.for_each([&](QueuedAccess& access) {
            // The last access may have records still to come.
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

/// An entry of a warp's predicate queue (PWPQ), or of its reports, which go the other way.
struct QueuedPredicate {
    PairName name;
    isa::LaneMask holds = 0;
    Cycle ready = 0;  ///< from when on it is there: the lanes may still compare

    void fields(StateArchive& archive) { archive& name& holds& ready; }
};
using PredicateQueue = Ring<QueuedPredicate>;

}  // namespace lookahead::dac
