// Stores, atomics, and what the companion writes back.

#include "components/cache/l1_data.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

void L1Data::store(const L1Access& access, const ByteMask& mask, const std::byte* line_data, std::uint32_t tag) {
    const std::uint32_t way = lines_.find(access.line);
    const SectorMask sectors = lines_.touched(mask);
    ++counters_.stores;
    counters_.local_stores += is_local(access.line);
    const bool hits = way != kNoWay && (lines_.info(way).valid & sectors) != 0;
    counters_.store_hits += hits;
    sets_.emit(hits ? L1EventKind::hit : L1EventKind::miss, access, way, L1Operation::store);
    // A locked line was fetched for a load of this SM, which must find it.
    const bool is_locked = LOOKAHEAD_RULE(store_updates_locked_line) && way != kNoWay && lines_.info(way).pins != 0;
    if (way != kNoWay && ((is_local(access.line) ? local_ : global_).updates || is_locked)) {
        store_through(way, sectors, mask, line_data);
    } else if (way != kNoWay && LOOKAHEAD_RULE(store_invalidates)) {
        sets_.invalidate(way, sectors);
    }
    writer_.write(access.line, mask, line_data, tag);
}

void L1Data::store_through(std::uint32_t way, SectorMask sectors, const ByteMask& mask, const std::byte* line_data) {
    const auto only = [&](SectorMask some) { return mask & bytes_of(some); };
    const LineInfo& info = lines_.info(way);
    if (const auto copies = static_cast<SectorMask>(info.valid & sectors);
        copies != 0 && LOOKAHEAD_RULE(store_updates_copy)) {
        copy_bytes(lines_.bytes(way), line_data, only(copies));
        sets_.touch(way);
    }
    for (unsigned left = info.awaited & sectors; left != 0 && LOOKAHEAD_RULE(store_merges_into_pending_fill);) {
        const std::uint32_t mshr = info.mshr(static_cast<SectorMask>(left));
        const auto of_fill = static_cast<SectorMask>(left & mshrs_[mshr].installs);
        left &= ~unsigned{of_fill};
        if (mshrs_.has_room_for_store(mshr)) {
            mshrs_.add_store(mshr, only(of_fill), line_data);
            ++counters_.merged_stores;
        } else {
            sets_.detach(way, of_fill);
        }
    }
}

/// An absent line gets a way for the stored bytes alone: write_back fetches nothing on a write. The words of a warp's
/// lanes are adjacent in local memory, so a store of all lanes writes whole lines and a fetch would be wasted. A later
/// load of other bytes fetches the line; its fill goes around the dirty bytes. Under write_back_fetch a store to a part
/// of a line requests the line and does not wait for it.
///
/// The waiters of a fill under way precede the store and must not see it, so the fill is detached. But if it goes
/// around dirty bytes, the waiters must see those, and the store waits for the fill. A fill without waiters goes around
/// the new bytes as well.
L1StoreResult L1Data::store_local(const L1Access& access, const ByteMask& mask, const std::byte* line_data,
                                  std::uint32_t tag) {
    LocalStore store = plan(access, mask);
    const bool was_there = store.way != kNoWay;
    const bool stays = store.kept.any();
    if (LOOKAHEAD_RULE(local_store_waits_for_dirty_fill) && store.goes_around &&
        somebody_waits(store.way, store.awaited)) {
        return L1StoreResult::stall(ReservationFailure::pending_store);
    }
    if (store.fetched != 0 && mshrs_.full()) { return L1StoreResult::stall(ReservationFailure::no_mshr); }
    if ((store.fetched != 0 || store.through.any()) && queue_.full()) {
        return L1StoreResult::stall(ReservationFailure::miss_queue_full);
    }
    if (store.through.any()) { writer_.write(access.line, store.through, line_data, tag); }
    if (stays) {
        const L1StoreResult room = make_room_for(access, store);
        if (room.answer == L1Answer::stall) { return room; }
    }
    // Making room has taken the last place in the queue.
    if (store.fetched != 0 && queue_.full()) { return L1StoreResult::stall(ReservationFailure::write_back); }
    if (stays && !was_there) { sets_.assign(store.way, access); }
    sets_.emit(!stays      ? L1EventKind::miss
               : was_there ? L1EventKind::hit
                           : L1EventKind::allocate,
               access, store.way, L1Operation::store);
    ++counters_.stores;
    ++counters_.local_stores;
    counters_.store_hits += (store.valid & lines_.touched(mask)) != 0;
    if (stays) {
        counters_.local_store_hits += was_there;
        counters_.dirtied_bytes += lines_.write_dirty(store.way, store.kept, line_data);
        sets_.touch(store.way);
    }
    const auto left =
        static_cast<SectorMask>(store.goes_around ? store.awaited & lines_.info(store.way).valid : store.awaited);
    if (left != 0 && LOOKAHEAD_RULE(local_store_detaches_pending_fill)) { sets_.detach(store.way, left); }
    if (store.fetched != 0) {
        L1Access rest = access;
        rest.sectors = store.fetched;
        send_read(rest, {}, store.way);
        ++counters_.store_fetches;
    }
    return {store.through.any() ? L1Answer::miss : L1Answer::hit, {}};
}

