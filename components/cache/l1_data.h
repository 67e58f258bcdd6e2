#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/cache/byte_mask.h"
#include "components/cache/l1_companion.h"
#include "components/cache/l1_counters.h"
#include "components/cache/l1_events.h"
#include "components/cache/l1_parameters.h"
#include "components/cache/line_locks.h"
#include "components/cache/miss_queue.h"
#include "components/cache/mshr_table.h"
#include "components/cache/replacement_policy.h"
#include "components/cache/tag_array.h"
#include "components/isa/address_space.h"
#include "components/protocols/memory.h"
#include "core/error/error.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu {

/// Who accesses which line.
struct L1Access {
    std::uint64_t line = 0;
    std::uint32_t pc = 0;
    std::uint16_t warp = 0;  ///< stream context
    Client client = Client::demand;
    SectorMask sectors = kAllSectors;  ///< that it touches; without l1d.sector_bytes = 32, all
    /// That a load of a line that `keeps_stores_to` reads; null: all of its sectors.
    const ByteMask* bytes = nullptr;
    /// Private memory alone: all active lanes access one whole word, the same in each thread's memory (l1_companion.h).
    bool as_vector = false;
};

/// Tag of a write of dirty bytes, for whose acknowledgement nobody waits.
inline constexpr std::uint32_t kWriteBackTag = ~std::uint32_t{0};

enum class L1Answer : std::uint8_t { hit, merge, miss, stall };

struct L1LoadResult {
    L1Answer answer;
    ReservationFailure failure;  ///< of a stall
    const std::byte* data;       ///< of a hit: the line's bytes, valid until the next call
};

struct L1StoreResult {
    L1Answer answer;             ///< hit: its bytes stay in L1; miss: they are on their way to L2, or stall
    ReservationFailure failure;  ///< of a stall
};

/// L1 data cache with real bytes; one method an event of TRANSITIONS.md. It has no clock: its owner says how
/// many accesses there are in a cycle, adds the latencies, and takes the requests from its miss queue to the network.
class L1Data final : public L1CompanionPort {
  public:
    L1Data(const L1Parameters& parameters, std::unique_ptr<ReplacementPolicy> replacement);

    bool sectored() const { return sectored_; }
    /// Those of the sectors that are in the same state as the lowest one: valid, awaited with one fill, or absent. A
    /// load takes sectors that are alike; the unit makes one of it for each such group.
    SectorMask alike(std::uint64_t line, SectorMask sectors) const;

    /// Stores to the line stay in L1: it is of local memory, and the policy says so. Its bytes are those of the threads
    /// of one warp, so that no order of SMs concerns them: fences leave it alone, and every load of it is a weak one.
    bool keeps_stores_to(std::uint64_t line) const { return keeps_local_stores_ && is_local(line); }

