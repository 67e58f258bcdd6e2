// What stores and atomics do to lines, and the dirty bytes of local memory.
#include <bit>
#include <cstring>

#include "components/cache/l1_data.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

void L1Data::store(const L1Access& access, const ByteMask& mask, const std::byte* line_data, std::uint32_t tag) {
    const std::uint32_t way = tags_.find(access.line);
    const SectorMask sectors = sectored_ ? sectors_of(mask) : kAllSectors;
    ++counters_.stores;
    counters_.local_stores += is_local(access.line);
    const bool hits = way != kNoWay && (tags_.info(way).valid & sectors) != 0;
    counters_.store_hits += hits;
    emit(hits ? L1EventKind::hit : L1EventKind::miss, access, way, L1Operation::store);
    // Whoever locked it has asked for it on behalf of a load of this SM, which is to find it.
    const bool is_locked = LOOKAHEAD_RULE(store_updates_locked_line) && way != kNoWay && tags_.info(way).pins != 0;
    if (way != kNoWay && (writes_through(access.line) || is_locked)) {
        store_through(way, sectors, mask, line_data);
    } else if (way != kNoWay && LOOKAHEAD_RULE(store_invalidates)) {
        invalidate(way, sectors);
    }
    send_write(access.line, mask, line_data, tag);
}

void L1Data::send_write(std::uint64_t line, const ByteMask& mask, const std::byte* line_data, std::uint32_t tag) {
    const std::uint32_t words = words_of(mask);
    const auto count = static_cast<std::uint32_t>(std::popcount(words));
    const WriteRequest message{.line = line, .mask = mask, .tag = tag, .words = count};
    std::byte* payload = queue_.push(line, GpuMessage::write_request, sizeof message + 4 * count);
    std::memcpy(payload, &message, sizeof message);
    pack_words(payload + sizeof message, line_data, words);
}

/// A line that is not there gets a way for the bytes alone: under write_back nothing is fetched on a write. The words
/// of a warp's lanes are side by side in local memory, so that a store of all lanes writes whole lines, which nobody
/// would read. A load of bytes that no store has brought fetches the line later, and its fill goes around the dirty
/// ones. Under write_back_fetch the store of a part asks for the line itself, and waits for nothing.
///
/// A fill under way serves those who waited for it before the store, and they are not to see it. So it is detached; but
/// where it goes around dirty bytes, they are to see those, and the store waits for it. A fill for which nobody waits
/// goes around these bytes as well.
L1StoreResult L1Data::store_local(const L1Access& access, const ByteMask& mask, const std::byte* line_data,
                                  std::uint32_t tag) {
    std::uint32_t way = tags_.find(access.line);
    const SectorMask sectors = sectored_ ? sectors_of(mask) : kAllSectors;
    const bool was_there = way != kNoWay;
    const SectorMask valid = was_there ? tags_.info(way).valid : SectorMask{0};
    const SectorMask awaited = was_there ? tags_.info(way).awaited & sectors : SectorMask{0};
    const bool goes_around = awaited != 0 && (dirty_[way] & bytes_of(awaited)).any();
    if (LOOKAHEAD_RULE(local_store_waits_for_dirty_fill) && goes_around && somebody_waits(way, awaited)) {
        return store_stall(ReservationFailure::pending_store);
    }
    const SectorMask fetched =
        fetches_for_stores_ ? lacking(way, sectors & ~(valid | (goes_around ? awaited : 0)), mask) : SectorMask{0};
    if (fetched != 0 && mshrs_.full()) { return store_stall(ReservationFailure::no_mshr); }
    if (fetched != 0 && queue_.full()) { return store_stall(ReservationFailure::miss_queue_full); }
    const ByteMask through = allocates_for_stores_ ? ByteMask{} : without(mask, bytes_of(valid));
    if (through.any()) {
        if (queue_.full()) { return store_stall(ReservationFailure::miss_queue_full); }
        send_write(access.line, through, line_data, tag);
    }
    const ByteMask kept = without(mask, through);
    if (lines_of_set_ != 0 && kept.any() && !(was_there && holds_bytes(way))) {
        if (const L1StoreResult room = make_room_for_stored(tags_.set_of(access.line));
            room.answer == L1Answer::stall) {
            return room;
        }
    }
    const bool takes_way = !was_there && kept.any();
    if (takes_way) {
        way = place_for(access);
        if (way == kNoWay) { return store_stall(ReservationFailure::no_line); }
        if (tags_.line(way) != kNoLine && tags_.info(way).dirty && queue_.full()) {
            return store_stall(ReservationFailure::miss_queue_full);
        }
        make_room(way);
    }
    // What made room has taken the last place in the queue.
    if (fetched != 0 && queue_.full()) { return store_stall(ReservationFailure::write_back); }
    if (takes_way) {
        tags_.assign(way, access.line, {.pc = access.pc, .owner = access.warp, .client = access.client});
        replacement_->reserve(way / tags_.ways(), way % tags_.ways());
        emit(L1EventKind::allocate, access, way, L1Operation::store);
    } else {
        emit(kept.any() ? L1EventKind::hit : L1EventKind::miss, access, way, L1Operation::store);
    }
    ++counters_.stores;
    ++counters_.local_stores;
    counters_.store_hits += (valid & sectors) != 0;
    if (kept.any()) {
        counters_.local_store_hits += was_there;
        copy_masked(data_[way].bytes, line_data, kept);
        mark_dirty(way, kept);
        touch(way);
    }
    if (const SectorMask left = goes_around ? awaited & tags_.info(way).valid : awaited;
        left != 0 && LOOKAHEAD_RULE(local_store_detaches_pending_fill)) {
        detach(way, left);
    }
    if (fetched != 0) { fetch_rest(access, fetched, way); }
    return {through.any() ? L1Answer::miss : L1Answer::hit, {}};
}

