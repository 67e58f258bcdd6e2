#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "components/cache/l1_sets.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu {

/// The effect of a store on its line (l1d.write_policy; l1d.local_write_policy for local memory). With no flag set, the
/// store goes to L2 and invalidates the copy and the fill under way.
struct StorePolicy {
    explicit StorePolicy(std::string_view name)
        : updates(name == "write_through"),
          keeps(name.starts_with("write_back")),
          allocates(keeps && name != "write_back_no_allocate"),
          fetches(name == "write_back_fetch") {}

    bool updates;    ///< the store goes to L2 and updates the copy and the fill under way
    bool keeps;      ///< the bytes stay in L1 until the line makes room
    bool allocates;  ///< the bytes stay also if the line is absent
    bool fetches;    ///< fetches the bytes of the line that the store does not write
};

/// L1 data cache with real bytes; one function per event of TRANSITIONS.md. It has no clock: its owner limits the
/// accesses per cycle, adds latencies, and moves requests from its miss queue to the network.
class L1Data final : public L1CompanionPort {
  public:
    L1Data(const L1Parameters& parameters, std::unique_ptr<ReplacementPolicy> replacement);
    L1Data(const L1Data&) = delete;
    L1Data& operator=(const L1Data&) = delete;

    bool sectored() const { return lines_.sectored(); }
    /// The given sectors that are in the state of the lowest one: valid, awaited from one fill, or absent. The
    /// load/store unit makes one load per such group.
    SectorMask alike(std::uint64_t line, SectorMask sectors) const;

    /// Whether stores to the line stay in L1: a line of local memory under such a policy. Only one warp's threads use
    /// the line, so SMs need not order it: fences leave it alone, and all its loads are weak.
    bool keeps_stores_to(std::uint64_t line) const { return local_.keeps && is_local(line); }

    /// A weak load. After a miss or merge the fill returns `waiter`; a prefetch passes a waiter without lanes.
    L1LoadResult load(const L1Access& access, const Waiter& waiter);
    /// A volatile, relaxed or stronger load: misses or stalls.
    L1LoadResult load_ordered(const L1Access& access, const Waiter& waiter);
    /// A `load` that also locks its line, whether present, awaited or requested now; `lock` must be empty. Stalls with
    /// no_line, without any change, if LineLocks refuses the lock.
    L1LoadResult load_and_lock(const L1Access& access, const Waiter& waiter, LineLock& lock);

    /// Whether a store or atomic can be sent; otherwise it would stall (miss_queue_full).
    bool can_write() const { return !queue_.full(); }
    /// Stores the bytes of `line_data` in the mask, which lie in the access's sectors. The acknowledgement returns
    /// `tag`.
    void store(const L1Access& access, const ByteMask& mask, const std::byte* line_data, std::uint32_t tag);
    /// The same for a line that `keeps_stores_to`. Needs places in the miss queue only for bytes that go to L2, for a
    /// fetch, and for the dirty bytes of a line that makes room.
    L1StoreResult store_local(const L1Access& access, const ByteMask& mask, const std::byte* line_data,
                              std::uint32_t tag);
    /// Call it before an atomic on a line that `keeps_stores_to`: sends the line's dirty bytes to L2. The answer is a
    /// hit if the atomic may be performed.
    L1StoreResult clean_for_atomic(const L1Access& access);
    /// Queues an atomic for L2. Returns the place for the payload, an AtomicRequest with its lanes.
    std::byte* atomic(const L1Access& access, std::size_t payload_bytes);

    /// Handles the reply to a ReadRequest: calls serve(waiter, line_bytes) for each waiter, in order. Only the bytes of
    /// the reply's sectors are valid.
    void fill(const ReadReply& reply, const std::byte* data, auto&& serve) {
        fill(reply, data, serve, [](const std::byte*) { return false; });
    }

    /// The same if a companion may take the line: calls take(line_bytes), which returns whether it does, after the
    /// waiters have been served.
    template <class Serve, class Take>
    void fill(const ReadReply& reply, const std::byte* data, Serve&& serve, Take&& take) {
        Arrival arrival;
        begin_fill(reply, data, arrival);
        mshrs_.walk(reply.tag, arrival.line, serve);
        if (may_be_taken(arrival)) {
            give_away_if(take(static_cast<const std::byte*>(arrival.line)), reply.tag, arrival);
        }
        end_fill(reply.tag, arrival);
    }

