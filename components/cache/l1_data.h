#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "components/cache/byte_mask.h"
#include "components/cache/l1_counters.h"
#include "components/cache/l1_events.h"
#include "components/cache/l1_parameters.h"
#include "components/cache/memory_contract.h"
#include "components/cache/miss_queue.h"
#include "components/cache/mshr_table.h"
#include "components/cache/replacement_policy.h"
#include "components/cache/tag_array.h"
#include "components/isa/address_space.h"
#include "components/protocols/memory.h"
#include "core/error/error.h"
#include "core/lp/audit.h"

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
};

/// Of the write of a line's dirty bytes: nobody waits for its acknowledgement.
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

/// L1 data cache with real bytes; one method an event of TRANSITIONS.md. It has no clock: its owner gives it one
/// access a cycle, adds the latencies, and takes the requests from its miss queue to the network.
///
/// `Contract` is MemoryContract, except in mutation tests.
template <class Contract>
class BasicL1Data {
  public:
    BasicL1Data(const L1Parameters& parameters, std::unique_ptr<ReplacementPolicy> replacement);

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
    /// The bytes of the mask of `line_data` are stored; `tag` comes back with the acknowledgement. The sectors are those
    /// of the mask.
    void store(const L1Access& access, const ByteMask& mask, const std::byte* line_data, std::uint32_t tag);
    /// The same for a line that `keeps_stores_to`. It needs no place in the miss queue but for what makes room.
    L1StoreResult store_local(const L1Access& access, const ByteMask& mask, const std::byte* line_data,
                              std::uint32_t tag);
    /// Before an atomic on a line that `keeps_stores_to`: sends its dirty bytes to L2. Hit: the atomic may be performed.
    L1StoreResult clean_for_atomic(const L1Access& access);
    /// Returns the place for the payload: an AtomicRequest with its lanes.
    std::byte* atomic(const L1Access& access, std::size_t payload_bytes);

    /// The reply to a ReadRequest with the sectors' bytes: calls serve(waiter, line_bytes) for those who wait, in their
    /// order. Of the line's bytes those of the reply's sectors hold.
    template <class Serve>
    void fill(const ReadReply& reply, const std::byte* data, Serve&& serve);

    /// A fence or acquire took effect.
    void start_generation();
    /// A generation in which local memory is dead too: no thread of an older kernel lives, and a new one's has been
    /// written by nobody. Its dirty bytes are dropped, as no program can ask for them.
    void begin_kernel();

    /// Keeps a valid line from being replaced (stores and generations still take it); calls nest. False if the line
    /// is not there or its set has as many pinned lines as may be.
    bool pin(std::uint64_t line);
    /// Undoes one pin; a line that was taken meanwhile needs none.
    void unpin(std::uint64_t line);

    void subscribe(L1Listener& listener) { listeners_.push_back(&listener); }
    MissQueue& miss_queue() { return queue_; }
    const MissQueue& miss_queue() const { return queue_; }
    void charge_failure(ReservationFailure cause, std::uint64_t cycles) {
        counters_.failure_cycles[static_cast<std::size_t>(cause)] += cycles;
    }

    /// The cache's part of LogicalProcess::audit: with nothing under way no MSHR is taken and no line pinned.
    void audit(Audit& audit, const std::string& name) const {
        audit.leak(name, "MSHRs of L1 that are not free", mshrs_.size() - mshrs_.free_entries());
        audit.leak(name, "places for stores that were merged into fills of L1", mshrs_.held_stores());
        audit.leak(name, "MSHRs of L1 that prefetches hold", speculative_);
        audit.balance(name, "dirty bytes of local memory", counters_.dirtied_bytes,
                      counters_.written_back_bytes + counters_.discarded_bytes + dirty_bytes());
        for (std::uint32_t way = 0; way < tags_.size(); ++way) {
            audit.leak(name, "pins of a line of L1", tags_.info(way).pins);
            if (tags_.line(way) != kNoLine && tags_.info(way).pending()) {
                audit.fault(name, "a line of L1 awaits a fill that will not come");
            }
        }
    }

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

