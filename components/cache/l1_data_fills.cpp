// Fills that come or are detached, and copies that are dropped.
#include <bit>
#include <cstring>

#include "components/cache/l1_data.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

/// Afterwards the line's bytes are together, for the waiters to see.
void L1Data::begin_fill(const ReadReply& reply, const std::byte* data, Arrival& arrival) {
    const Mshr& mshr = arrival.mshr = mshrs_[reply.tag];
    LOOKAHEAD_ASSERT(mshr.line == reply.line && mshr.sectors == reply.sectors,
                     "a reply for another line, or other sectors, than its MSHR asked for");
    ++counters_.fills;
    speculative_ -= mshr.client != Client::demand;
    arrival.installs = mshr.installs;
    const bool dirty = !mshr.detached() && tags_.info(mshr.way).dirty;
    const bool in_place = arrival.installs == mshr.sectors && !dirty;
    arrival.line = in_place ? data_[mshr.way].bytes : arrival.scratch.bytes;
    unpack(arrival.line, data, mshr.sectors);
    if (LOOKAHEAD_RULE(fill_keeps_dirty_bytes) && dirty) [[unlikely]] {
        copy_masked(arrival.line, data_[mshr.way].bytes, dirty_[mshr.way] & bytes_of(arrival.installs));
    }
}

[[gnu::hot]] void L1Data::end_fill(std::uint32_t tag, const Arrival& arrival) {
    const Mshr& mshr = arrival.mshr;
    mshrs_.release(tag);
    if (mshr.detached()) {
        ++counters_.detached_fills;
        return;
    }
    if (arrival.line == arrival.scratch.bytes) {
        copy_masked(data_[mshr.way].bytes, arrival.line, bytes_of(arrival.installs));
    }
    LineInfo& info = tags_.info(mshr.way);
    const bool comes_into_set = lines_of_set_ != 0 && !holds_bytes(mshr.way);
    info.awaited &= static_cast<SectorMask>(~mshr.installs);
    info.valid |= arrival.installs;
    emit(L1EventKind::fill, {mshr.line, mshr.pc, mshr.warp, mshr.client}, mshr.way);
    if (comes_into_set) { settle(mshr.way); }
}

/// Puts the sectors, packed as a ReadReply carries them, into their places.
void L1Data::unpack(std::byte* line, const std::byte* data, SectorMask sectors) {
    if (sectors == kAllSectors) {
        std::memcpy(line, data, kLineBytes);
        return;
    }
    for (unsigned left = sectors; left != 0; left &= left - 1) {
        std::memcpy(line + kSectorBytes * static_cast<unsigned>(std::countr_zero(left)), data, kSectorBytes);
        data += kSectorBytes;
    }
}

/// The fills of these awaited sectors serve those who wait for them already; nothing joins them, and the sectors are
/// not installed.
void L1Data::detach(std::uint32_t way, SectorMask sectors) {
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

void L1Data::invalidate(std::uint32_t way, SectorMask sectors) {
    LineInfo& info = tags_.info(way);
    const auto fills = static_cast<SectorMask>(info.awaited & sectors);
    const auto copies = static_cast<SectorMask>(info.valid & sectors);
    if (copies != 0 && LOOKAHEAD_RULE(invalidation_drops_copies)) {
        ++counters_.invalidations;
        info.valid &= static_cast<SectorMask>(~copies);
        if (info.valid == 0) {
            emit(L1EventKind::invalidate, {tags_.line(way), info.pc, info.owner, info.client}, way);
        }
    }
    if (fills != 0 && LOOKAHEAD_RULE(invalidation_detaches_fills)) { detach(way, fills); }
    clear_if_empty(way);
}

/// Gives the way back when nothing of its line is held or awaited.
void L1Data::clear_if_empty(std::uint32_t way) {
    const LineInfo& info = tags_.info(way);
    if ((info.valid | info.awaited) == 0 && !info.dirty) {
        if (info.pins != 0) [[unlikely]] { locks_.lose(way); }
        tags_.clear(way);
    }
}

void L1Data::start_generation() {
    ++counters_.generations;
    for (std::uint32_t way = 0; way < tags_.size(); ++way) {
        const std::uint64_t line = tags_.line(way);
        if (line != kNoLine && !keeps_stores_to(line) && LOOKAHEAD_RULE(generation_invalidates)) {
            invalidate(way, kAllSectors);
        }
    }
}

void L1Data::begin_kernel() {
    for (std::uint32_t way = 0; way < tags_.size(); ++way) {
        if (tags_.line(way) == kNoLine || !keeps_stores_to(tags_.line(way))) { continue; }
        counters_.discarded_bytes += count_of(dirty_[way]);
        forget_dirty_bytes(way);
        invalidate(way, kAllSectors);
    }
    start_generation();
}

}  // namespace lookahead::gpu