L1Data::LocalStore L1Data::plan(const L1Access& access, const ByteMask& mask) const {
    const std::uint32_t way = lines_.find(access.line);
    const SectorMask sectors = lines_.touched(mask);
    const LineInfo info = way == kNoWay ? LineInfo{} : lines_.info(way);
    const auto awaited = static_cast<SectorMask>(info.awaited & sectors);
    const bool goes_around = awaited != 0 && (lines_.dirty(way) & bytes_of(awaited)).any();
    const auto there = static_cast<SectorMask>(info.valid | (goes_around ? awaited : 0));
    const auto absent = static_cast<SectorMask>(sectors & ~there);
    const ByteMask through = local_.allocates ? ByteMask{} : without(mask, bytes_of(info.valid));
    return {.way = way,
            .valid = info.valid,
            .awaited = awaited,
            .goes_around = goes_around,
            .fetched = local_.fetches ? lines_.lacking(way, absent, mask) : SectorMask{0},
            .through = through,
            .kept = without(mask, through)};
}

/// Finds a way for a store whose line is absent, and makes room for its bytes.
L1StoreResult L1Data::make_room_for(const L1Access& access, LocalStore& store) {
    const bool was_there = store.way != kNoWay;
    if (sets_.shares().lines_of_set() != 0 && !(was_there && lines_.holds_bytes(store.way))) {
        const L1StoreResult room = sets_.make_room_for_stored(lines_.set_of(access.line));
        if (room.answer == L1Answer::stall) { return room; }
    }
    if (was_there) { return {L1Answer::hit}; }
    store.way = sets_.place_for(access);
    if (store.way == kNoWay) { return L1StoreResult::stall(ReservationFailure::no_line); }
    if (lines_.line(store.way) != kNoLine && lines_.info(store.way).dirty && queue_.full()) {
        return L1StoreResult::stall(ReservationFailure::miss_queue_full);
    }
    sets_.make_room(store.way);
    return {L1Answer::hit};
}

/// Whether a fill of one of these awaited sectors has waiters.
bool L1Data::somebody_waits(std::uint32_t way, SectorMask sectors) const {
    for (unsigned left = sectors; left != 0; left &= left - 1) {
        if (mshrs_[lines_.info(way).mshr(static_cast<SectorMask>(left))].listed != 0) { return true; }
    }
    return false;
}

L1StoreResult L1Data::clean_for_atomic(const L1Access& access) {
    const std::uint32_t way = lines_.find(access.line);
    if (way == kNoWay || !lines_.info(way).dirty) { return {L1Answer::hit}; }
    if ((lines_.dirty(way) & bytes_of(lines_.info(way).awaited)).any()) {
        return L1StoreResult::stall(ReservationFailure::pending_store);
    }
    // The companion has given up the line and may not take these bytes: L2 needs them before the atomic.
    writer_.write_dirty(way);
    sets_.clear_if_empty(way);
    return queue_.full() ? L1StoreResult::stall(ReservationFailure::write_back) : L1StoreResult{L1Answer::hit};
}

std::byte* L1Data::atomic(const L1Access& access, std::size_t payload_bytes) {
    ++counters_.atomics;
    const std::uint32_t way = lines_.find(access.line);
    sets_.emit(L1EventKind::miss, access, way, L1Operation::atomic);
    if (way != kNoWay && LOOKAHEAD_RULE(atomic_invalidates)) { sets_.invalidate(way, access.sectors); }
    return queue_.push(access.line, GpuMessage::atomic_request, payload_bytes);
}

bool L1Data::write_back(std::uint64_t line, WordMask words, const std::byte* data) {
    if (queue_.full()) { return false; }
    const std::uint32_t way = lines_.find(line);
    const ByteMask own = bytes_of_words(words);
    if (way == kNoWay) {
        if (own.any()) { writer_.write(line, own, data, kWriteBackTag); }
        return true;
    }
    const LineInfo& info = lines_.info(way);
    if (info.dirty && (lines_.dirty(way) & bytes_of(info.awaited)).any()) { return false; }
    writer_.write_together(way, own, data);
    sets_.invalidate(way, kAllSectors);
    return true;
}

}  // namespace lookahead::gpu