    static L1LoadResult stall(ReservationFailure cause) { return {L1Answer::stall, cause, nullptr}; }
    static L1StoreResult store_stall(ReservationFailure cause) { return {L1Answer::stall, cause}; }
    static bool is_local(std::uint64_t line) { return line >= isa::kLocalMemoryBase; }
    bool writes_through(std::uint64_t line) const { return is_local(line) ? local_through_ : write_through_; }
    std::uint64_t dirty_bytes() const {
        std::uint64_t count = 0;
        for (const ByteMask& each : dirty_) {
            count += count_of(each);
        }
        return count;
    }
    void emit(L1EventKind kind, const L1Access& access, std::uint32_t way) {
        if (!listeners_.empty()) [[unlikely]] {
            announce({kind, access.client, access.warp, access.pc, access.line, way});
        }
    }
    void announce(const L1Event& event) {
        for (L1Listener* listener : listeners_) {
            listener->on_l1_event(event);
        }
    }
    void touch(std::uint32_t way) { replacement_->touch(way / tags_.ways(), way % tags_.ways()); }

    L1LoadResult merge(const L1Access& access, const Waiter& waiter, std::uint32_t way);
    L1LoadResult miss(const L1Access& access, const Waiter& waiter);
    L1LoadResult miss_sectors(const L1Access& access, const Waiter& waiter, std::uint32_t way);
    bool mshr_free(Client client) const {
        return !mshrs_.full() && (client == Client::demand || speculative_ < speculative_limit_);
    }
    std::uint32_t place_for(const L1Access& access);
    void request(const L1Access& access, const Waiter& waiter, std::uint32_t way);
    void detach(std::uint32_t way, SectorMask sectors);
    bool make_room(std::uint32_t way);
    void drop(std::uint32_t way);
    bool holds(std::uint32_t way, const ByteMask& bytes) const;
    void mark_dirty(std::uint32_t way, const ByteMask& mask);
    void send_dirty_bytes(std::uint32_t way);
    void forget_dirty_bytes(std::uint32_t way);
    void send_write(std::uint64_t line, const ByteMask& mask, const std::byte* line_data, std::uint32_t tag);
    void clear_if_empty(std::uint32_t way);
    void invalidate(std::uint32_t way, SectorMask sectors, bool evicts_copy, bool detaches_fill);
    void store_through(std::uint32_t way, SectorMask sectors, const ByteMask& mask, const std::byte* line_data);
    static void unpack(std::byte* line, const std::byte* data, SectorMask sectors);

    bool write_through_;
    bool local_through_;
    bool keeps_local_stores_;
    bool allocates_for_stores_;
    bool sectored_;
    unsigned speculative_limit_;
    unsigned pin_limit_;
    std::uint64_t prefetch_ways_;  // bits of the ways that prefetches take; all if none are theirs alone
    std::uint64_t other_ways_;     // of those that the other clients take
    TagArray tags_;
    std::vector<LineData> data_;
    std::vector<ByteMask>
        dirty_;  // of each way; bytes of valid sectors, or of sectors that are neither valid nor awaited,
                 // or of awaited ones, from before their fill was asked for
    MshrTable mshrs_;
    MissQueue queue_;
    std::unique_ptr<ReplacementPolicy> replacement_;
    std::vector<L1Listener*> listeners_;
    unsigned speculative_ = 0;  // MSHRs held by clients other than demand
    L1Counters counters_;
};

using L1Data = BasicL1Data<MemoryContract>;

inline std::size_t client_index(Client client) {
    return static_cast<std::size_t>(client);
}