    /// A weak load. `waiter` is given back with the fill after a miss or merge; a client that waits for nothing (a
    /// prefetch) gives a waiter without lanes.
    L1LoadResult load(const L1Access& access, const Waiter& waiter);
    /// A volatile, relaxed or stronger load: misses or stalls.
    L1LoadResult load_ordered(const L1Access& access, const Waiter& waiter);

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
    /// order. Of the line's bytes those of the reply's sectors hold.
    template <class Serve>
    void fill(const ReadReply& reply, const std::byte* data, Serve&& serve) {
        Arrival arrival;
        begin_fill(reply, data, arrival);
        mshrs_.walk(reply.tag, arrival.line, serve);
        end_fill(reply.tag, arrival);
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
    void join(L1Companion& companion) { companion_ = &companion; }
    bool write_back(std::uint64_t line, WordMask words, const std::byte* data) override;

    /// A fence or acquire took effect.
    void start_generation();
    /// A generation in which local memory is dead too: no thread of an older kernel lives, and a new one's has been
    /// written by nobody. Its dirty bytes are dropped, as no program can ask for them.
    void begin_kernel();
    /// Where shared memory has a part of the array (l1d.shared_sizes): the kernel that begins has so many bytes of it.
    /// To be called while the cache holds nothing, or before its state is loaded.
    void leave_to_shared_memory(std::uint32_t bytes);
    /// Of shared memory there is never more than this, where it has a part of the array.
    std::uint32_t most_shared_memory() const {
        return shared_sizes_.empty() ? ~std::uint32_t{0} : shared_sizes_.back();
    }

    /// A client that locks lines asks for its handles when it is built; as many locks may be out as all have asked for.
    void reserve_locks(unsigned count) {
        locks_.reserve(count);
        mshrs_.hold_stores(merged_stores_);
    }
    /// The line may be locked as soon as enough other locks end. A prefetch may have brought it into a way that is
    /// alone of its kind in its set, of which none is ever locked.
    bool may_lock_line(std::uint64_t line, Client client) const;
    /// load_and_lock of the line would be refused now for its lock.
    bool refuses_lock(std::uint64_t line, Client client) const;
    /// A `load` that locks its line in the same step, be it there, awaited or asked for now; `lock` is empty before.
    /// Stalls with no_line, and does nothing, where `lock` would be refused.
    L1LoadResult load_and_lock(const L1Access& access, const Waiter& waiter, LineLock& lock);
    /// Keeps a line that is there or awaited from making room for another one. Stores of the SM update it, and the fill
    /// under way, under any write policy; one that the fill has no room for, atomics, ordered loads and generations
    /// still take it. Locks of one line nest. Empty if the line is neither, if its set has as many locked
    /// lines as may be (l1d.pinned_ways, and one way less than there are), or if all handles are out.
    LineLock lock(std::uint64_t line);
    /// Ends a lock, and leaves the handle empty. Once for each, also where the line was taken meanwhile.
    void unlock(LineLock& lock);
    /// The way that the lock holds; kNoWay: its line was taken from it.
    std::uint32_t way_of(const LineLock& lock) const { return locks_.way_of(lock); }

    void subscribe(L1Listener& listener) { listeners_.push_back(&listener); }
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
    const TagArray& tags() const { return tags_; }
    /// A client other than demand would find an MSHR and a place in the miss queue, and leave `spare` of each free.
    bool has_room_beyond(unsigned spare) const {
        return speculative_ < speculative_limit_ && mshrs_.size() - mshrs_.in_use() > spare && queue_.room() > spare;
    }
    const MshrTable& mshrs() const { return mshrs_; }

    void fields(StateArchive& archive);

  private:
    friend struct AuditSabotage;
    struct alignas(64) LineData {
        std::byte bytes[kLineBytes] = {};
    };
    /// A fill whose data came, while those who wait for it are served.
    struct Arrival {
        Mshr mshr;
        SectorMask installs;
        std::byte* line;  ///< its bytes: in their way, or in `scratch` where parts of them are not installed
        LineData scratch;
    };

    static L1LoadResult stall(ReservationFailure cause) { return {L1Answer::stall, cause, nullptr}; }
    static L1StoreResult store_stall(ReservationFailure cause) { return {L1Answer::stall, cause}; }
    static bool is_local(std::uint64_t line) { return line >= isa::kLocalMemoryBase; }
    /// What misses of the access bring is installed.
    bool caches(const L1Access& access) const {
        return caches_all_ || is_local(access.line) || access.client != Client::demand;
    }
    bool writes_through(std::uint64_t line) const { return is_local(line) ? local_through_ : write_through_; }
    std::uint64_t dirty_bytes() const;
    void emit(L1EventKind kind, const L1Access& access, std::uint32_t way, L1Operation operation = L1Operation::load) {
        if (!listeners_.empty()) [[unlikely]] {
            announce({kind, access.client, access.warp, access.pc, access.line, way, operation});
        }
    }
    void announce(const L1Event& event);
    void touch(std::uint32_t way) { replacement_->touch(way / tags_.ways(), way % tags_.ways()); }

    L1LoadResult merge(const L1Access& access, const Waiter& waiter, std::uint32_t way);
    L1LoadResult miss(const L1Access& access, const Waiter& waiter);
    L1LoadResult miss_sectors(const L1Access& access, const Waiter& waiter, std::uint32_t way);
    bool mshr_free(Client client) const {
        return !mshrs_.full() && (client == Client::demand || speculative_ < speculative_limit_);
    }
    std::uint32_t place_for(const L1Access& access);
    bool may_lock(std::uint32_t way) const;
    std::uint64_t ways_beside(std::uint32_t way) const;
    bool has_way_to_lock(unsigned set, std::uint64_t mine) const;
    LineLock take_lock(std::uint32_t way);
    std::uint64_t ways_of(Client client) const { return client == Client::prefetch ? prefetch_ways_ : other_ways_; }
    void request(const L1Access& access, const Waiter& waiter, std::uint32_t way);
    void send_read(const L1Access& access, const Waiter& waiter, std::uint32_t way);
    SectorMask lacking(std::uint32_t way, SectorMask sectors, const ByteMask& stored) const;
    bool somebody_waits(std::uint32_t way, SectorMask sectors) const;
    void fetch_rest(L1Access access, SectorMask sectors, std::uint32_t way);
    void begin_fill(const ReadReply& reply, const std::byte* data, Arrival& arrival);
    void end_fill(std::uint32_t tag, const Arrival& arrival);
    bool may_be_taken(const Arrival& arrival) const;
    void give_away_if(bool taken, std::uint32_t tag, Arrival& arrival);
    void settle(std::uint32_t way);
    bool holds_bytes(std::uint32_t way) const;
    unsigned lines_held(unsigned set) const;
    L1StoreResult make_room_for_stored(unsigned set);
    void detach(std::uint32_t way, SectorMask sectors);
    bool make_room(std::uint32_t way);
    void drop(std::uint32_t way);
    bool holds(std::uint32_t way, const ByteMask& bytes) const;
    void mark_dirty(std::uint32_t way, const ByteMask& mask);
    void send_dirty_bytes(std::uint32_t way);
    void send_own_bytes(std::uint32_t way);
    void send_eviction(std::uint32_t way);
    void forget_dirty_bytes(std::uint32_t way);
    void send_write(std::uint64_t line, const ByteMask& mask, const std::byte* line_data, std::uint32_t tag);
    void clear_if_empty(std::uint32_t way);
    void invalidate(std::uint32_t way, SectorMask sectors);
    void store_through(std::uint32_t way, SectorMask sectors, const ByteMask& mask, const std::byte* line_data);
    static void unpack(std::byte* line, const std::byte* data, SectorMask sectors);

    bool caches_all_;
    bool write_through_;
    bool local_through_;
    bool keeps_local_stores_;
    bool allocates_for_stores_;
    bool fetches_for_stores_;
    bool sectored_;
    unsigned speculative_limit_;
    unsigned pin_limit_;
    unsigned merged_stores_;
    unsigned lines_of_set_;        // that hold bytes, where fills under way have tags of their own; 0: they have not
    std::uint64_t prefetch_ways_;  // bits of the ways that prefetches take; all if none are theirs alone
    std::uint64_t other_ways_;     // of those that the other clients take
    unsigned ways_;
    std::uint32_t way_bytes_;                  // of a way in all sets
    std::vector<std::uint32_t> shared_sizes_;  // that shared memory may have of these; empty: it has none of them
    TagArray tags_;
    std::vector<LineData> data_;
    std::vector<ByteMask> dirty_;  // of each way; bytes of valid sectors, or of sectors that are neither valid nor
                                   // awaited, or of awaited ones, from before their fill was asked for
    MshrTable mshrs_;
    MissQueue queue_;
    LineLocks locks_;
    std::unique_ptr<ReplacementPolicy> replacement_;
    L1Companion* companion_ = nullptr;
    std::vector<L1Listener*> listeners_;
    unsigned speculative_ = 0;  // MSHRs held by clients other than demand
    L1Counters counters_;
};

inline std::size_t client_index(Client client) {
    return static_cast<std::size_t>(client);
}

}  // namespace lookahead::gpu