void L1Data::store_through(std::uint32_t way, SectorMask sectors, const ByteMask& mask, const std::byte* line_data) {
    const auto only = [&](SectorMask some) { return mask & bytes_of(some); };
    const LineInfo& info = tags_.info(way);
    if (const auto copies = static_cast<SectorMask>(info.valid & sectors);
        copies != 0 && LOOKAHEAD_RULE(store_updates_copy)) {
        copy_masked(data_[way].bytes, line_data, only(copies));
        touch(way);
    }
    for (unsigned left = info.awaited & sectors; left != 0 && LOOKAHEAD_RULE(store_merges_into_pending_fill);) {
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

L1StoreResult L1Data::clean_for_atomic(const L1Access& access) {
    const std::uint32_t way = tags_.find(access.line);
    if (way == kNoWay || !tags_.info(way).dirty) { return {L1Answer::hit, {}}; }
    if ((dirty_[way] & bytes_of(tags_.info(way).awaited)).any()) {
        return store_stall(ReservationFailure::pending_store);
    }
    // The companion has given the line up, and may not take these bytes: L2 is to have them before the atomic.
    send_own_bytes(way);
    clear_if_empty(way);
    return queue_.full() ? store_stall(ReservationFailure::write_back) : L1StoreResult{L1Answer::hit, {}};
}

std::byte* L1Data::atomic(const L1Access& access, std::size_t payload_bytes) {
    ++counters_.atomics;
    const std::uint32_t way = tags_.find(access.line);
    emit(L1EventKind::miss, access, way, L1Operation::atomic);
    if (way != kNoWay && LOOKAHEAD_RULE(atomic_invalidates)) { invalidate(way, access.sectors); }
    return queue_.push(access.line, GpuMessage::atomic_request, payload_bytes);
}

/// Sectors of which every byte is dirty are valid.
void L1Data::mark_dirty(std::uint32_t way, const ByteMask& mask) {
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

void L1Data::send_dirty_bytes(std::uint32_t way) {
    if (companion_ != nullptr) [[unlikely]] { return send_eviction(way); }
    send_own_bytes(way);
}

void L1Data::send_own_bytes(std::uint32_t way) {
    send_write(tags_.line(way), dirty_[way], data_[way].bytes, kWriteBackTag);
    ++counters_.write_backs;
    counters_.written_back_bytes += count_of(dirty_[way]);
    forget_dirty_bytes(way);
}

/// What the companion leaves of the dirty bytes, or adds to them.
void L1Data::send_eviction(std::uint32_t way) {
    alignas(64) std::byte bytes[kLineBytes];
    std::memcpy(bytes, data_[way].bytes, kLineBytes);
    const ByteMask mask = companion_->evicting(tags_.line(way), dirty_[way], bytes);
    if (mask.any()) { send_write(tags_.line(way), mask, bytes, kWriteBackTag); }
    const unsigned written = count_of(dirty_[way] & mask);
    counters_.write_backs += written != 0;
    counters_.written_back_bytes += written;
    counters_.discarded_bytes += count_of(dirty_[way]) - written;
    forget_dirty_bytes(way);
}

void L1Data::forget_dirty_bytes(std::uint32_t way) {
    dirty_[way] = {};
    tags_.info(way).dirty = false;
}

std::uint64_t L1Data::dirty_bytes() const {
    std::uint64_t count = 0;
    for (const ByteMask& each : dirty_) { count += count_of(each); }
    return count;
}

}  // namespace lookahead::gpu