template <class Contract>
BasicL1Data<Contract>::BasicL1Data(const L1Parameters& parameters, std::unique_ptr<ReplacementPolicy> replacement)
    : write_through_(parameters.write_policy == "write_through"),
      local_through_(parameters.local_write_policy == "write_through"),
      keeps_local_stores_(parameters.local_write_policy.starts_with("write_back")),
      allocates_for_stores_(parameters.local_write_policy == "write_back"),
      sectored_(parameters.sector_bytes == kSectorBytes),
      speculative_limit_(static_cast<unsigned>(parameters.speculative_mshrs)),
      pin_limit_(static_cast<unsigned>(std::min(parameters.pinned_ways, parameters.ways - 1))),
      prefetch_ways_(parameters.prefetch_ways == 0 ? ~std::uint64_t{0} : ~std::uint64_t{0} << parameters.ways),
      other_ways_(parameters.prefetch_ways == 0 ? ~std::uint64_t{0} : ~prefetch_ways_),
      tags_(SetIndex(parameters.set_index == "linear" ? SetIndexing::linear : SetIndexing::fermi_hash,
                     static_cast<unsigned>(parameters.sets)),
            static_cast<unsigned>(parameters.sets), static_cast<unsigned>(parameters.ways + parameters.prefetch_ways)),
      data_(tags_.size()),
      dirty_(tags_.size()),
      mshrs_(static_cast<unsigned>(parameters.mshrs), static_cast<unsigned>(parameters.merges),
             write_through_ || local_through_ ? static_cast<unsigned>(parameters.merged_stores) : 0),
      queue_(static_cast<unsigned>(parameters.miss_queue), static_cast<unsigned>(parameters.miss_latency)),
      replacement_(std::move(replacement)) {
    parameters.check();
}

template <class Contract>
L1LoadResult BasicL1Data<Contract>::load(const L1Access& access, const Waiter& waiter) {
    const std::uint32_t way = tags_.find(access.line);
    if (way == kNoWay) {
        return miss(access, waiter);
    }
    const LineInfo& info = tags_.info(way);
    const bool hits = Contract::hit_needs_its_sectors ? (access.sectors & ~info.valid) == 0 : info.valid != 0;
    if (!hits && !(info.dirty && access.bytes != nullptr && holds(way, *access.bytes))) {
        LOOKAHEAD_DEBUG_ASSERT(alike(access.line, access.sectors) == access.sectors,
                               "a load of sectors that are in different states");
        return (access.sectors & info.awaited) != 0 ? merge(access, waiter, way) : miss_sectors(access, waiter, way);
    }
    touch(way);
    ++counters_.hits[client_index(access.client)];
    counters_.local_hits += is_local(access.line);
    emit(L1EventKind::hit, access, way);
    return {L1Answer::hit, {}, data_[way].bytes};
}

template <class Contract>
L1LoadResult BasicL1Data<Contract>::load_ordered(const L1Access& access, const Waiter& waiter) {
    if (keeps_stores_to(access.line)) {
        return load(access, waiter);
    }
    const std::uint32_t way = tags_.find(access.line);
    if (way != kNoWay) {
        const LineInfo& info = tags_.info(way);
        if ((!Contract::ordered_load_bypasses && (info.valid & access.sectors) == access.sectors) ||
            (!Contract::ordered_load_never_joins && (info.awaited & access.sectors) == access.sectors)) {
            return load(access, waiter);
        }
    }
    if (!mshr_free(access.client)) {
        return stall(ReservationFailure::no_mshr);
    }
    if (queue_.full()) {
        return stall(ReservationFailure::miss_queue_full);
    }
    invalidate(way, access.sectors, true, true);
    request(access, waiter, kNoWay);
    ++counters_.ordered_loads;
    return {L1Answer::miss, {}, nullptr};
}

template <class Contract>
L1LoadResult BasicL1Data<Contract>::merge(const L1Access& access, const Waiter& waiter, std::uint32_t way) {
    const std::uint32_t entry = tags_.info(way).mshr(access.sectors);
    if (waiter.lanes != 0) {
        if (mshrs_.list_full(entry)) {
            return stall(ReservationFailure::merge_limit);
        }
        mshrs_.add_waiter(entry, waiter);
    }
    Mshr& mshr = mshrs_[entry];
    if (access.client == Client::demand && mshr.client != Client::demand) {
        mshr.client = Client::demand;
        --speculative_;
    }
    touch(way);
    ++counters_.merges[client_index(access.client)];
    emit(L1EventKind::merge, access, way);
    return {L1Answer::merge, {}, nullptr};
}

