#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "components/cache/l1_access.h"
#include "components/cache/l1_sets.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu {

/// What a store does to its line (l1d.write_policy, and l1d.local_write_policy for local memory). Without any of these
/// it goes to L2, and invalidates the copy and the fill under way.
struct StorePolicy {
    explicit StorePolicy(std::string_view name)
        : updates(name == "write_through"),
          keeps(name.starts_with("write_back")),
          allocates(keeps && name != "write_back_no_allocate"),
          fetches(name == "write_back_fetch") {}

    bool updates;    ///< it goes to L2, and the copy and the fill under way get its bytes
    bool keeps;      ///< its bytes stay in L1 until the line makes room
    bool allocates;  ///< also in a line that was not there
    bool fetches;    ///< it fetches the bytes of the line that it does not write
};

/// L1 data cache with real bytes; one function for each event of TRANSITIONS.md. It has no clock: its owner decides how
/// many accesses there are in a cycle, adds the latencies, and takes the requests from its miss queue to the network.
class L1Data final : public L1CompanionPort {
  public:
    L1Data(const L1Parameters& parameters, std::unique_ptr<ReplacementPolicy> replacement);
    L1Data(const L1Data&) = delete;
    L1Data& operator=(const L1Data&) = delete;

    bool sectored() const { return lines_.sectored(); }
    /// Those of the sectors that are in the same state as the lowest one: valid, awaited with one fill, or absent. A
    /// load takes sectors that are alike; the load/store unit makes one load for each such group.
    SectorMask alike(std::uint64_t line, SectorMask sectors) const;

    /// Stores to the line stay in L1: it is of local memory, and the policy says so. Its bytes are those of the threads
    /// of one warp, so that no order of SMs concerns them: fences leave it alone, and every load of it is a weak one.
    bool keeps_stores_to(std::uint64_t line) const { return local_.keeps && is_local(line); }

    /// A weak load. `waiter` is given back with the fill after a miss or merge; a client that waits for nothing (a
    /// prefetch) gives a waiter without lanes.
    L1LoadResult load(const L1Access& access, const Waiter& waiter);
    /// A volatile, relaxed or stronger load: misses or stalls.
    L1LoadResult load_ordered(const L1Access& access, const Waiter& waiter);
    /// A `load` that locks its line in the same step, be it there, awaited or asked for now; `lock` is empty before.
    /// Stalls with no_line, and does nothing, where LineLocks refuses the lock.
    L1LoadResult load_and_lock(const L1Access& access, const Waiter& waiter, LineLock& lock);

    /// False: a store or atomic would stall (miss_queue_full).
    bool can_write() const { return !queue_.full(); }
    /// The bytes of the mask of `line_data` are stored; `tag` comes back with the acknowledgement. The sectors are
    /// those of the mask.
    void store(const L1Access& access, const ByteMask& mask, const std::byte* line_data, std::uint32_t tag);
    /// The same for a line that `keeps_stores_to`. It needs no place in the miss queue but for what makes room.
    L1StoreResult store_local(const L1Access& access, const ByteMask& mask, const std::byte* line_data,
                              std::uint32_t tag);
    /// Before an atomic on a line that `keeps_stores_to`: sends its dirty bytes to L2. Hit: the atomic may be
    /// performed.
    L1StoreResult clean_for_atomic(const L1Access& access);
    /// Returns the place for the payload: an AtomicRequest with its lanes.
    std::byte* atomic(const L1Access& access, std::size_t payload_bytes);

    /// The reply to a ReadRequest with the sectors' bytes: calls serve(waiter, line_bytes) for those who wait, in their
    /// order. Only the bytes of the reply's sectors are valid.
    template <class Serve>
    void fill(const ReadReply& reply, const std::byte* data, Serve&& serve) {
        fill(reply, data, serve, [](const std::byte*) { return false; });
    }

    /// The same where a companion may take the line: take(line_bytes) is asked once those who wait are served.
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

    /// The companion of local memory, if there is one, outlives the cache's use.
    void join(L1Companion& companion) { writer_.join(companion); }
    bool write_back(std::uint64_t line, WordMask words, const std::byte* data) override;

    /// A fence or acquire took effect.
    void start_generation();
    /// A generation in which local memory is dead too: no thread of an older kernel lives, and a new one's has been
    /// written by nobody. Its dirty bytes are dropped, as no program can ask for them.
    void begin_kernel();

    /// The part of the array that shared memory may have.
    WayShares& shares() { return sets_.shares(); }
    LineLocks& locks() { return sets_.locks(); }
    /// A client that locks lines asks for its handles when it is built; as many locks may be out as all have asked for.
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

    /// The cache's part of LogicalProcess::audit: with nothing under way no MSHR is taken and no line pinned.
    void audit(Audit& audit, const std::string& name) const;

    bool drained() const { return queue_.empty() && mshrs_.in_use() == 0; }
    unsigned fills_under_way() const { return mshrs_.in_use(); }
    const L1Counters& counters() const { return counters_; }
    const TagArray& tags() const { return lines_; }
    /// A client other than demand would find an MSHR and a place in the miss queue, and leave `spare` of each free.
    bool has_room_beyond(unsigned spare) const {
        return speculative_ < speculative_limit_ && mshrs_.size() - mshrs_.in_use() > spare && queue_.room() > spare;
    }
    const MshrTable& mshrs() const { return mshrs_; }

    void fields(StateArchive& archive);

  private:
    friend struct AuditSabotage;
    /// A fill whose data came, while those who wait for it are served.
    struct Arrival {
        Mshr mshr;
        SectorMask installs;
        std::byte* line;  ///< its bytes: in their way, or in `scratch` where parts of them are not installed
        alignas(64) std::byte scratch[kLineBytes] = {};
    };
    /// A store to local memory that L1 has room for.
    struct LocalStore {
        std::uint32_t way;   ///< of its line; kNoWay: the line is not there
        SectorMask valid;    ///< of the line
        SectorMask awaited;  ///< of the sectors that it touches
        bool goes_around;    ///< the fill of the awaited sectors goes around dirty bytes
        SectorMask fetched;  ///< sectors that it asks L2 for
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
