#include "components/cache/l1_sets.h"

#include <bit>
#include <cstring>

#include "core/mutation/rule.h"

namespace lookahead::gpu {

void L1Sets::announce(const L1Event& event) {
    for (L1Listener* listener : listeners_) { listener->on_l1_event(event); }
}

[[gnu::hot]] std::uint32_t L1Sets::place_for(const L1Access& access) const {
    const unsigned set = lines_.set_of(access.line);
    const TagArray::Choice choice = lines_.choice(set);
    const std::uint64_t mine = shares_.of(access.client);
    if (const std::uint64_t empty = choice.empty & mine; empty != 0) {
        return set * lines_.ways() + static_cast<unsigned>(std::countr_zero(empty));
    }
    if (shares_.lines_of_set() != 0 || (choice.replaceable & mine) == 0) { return kNoWay; }
    return set * lines_.ways() + replacement_->victim(set, choice.replaceable & mine);
}

void L1Sets::assign(std::uint32_t way, const L1Access& access) {
    lines_.assign(way, access.line, {.pc = access.pc, .owner = access.warp, .client = access.client});
    replacement_->reserve(way / lines_.ways(), way % lines_.ways());
}

bool L1Sets::make_room(std::uint32_t way) {
    if (lines_.line(way) == kNoLine) { return true; }
    const bool clean = !lines_.info(way).dirty;
    if (!clean && LOOKAHEAD_RULE(eviction_writes_back)) { writer_.evict_dirty(way); }
    drop(way);
    return clean;
}

/// Drops a line that has no awaited sectors and no dirty bytes.
[[gnu::hot]] void L1Sets::drop(std::uint32_t way) {
    ++counters_.evictions;
    const LineInfo& info = lines_.info(way);
    emit(L1EventKind::evict, {lines_.line(way), info.pc, info.owner, info.client}, way);
    lines_.clear(way);
}

void L1Sets::detach(std::uint32_t way, SectorMask sectors) {
    LineInfo& info = lines_.info(way);
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

void L1Sets::invalidate(std::uint32_t way, SectorMask sectors) {
    LineInfo& info = lines_.info(way);
    const auto fills = static_cast<SectorMask>(info.awaited & sectors);
    const auto copies = static_cast<SectorMask>(info.valid & sectors);
    if (copies != 0 && LOOKAHEAD_RULE(invalidation_drops_copies)) {
        ++counters_.invalidations;
        info.valid &= static_cast<SectorMask>(~copies);
        if (info.valid == 0) {
            emit(L1EventKind::invalidate, {lines_.line(way), info.pc, info.owner, info.client}, way);
        }
    }
    if (fills != 0 && LOOKAHEAD_RULE(invalidation_detaches_fills)) { detach(way, fills); }
    clear_if_empty(way);
}

void L1Sets::clear_if_empty(std::uint32_t way) {
    const LineInfo& info = lines_.info(way);
    if ((info.valid | info.awaited) == 0 && !info.dirty) {
        if (info.pins != 0) [[unlikely]] { locks_.lose(way); }
        lines_.clear(way);
    }
}

void L1Writer::write(std::uint64_t line, const ByteMask& mask, const std::byte* bytes, std::uint32_t tag) {
    const std::uint32_t words = words_of(mask);
    const auto count = static_cast<std::uint32_t>(std::popcount(words));
    const WriteRequest message{.line = line, .mask = mask, .tag = tag, .words = count};
    std::byte* payload = queue_.push(line, GpuMessage::write_request, sizeof message + 4 * count);
    std::memcpy(payload, &message, sizeof message);
    pack_words(payload + sizeof message, bytes, words);
}

void L1Writer::write_dirty(std::uint32_t way) {
    write(lines_.line(way), lines_.dirty(way), lines_.bytes(way), kWriteBackTag);
    ++counters_.write_backs;
    count_written(way, bytes_in(lines_.dirty(way)));
}

void L1Writer::evict_dirty(std::uint32_t way) {
    if (companion_ == nullptr) [[likely]] { return write_dirty(way); }
    alignas(64) std::byte bytes[kLineBytes];
    std::memcpy(bytes, lines_.bytes(way), kLineBytes);
    const ByteMask mask = companion_->evicting(lines_.line(way), lines_.dirty(way), bytes);
    if (mask.any()) { write(lines_.line(way), mask, bytes, kWriteBackTag); }
    const unsigned written = bytes_in(lines_.dirty(way) & mask);
    counters_.write_backs += written != 0;
    count_written(way, written);
}

void L1Writer::write_together(std::uint32_t way, const ByteMask& own, const std::byte* bytes) {
    const ByteMask rest = without(lines_.dirty(way), own);
    alignas(64) std::byte merged[kLineBytes] = {};
    copy_bytes(merged, lines_.bytes(way), rest);
    copy_bytes(merged, bytes, own);
    if ((own | rest).any()) { write(lines_.line(way), own | rest, merged, kWriteBackTag); }
    counters_.write_backs += rest.any() && !own.any();  // otherwise the message counts as the companion's
    count_written(way, bytes_in(rest));
}

/// The way's other dirty bytes are older than the companion's.
void L1Writer::count_written(std::uint32_t way, unsigned written) {
    counters_.written_back_bytes += written;
    counters_.discarded_bytes += lines_.forget_dirty(way) - written;
}

}  // namespace lookahead::gpu