template <class Contract>
L1LoadResult BasicL1Data<Contract>::miss(const L1Access& access, const Waiter& waiter) {
    if (!mshr_free(access.client)) {
        return stall(ReservationFailure::no_mshr);
    }
    if (queue_.full()) {
        return stall(ReservationFailure::miss_queue_full);
    }
    const std::uint32_t way = place_for(access);
    if (way == kNoWay) {
        return stall(ReservationFailure::no_line);
    }
    if (!make_room(way) && queue_.full()) {
        return stall(ReservationFailure::write_back);
    }
    request(access, waiter, way);
    return {L1Answer::miss, {}, nullptr};
}

/// Takes the line out of the way. Its dirty bytes go to L2; there is a place in the miss queue for them. Where it was the
/// last one, the access that wants the way has to wait for another.
template <class Contract>
bool BasicL1Data<Contract>::make_room(std::uint32_t way) {
    if (tags_.line(way) == kNoLine) {
        return true;
    }
    const bool clean = !tags_.info(way).dirty;
    if (!clean) {
        send_dirty_bytes(way);
    }
    ++counters_.evictions;
    drop(way);
    return clean;
}

/// All of these bytes are there, be their sectors valid or not.
template <class Contract>
bool BasicL1Data<Contract>::holds(std::uint32_t way, const ByteMask& bytes) const {
    return !Contract::partial_hit_needs_its_bytes ||
           !without(bytes, dirty_[way] | bytes_of(tags_.info(way).valid)).any();
}

/// Sectors of which every byte is dirty are valid.
template <class Contract>
void BasicL1Data<Contract>::mark_dirty(std::uint32_t way, const ByteMask& mask) {
    LineInfo& info = tags_.info(way);
    counters_.dirtied_bytes += count_of(without(mask, dirty_[way]));
    dirty_[way] = dirty_[way] | mask;
    info.dirty = true;
    if (!sectored_) {
        info.valid |= dirty_[way].full() ? kAllSectors : SectorMask{0};
        return;
    }
    for (unsigned sector = 0; sector < kSectors; ++sector) {
        const auto bit = static_cast<SectorMask>(1u << sector);
        info.valid |= without(bytes_of(bit), dirty_[way]).any() ? SectorMask{0} : bit;
    }
}

template <class Contract>
void BasicL1Data<Contract>::send_dirty_bytes(std::uint32_t way) {
    if (Contract::eviction_writes_back) {
        const ByteMask mask = Contract::write_back_carries_dirty_bytes ? dirty_[way] : bytes_of(kAllSectors);
        send_write(tags_.line(way), mask, data_[way].bytes, kWriteBackTag);
    }
    ++counters_.write_backs;
    counters_.written_back_bytes += count_of(dirty_[way]);
    forget_dirty_bytes(way);
}

template <class Contract>
void BasicL1Data<Contract>::forget_dirty_bytes(std::uint32_t way) {
    dirty_[way] = {};
    tags_.info(way).dirty = false;
}

/// The line is there, the sectors are not: they need no way.
template <class Contract>
L1LoadResult BasicL1Data<Contract>::miss_sectors(const L1Access& access, const Waiter& waiter, std::uint32_t way) {
    if (!mshr_free(access.client)) {
        return stall(ReservationFailure::no_mshr);
    }
    if (queue_.full()) {
        return stall(ReservationFailure::miss_queue_full);
    }
    touch(way);
    request(access, waiter, way);
    ++counters_.sector_misses;
    return {L1Answer::miss, {}, nullptr};
}