    /// Adds the companion of local memory, which must outlive the cache's use.
    void join(L1Companion& companion) { writer_.join(companion); }
    bool write_back(std::uint64_t line, WordMask words, const std::byte* data) override;

    /// Call it when a fence or acquire takes effect: invalidates all lines but those of keeps_stores_to().
    void start_generation();
    /// Call it when a kernel begins: invalidates all lines and drops the dirty bytes of local memory, because the
    /// earlier kernel's threads have ended and no thread of the new one has written any.
    void begin_kernel();

    WayShares& shares() { return sets_.shares(); }
    LineLocks& locks() { return sets_.locks(); }
    /// Called by each client that locks lines, when it is built; the cache has as many locks as all clients reserved.
    void reserve_locks(unsigned count) {
        locks().reserve(count);
        mshrs_.hold_stores(merged_stores_);
    }

    void subscribe(L1Listener& listener) { sets_.subscribe(listener); }
    MissQueue& miss_queue() { return queue_; }
    const MissQueue& miss_queue() const { return queue_; }
    void charge_failure(ReservationFailure cause, std::uint64_t cycles) {
        counters_.failure_cycles[static_cast<std::size_t>(cause)] += cycles;
    }

    /// The cache's part of LogicalProcess::audit: when nothing is under way, no MSHR is taken and no line is pinned.
    void audit(Audit& audit, const std::string& name) const;

    bool drained() const { return queue_.empty() && mshrs_.in_use() == 0; }
    unsigned fills_under_way() const { return mshrs_.in_use(); }
    const L1Counters& counters() const { return counters_; }
    const TagArray& tags() const { return lines_; }
    /// Whether a client other than demand finds an MSHR and a place in the miss queue, and leaves `spare` more of each
    /// free.
    bool has_room_beyond(unsigned spare) const {
        return speculative_ < speculative_limit_ && mshrs_.size() - mshrs_.in_use() > spare && queue_.room() > spare;
    }
    const MshrTable& mshrs() const { return mshrs_; }

    void fields(StateArchive& archive);

  private:
    friend struct AuditSabotage;
    /// A fill whose waiters are being served.
    struct Arrival {
        Mshr mshr;
        SectorMask installs;
        std::byte* line;  ///< the line's bytes: in its way, or in `scratch` if some are not installed
        alignas(64) std::byte scratch[kLineBytes] = {};
    };
    /// A store to local memory.
    struct LocalStore {
        std::uint32_t way;   ///< of the line; kNoWay: the line is absent
        SectorMask valid;    ///< valid sectors of the line
        SectorMask awaited;  ///< awaited sectors among those accessed
        bool goes_around;    ///< the fill of the awaited sectors goes around dirty bytes
        SectorMask fetched;  ///< sectors requested from L2
        ByteMask through;    ///< bytes that go to L2
        ByteMask kept;       ///< bytes that stay
    };

    bool mshr_free(Client client) const {
        return !mshrs_.full() && (client == Client::demand || speculative_ < speculative_limit_);
    }
    L1LoadResult merge(const L1Access& access, const Waiter& waiter, std::uint32_t way);
    L1LoadResult miss(const L1Access& access, const Waiter& waiter, std::uint32_t way);
    void request(const L1Access& access, const Waiter& waiter, std::uint32_t way);
    void send_read(const L1Access& access, const Waiter& waiter, std::uint32_t way);
    void begin_fill(const ReadReply& reply, const std::byte* data, Arrival& arrival);
    void end_fill(std::uint32_t tag, const Arrival& arrival);
    bool may_be_taken(const Arrival& arrival) const;
    void give_away_if(bool taken, std::uint32_t tag, Arrival& arrival);

    void store_through(std::uint32_t way, SectorMask sectors, const ByteMask& mask, const std::byte* line_data);
    bool somebody_waits(std::uint32_t way, SectorMask sectors) const;
    LocalStore plan(const L1Access& access, const ByteMask& mask) const;
    L1StoreResult make_room_for(const L1Access& access, LocalStore& store);

    StorePolicy global_;
    StorePolicy local_;
    bool caches_global_loads_;
    unsigned speculative_limit_;
    unsigned merged_stores_;
    L1Counters counters_;
    L1Lines lines_;
    MshrTable mshrs_;
    MissQueue queue_;
    L1Writer writer_;
    L1Sets sets_;
    unsigned speculative_ = 0;  ///< MSHRs held by clients other than demand
};

}  // namespace lookahead::gpu