template <class Contract>
SectorMask BasicL1Data<Contract>::alike(std::uint64_t line, SectorMask sectors) const {
    const std::uint32_t way = tags_.find(line);
    if (way == kNoWay) {
        return sectors;
    }
    const LineInfo& info = tags_.info(way);
    const auto lowest = static_cast<SectorMask>(sectors & -sectors);
    if ((lowest & info.awaited) != 0) {
        return sectors & mshrs_[info.mshr(lowest)].installs;
    }
    const bool valid = (lowest & info.valid) != 0;
    return static_cast<SectorMask>(sectors & (valid ? info.valid : ~(info.valid | info.awaited)));
}

/// Of the ways that the client may take, an empty one if there is one, else the policy's victim; kNoWay if all are pending
/// or pinned.
template <class Contract>
std::uint32_t BasicL1Data<Contract>::place_for(const L1Access& access) {
    const unsigned set = tags_.set_of(access.line);
    const TagArray::Choice choice = tags_.choice(set);
    const std::uint64_t mine = access.client == Client::prefetch ? prefetch_ways_ : other_ways_;
    if ((choice.empty & mine) != 0) {
        return set * tags_.ways() + static_cast<unsigned>(std::countr_zero(choice.empty & mine));
    }
    if ((choice.replaceable & mine) != 0) {
        return set * tags_.ways() + replacement_->victim(set, choice.replaceable & mine);
    }
    return kNoWay;
}

/// Sends a read; its fill is installed in `way`, or is detached from the start.
template <class Contract>
void BasicL1Data<Contract>::request(const L1Access& access, const Waiter& waiter, std::uint32_t way) {
    const std::uint32_t entry = mshrs_.allocate({.line = access.line,
                                                 .way = way,
                                                 .pc = access.pc,
                                                 .warp = access.warp,
                                                 .client = access.client,
                                                 .sectors = access.sectors,
                                                 .installs = way == kNoWay ? SectorMask{0} : access.sectors});
    if (waiter.lanes != 0) {
        mshrs_.add_waiter(entry, waiter);
    }
    speculative_ += access.client != Client::demand;
    if (way != kNoWay) {
        if (tags_.line(way) != access.line) {
            tags_.assign(way, access.line, {.pc = access.pc, .owner = access.warp, .client = access.client});
            replacement_->reserve(way / tags_.ways(), way % tags_.ways());
        }
        LineInfo& info = tags_.info(way);
        info.awaited |= access.sectors;
        for (unsigned left = access.sectors; left != 0; left &= left - 1) {
            info.mshrs[std::countr_zero(left)] = static_cast<std::uint16_t>(entry);
        }
    }
    const ReadRequest message{.line = access.line, .tag = entry, .client = access.client, .sectors = access.sectors};
    std::memcpy(queue_.push(access.line, GpuMessage::read_request, sizeof message), &message, sizeof message);
    ++counters_.misses[client_index(access.client)];
    counters_.local_misses += is_local(access.line);
    emit(L1EventKind::miss, access, way);
}

/// The fills of these awaited sectors serve those who wait for them already; nothing joins them, and the sectors are not
/// installed.
template <class Contract>
void BasicL1Data<Contract>::detach(std::uint32_t way, SectorMask sectors) {
    LineInfo& info = tags_.info(way);
    info.awaited &= static_cast<SectorMask>(~sectors);
    for (unsigned left = sectors; left != 0;) {
        Mshr& mshr = mshrs_[info.mshr(static_cast<SectorMask>(left))];
        const unsigned of_fill = left & mshr.installs;
        left &= ~of_fill;
        mshr.installs &= static_cast<SectorMask>(~of_fill);
        if (mshr.installs == 0) {
            mshr.way = kNoWay;
            emit(L1EventKind::detach, {mshr.line, mshr.pc, mshr.warp, mshr.client}, way);
        }
    }
    clear_if_empty(way);
}

/// Forgets a line of which nothing is awaited or dirty.
template <class Contract>
void BasicL1Data<Contract>::drop(std::uint32_t way) {
    const LineInfo& info = tags_.info(way);
    emit(L1EventKind::evict, {tags_.line(way), info.pc, info.owner, info.client}, way);
    tags_.clear(way);
}

template <class Contract>
void BasicL1Data<Contract>::invalidate(std::uint32_t way, SectorMask sectors, bool evicts_copy, bool detaches_fill) {
    if (way == kNoWay) {
        return;
    }
    LineInfo& info = tags_.info(way);
    const auto fills = static_cast<SectorMask>(info.awaited & sectors);
    const auto copies = static_cast<SectorMask>(info.valid & sectors);
    if (copies != 0 && evicts_copy) {
        ++counters_.invalidations;
        info.valid &= static_cast<SectorMask>(~copies);
        if (info.valid == 0) {
            emit(L1EventKind::invalidate, {tags_.line(way), info.pc, info.owner, info.client}, way);
        }
    }
    if (fills != 0 && detaches_fill) {
        detach(way, fills);
    }
    clear_if_empty(way);
}

/// Gives the way back when nothing of its line is held or awaited.
template <class Contract>
void BasicL1Data<Contract>::clear_if_empty(std::uint32_t way) {
    if ((tags_.info(way).valid | tags_.info(way).awaited) == 0 && !tags_.info(way).dirty) {
        tags_.clear(way);
    }
}

template <class Contract>
void BasicL1Data<Contract>::store(const L1Access& access, const ByteMask& mask, const std::byte* line_data,
                                  std::uint32_t tag) {
    const std::uint32_t way = tags_.find(access.line);
    const SectorMask sectors = sectored_ ? sectors_of(mask) : kAllSectors;
    ++counters_.stores;
    counters_.local_stores += is_local(access.line);
    counters_.store_hits += way != kNoWay && (tags_.info(way).valid & sectors) != 0;
    if (!writes_through(access.line)) {
        invalidate(way, sectors, Contract::store_evicts_copy, Contract::store_detaches_pending_fill);
    } else if (way != kNoWay) {
        store_through(way, sectors, mask, line_data);
    }
    send_write(access.line, mask, line_data, tag);
}

template <class Contract>
void BasicL1Data<Contract>::send_write(std::uint64_t line, const ByteMask& mask, const std::byte* line_data,
                                       std::uint32_t tag) {
    const std::uint32_t words = words_of(mask);
    const auto count = static_cast<std::uint32_t>(std::popcount(words));
    const WriteRequest message{.line = line, .mask = mask, .tag = tag, .words = count};
    std::byte* payload = queue_.push(line, GpuMessage::write_request, sizeof message + 4 * count);
    std::memcpy(payload, &message, sizeof message);
    pack_words(payload + sizeof message, line_data, words);
}

/// A line that is not there gets a way for the bytes alone: nothing is fetched on a write. The words of a warp's lanes
/// are side by side in local memory, so that a store of all lanes writes whole lines, which nobody would read. A load of
/// bytes that no store has brought fetches the line later, and its fill goes around the dirty ones.
///
/// A fill under way serves those who waited for it before the store, and they are not to see it. So it is detached; but
/// where it goes around dirty bytes, they are to see those, and the store waits for it.
template <class Contract>
L1StoreResult BasicL1Data<Contract>::store_local(const L1Access& access, const ByteMask& mask,
                                                 const std::byte* line_data, std::uint32_t tag) {
    std::uint32_t way = tags_.find(access.line);
    const SectorMask sectors = sectored_ ? sectors_of(mask) : kAllSectors;
    const bool was_there = way != kNoWay;
    const SectorMask valid = was_there ? tags_.info(way).valid : SectorMask{0};
    const SectorMask awaited = was_there ? tags_.info(way).awaited & sectors : SectorMask{0};
    if (Contract::local_store_waits_for_dirty_fill && awaited != 0 && (dirty_[way] & bytes_of(awaited)).any()) {
        return store_stall(ReservationFailure::pending_store);
    }
    const ByteMask through = allocates_for_stores_ ? ByteMask{} : without(mask, bytes_of(valid));
    if (through.any()) {
        if (queue_.full()) {
            return store_stall(ReservationFailure::miss_queue_full);
        }
        send_write(access.line, through, line_data, tag);
    }
    const ByteMask kept = without(mask, through);
    if (!was_there && kept.any()) {
        way = place_for(access);
        if (way == kNoWay) {
            return store_stall(ReservationFailure::no_line);
        }
        if (tags_.line(way) != kNoLine && tags_.info(way).dirty && queue_.full()) {
            return store_stall(ReservationFailure::miss_queue_full);
        }
        make_room(way);
        tags_.assign(way, access.line, {.pc = access.pc, .owner = access.warp, .client = access.client});
        replacement_->reserve(way / tags_.ways(), way % tags_.ways());
        emit(L1EventKind::allocate, access, way);
    }
    ++counters_.stores;
    ++counters_.local_stores;
    counters_.store_hits += (valid & sectors) != 0;
    if (kept.any()) {
        counters_.local_store_hits += was_there;
        copy_masked(data_[way].bytes, line_data, kept);
        if (Contract::local_store_marks_its_bytes) {
            mark_dirty(way, kept);
        }
        touch(way);
    }
    if (awaited != 0 && Contract::local_store_detaches_pending_fill) {
        detach(way, awaited);
    }
    return {through.any() ? L1Answer::miss : L1Answer::hit, {}};
}

template <class Contract>
L1StoreResult BasicL1Data<Contract>::clean_for_atomic(const L1Access& access) {
    const std::uint32_t way = tags_.find(access.line);
    if (way == kNoWay || !tags_.info(way).dirty) {
        return {L1Answer::hit, {}};
    }
    if ((dirty_[way] & bytes_of(tags_.info(way).awaited)).any()) {
        return store_stall(ReservationFailure::pending_store);
    }
    send_dirty_bytes(way);
    clear_if_empty(way);
    return queue_.full() ? store_stall(ReservationFailure::write_back) : L1StoreResult{L1Answer::hit, {}};
}

template <class Contract>
void BasicL1Data<Contract>::store_through(std::uint32_t way, SectorMask sectors, const ByteMask& mask,
                                          const std::byte* line_data) {
    const auto only = [&](SectorMask some) { return mask & bytes_of(some); };
    const LineInfo& info = tags_.info(way);
    if (const auto copies = static_cast<SectorMask>(info.valid & sectors); copies != 0) {
        if constexpr (Contract::store_updates_copy) {
            copy_masked(data_[way].bytes, line_data, only(copies));
        }
        touch(way);
    }
    if constexpr (!Contract::store_merges_into_pending_fill) {
        return;
    }
    for (unsigned left = info.awaited & sectors; left != 0;) {
        const std::uint32_t mshr = info.mshr(static_cast<SectorMask>(left));
        const auto of_fill = static_cast<SectorMask>(left & mshrs_[mshr].installs);
        left &= ~unsigned{of_fill};
        if (mshrs_.has_room_for_store(mshr)) {
            mshrs_.add_store(mshr, only(of_fill), line_data);
            ++counters_.merged_stores;
        } else {
            detach(way, of_fill);
        }
    }
}

template <class Contract>
std::byte* BasicL1Data<Contract>::atomic(const L1Access& access, std::size_t payload_bytes) {
    ++counters_.atomics;
    invalidate(tags_.find(access.line), access.sectors, Contract::atomic_evicts_copy,
               Contract::atomic_detaches_pending_fill);
    return queue_.push(access.line, GpuMessage::atomic_request, payload_bytes);
}

template <class Contract>
template <class Serve>
void BasicL1Data<Contract>::fill(const ReadReply& reply, const std::byte* data, Serve&& serve) {
    const Mshr mshr = mshrs_[reply.tag];
    LOOKAHEAD_ASSERT(mshr.line == reply.line && mshr.sectors == reply.sectors,
                     "a reply for another line, or other sectors, than its MSHR asked for");
    ++counters_.fills;
    speculative_ -= mshr.client != Client::demand;
    const SectorMask installs = Contract::detached_sectors_stay_out || mshr.detached() ? mshr.installs : mshr.sectors;
    const bool dirty = !mshr.detached() && tags_.info(mshr.way).dirty;
    LineData scratch;
    std::byte* line = installs == mshr.sectors && !dirty ? data_[mshr.way].bytes : scratch.bytes;
    unpack(line, data, mshr.sectors);
    if (Contract::fill_keeps_dirty_bytes && dirty) [[unlikely]] {
        copy_masked(line, data_[mshr.way].bytes, dirty_[mshr.way] & bytes_of(installs));
    }
    mshrs_.template walk<Contract::merged_stores_keep_their_place>(reply.tag, line, serve);
    mshrs_.release(reply.tag);
    if (mshr.detached()) {
        ++counters_.detached_fills;
        return;
    }
    if (line == scratch.bytes) {
        copy_masked(data_[mshr.way].bytes, line, bytes_of(installs));
    }
    LineInfo& info = tags_.info(mshr.way);
    info.awaited &= static_cast<SectorMask>(~mshr.installs);
    info.valid |= installs;
    emit(L1EventKind::fill, {mshr.line, mshr.pc, mshr.warp, mshr.client}, mshr.way);
}

/// Puts the sectors, packed as a ReadReply carries them, into their places.
template <class Contract>
void BasicL1Data<Contract>::unpack(std::byte* line, const std::byte* data, SectorMask sectors) {
    if (sectors == kAllSectors) {
        std::memcpy(line, data, kLineBytes);
        return;
    }
    for (unsigned left = sectors; left != 0; left &= left - 1) {
        std::memcpy(line + kSectorBytes * static_cast<unsigned>(std::countr_zero(left)), data, kSectorBytes);
        data += kSectorBytes;
    }
}

template <class Contract>
void BasicL1Data<Contract>::start_generation() {
    ++counters_.generations;
    for (std::uint32_t way = 0; way < tags_.size(); ++way) {
        const std::uint64_t line = tags_.line(way);
        if (line == kNoLine || (Contract::generation_keeps_local_lines && keeps_stores_to(line))) {
            continue;
        }
        if (!Contract::generation_keeps_local_lines) {
            forget_dirty_bytes(way);
        }
        invalidate(way, kAllSectors, Contract::generation_drops_copies, Contract::generation_detaches_fills);
    }
}

template <class Contract>
void BasicL1Data<Contract>::begin_kernel() {
    for (std::uint32_t way = 0; way < tags_.size(); ++way) {
        if (tags_.line(way) == kNoLine || !keeps_stores_to(tags_.line(way))) {
            continue;
        }
        counters_.discarded_bytes += count_of(dirty_[way]);
        forget_dirty_bytes(way);
        invalidate(way, kAllSectors, true, true);
    }
    start_generation();
}

template <class Contract>
bool BasicL1Data<Contract>::pin(std::uint64_t line) {
    const std::uint32_t way = tags_.find(line);
    if (way == kNoWay || tags_.info(way).pending()) {
        return false;
    }
    if (tags_.info(way).pins == 0) {
        const std::uint32_t first = way - way % tags_.ways();
        unsigned pinned = 0;
        for (std::uint32_t other = first; other < first + tags_.ways(); ++other) {
            pinned += tags_.info(other).pins != 0;
        }
        if (pinned >= pin_limit_) {
            return false;
        }
    }
    ++tags_.info(way).pins;
    return true;
}

template <class Contract>
void BasicL1Data<Contract>::unpin(std::uint64_t line) {
    const std::uint32_t way = tags_.find(line);
    if (way != kNoWay && tags_.info(way).pins > 0) {
        --tags_.info(way).pins;
    }
}

template <class Contract>
void BasicL1Data<Contract>::fields(StateArchive& archive) {
    archive& tags_;
    for (LineData& each : data_) {
        archive.plain(each);
    }
    for (ByteMask& each : dirty_) {
        archive.plain(each);
    }
    archive& mshrs_& queue_& speculative_;
    replacement_->fields(archive);
    archive& counters_;
}

}  // namespace lookahead::gpu
