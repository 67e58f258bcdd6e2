#include "components/cache/l1_data.h"

#include <bit>
#include <cstring>

#include "core/error/error.h"
#include "core/lp/audit.h"
#include "core/mutation/rule.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

namespace {

/// Puts packed sectors of a ReadReply into their places.
void unpack(std::byte* line, const std::byte* data, SectorMask sectors) {
    if (sectors == kAllSectors) {
        std::memcpy(line, data, kLineBytes);
        return;
    }
    for (unsigned left = sectors; left != 0; left &= left - 1) {
        std::memcpy(line + kSectorBytes * static_cast<unsigned>(std::countr_zero(left)), data, kSectorBytes);
        data += kSectorBytes;
    }
}

}  // namespace

L1Data::L1Data(const L1Parameters& parameters, std::unique_ptr<ReplacementPolicy> replacement)
    : global_(parameters.write_policy),
      local_(parameters.local_write_policy),
      caches_global_loads_(parameters.cached_loads == "all"),
      speculative_limit_(static_cast<unsigned>(parameters.speculative_mshrs)),
      merged_stores_(static_cast<unsigned>(parameters.merged_stores)),
      lines_(parameters),
      mshrs_(static_cast<unsigned>(parameters.mshrs), static_cast<unsigned>(parameters.merges),
             global_.updates || local_.updates ? merged_stores_ : 0),
      queue_(static_cast<unsigned>(parameters.miss_queue), static_cast<unsigned>(parameters.miss_latency)),
      writer_(lines_, queue_, counters_),
      sets_(parameters, std::move(replacement), lines_, mshrs_, queue_, writer_, counters_) {
    parameters.check();
}

[[gnu::hot]] L1LoadResult L1Data::load(const L1Access& access, const Waiter& waiter) {
    const std::uint32_t way = lines_.find(access.line);
    if (way == kNoWay) { return miss(access, waiter, way); }
    const LineInfo& info = lines_.info(way);
    const bool hits = (access.sectors & ~info.valid) == 0;
    if (!hits && LOOKAHEAD_RULE(hit_needs_its_sectors) &&
        !(info.dirty && access.bytes != nullptr && lines_.holds(way, *access.bytes))) {
        LOOKAHEAD_DEBUG_ASSERT(alike(access.line, access.sectors) == access.sectors,
                               "a load of sectors that are in different states");
        return (access.sectors & info.awaited) != 0 ? merge(access, waiter, way) : miss(access, waiter, way);
    }
    sets_.touch(way);
    ++counters_.hits[client_index(access.client)];
    counters_.local_hits += is_local(access.line);
    sets_.emit(L1EventKind::hit, access, way);
    return {L1Answer::hit, {}, lines_.bytes(way)};
}

L1LoadResult L1Data::load_ordered(const L1Access& access, const Waiter& waiter) {
    if (keeps_stores_to(access.line)) { return load(access, waiter); }
    if (!mshr_free(access.client)) { return L1LoadResult::stall(ReservationFailure::no_mshr); }
    if (queue_.full()) { return L1LoadResult::stall(ReservationFailure::miss_queue_full); }
    if (const std::uint32_t way = lines_.find(access.line); way != kNoWay) { sets_.invalidate(way, access.sectors); }
    request(access, waiter, kNoWay);
    ++counters_.ordered_loads;
    return {L1Answer::miss};
}

L1LoadResult L1Data::load_and_lock(const L1Access& access, const Waiter& waiter, LineLock& lock) {
    LOOKAHEAD_ASSERT(!lock, "a load is to lock a line with a handle that holds another");
    if (locks().refuses(access.line, access.client)) { return L1LoadResult::stall(ReservationFailure::no_line); }
    const L1LoadResult result = load(access, waiter);
    if (result.answer != L1Answer::stall) { lock = locks().take(lines_.find(access.line)); }
    return result;
}

L1LoadResult L1Data::merge(const L1Access& access, const Waiter& waiter, std::uint32_t way) {
    const std::uint32_t entry = lines_.info(way).mshr(access.sectors);
    if (waiter.lanes != 0) {
        if (mshrs_.list_full(entry)) { return L1LoadResult::stall(ReservationFailure::merge_limit); }
        mshrs_.add_waiter(entry, waiter);
    }
    Mshr& mshr = mshrs_[entry];
    if (access.client == Client::demand && mshr.client != Client::demand) {
        mshr.client = Client::demand;
        --speculative_;
    }
    sets_.touch(way);
    ++counters_.merges[client_index(access.client)];
    sets_.emit(L1EventKind::merge, access, way);
    return {L1Answer::merge};
}

/// `way`: the line's way if the line is there without the sectors; else kNoWay.
[[gnu::hot]] L1LoadResult L1Data::miss(const L1Access& access, const Waiter& waiter, std::uint32_t way) {
    if (!mshr_free(access.client)) { return L1LoadResult::stall(ReservationFailure::no_mshr); }
    if (queue_.full()) { return L1LoadResult::stall(ReservationFailure::miss_queue_full); }
    if (way != kNoWay) {
        sets_.touch(way);
        ++counters_.sector_misses;
    } else if (caches_global_loads_ || is_local(access.line) || access.client != Client::demand) {
        way = sets_.place_for(access);
        if (way == kNoWay) { return L1LoadResult::stall(ReservationFailure::no_line); }
        if (!sets_.make_room(way) && queue_.full()) { return L1LoadResult::stall(ReservationFailure::write_back); }
    }
    request(access, waiter, way);
    return {L1Answer::miss};
}

[[gnu::hot]] SectorMask L1Data::alike(std::uint64_t line, SectorMask sectors) const {
    const std::uint32_t way = lines_.find(line);
    if (way == kNoWay) { return sectors; }
    const LineInfo& info = lines_.info(way);
    const auto lowest = static_cast<SectorMask>(sectors & -sectors);
    if ((lowest & info.awaited) != 0) { return sectors & mshrs_[info.mshr(lowest)].installs; }
    const bool valid = (lowest & info.valid) != 0;
    return static_cast<SectorMask>(sectors & (valid ? info.valid : ~(info.valid | info.awaited)));
}

[[gnu::hot]] void L1Data::request(const L1Access& access, const Waiter& waiter, std::uint32_t way) {
    send_read(access, waiter, way);
    ++counters_.misses[client_index(access.client)];
    counters_.local_misses += is_local(access.line);
    sets_.emit(L1EventKind::miss, access, way);
}

/// The fill is installed in `way`; with kNoWay it is detached from the start.
[[gnu::hot]] void L1Data::send_read(const L1Access& access, const Waiter& waiter, std::uint32_t way) {
    const std::uint32_t entry = mshrs_.allocate({.line = access.line,
                                                 .way = way,
                                                 .pc = access.pc,
                                                 .warp = access.warp,
                                                 .client = access.client,
                                                 .sectors = access.sectors,
                                                 .installs = way == kNoWay ? SectorMask{0} : access.sectors});
    if (waiter.lanes != 0) { mshrs_.add_waiter(entry, waiter); }
    speculative_ += access.client != Client::demand;
    if (way != kNoWay) {
        if (lines_.line(way) != access.line) { sets_.assign(way, access); }
        LineInfo& info = lines_.info(way);
        info.awaited |= access.sectors;
        for (unsigned left = access.sectors; left != 0; left &= left - 1) {
            info.mshrs[std::countr_zero(left)] = static_cast<std::uint16_t>(entry);
        }
    }
    const ReadRequest message{.line = access.line, .tag = entry, .client = access.client, .sectors = access.sectors};
    std::memcpy(queue_.push(access.line, GpuMessage::read_request, sizeof message), &message, sizeof message);
}

/// Assembles the line's bytes for the waiters.
void L1Data::begin_fill(const ReadReply& reply, const std::byte* data, Arrival& arrival) {
    const Mshr& mshr = arrival.mshr = mshrs_[reply.tag];
    LOOKAHEAD_ASSERT(mshr.line == reply.line && mshr.sectors == reply.sectors,
                     "a reply for another line, or other sectors, than its MSHR requested");
    ++counters_.fills;
    speculative_ -= mshr.client != Client::demand;
    arrival.installs = mshr.installs;
    const bool dirty = !mshr.detached() && lines_.info(mshr.way).dirty;
    const bool in_place = arrival.installs == mshr.sectors && !dirty;
    arrival.line = in_place ? lines_.bytes(mshr.way) : arrival.scratch;
    unpack(arrival.line, data, mshr.sectors);
    if (LOOKAHEAD_RULE(fill_keeps_dirty_bytes) && dirty) [[unlikely]] {
        copy_bytes(arrival.line, lines_.bytes(mshr.way), lines_.dirty(mshr.way) & bytes_of(arrival.installs));
    }
}

/// A fill may be taken only if L1 has nothing else of the line, so that no line is partly taken.
bool L1Data::may_be_taken(const Arrival& arrival) const {
    const Mshr& mshr = arrival.mshr;
    if (mshr.detached() || mshr.installs != mshr.sectors) { return false; }
    const LineInfo& info = lines_.info(mshr.way);
    return !info.dirty && info.valid == 0 && info.awaited == mshr.installs;
}

/// Keeps the fill of `tag` from being installed if it was taken. The companion may have detached it already, by writing
/// back older words of the line to make room.
void L1Data::give_away_if(bool taken, std::uint32_t tag, Arrival& arrival) {
    if (const Mshr& mshr = mshrs_[tag]; taken && !mshr.detached()) { sets_.detach(mshr.way, mshr.installs); }
    arrival.mshr = mshrs_[tag];
}

[[gnu::hot]] void L1Data::end_fill(std::uint32_t tag, const Arrival& arrival) {
    const Mshr& mshr = arrival.mshr;
    mshrs_.release(tag);
    if (mshr.detached()) {
        ++counters_.detached_fills;
        return;
    }
    if (arrival.line == arrival.scratch) {
        copy_bytes(lines_.bytes(mshr.way), arrival.line, bytes_of(arrival.installs));
    }
    LineInfo& info = lines_.info(mshr.way);
    const bool comes_into_set = sets_.shares().lines_of_set() != 0 && !lines_.holds_bytes(mshr.way);
    info.awaited &= static_cast<SectorMask>(~mshr.installs);
    info.valid |= arrival.installs;
    sets_.emit(L1EventKind::fill, {mshr.line, mshr.pc, mshr.warp, mshr.client}, mshr.way);
    if (comes_into_set) { sets_.settle(mshr.way); }
}

void L1Data::start_generation() {
    ++counters_.generations;
    for (std::uint32_t way = 0; way < lines_.size(); ++way) {
        const std::uint64_t line = lines_.line(way);
        if (line != kNoLine && !keeps_stores_to(line) && LOOKAHEAD_RULE(generation_invalidates)) {
            sets_.invalidate(way, kAllSectors);
        }
    }
}

void L1Data::begin_kernel() {
    for (std::uint32_t way = 0; way < lines_.size(); ++way) {
        if (lines_.line(way) == kNoLine || !keeps_stores_to(lines_.line(way))) { continue; }
        counters_.discarded_bytes += lines_.forget_dirty(way);
        sets_.invalidate(way, kAllSectors);
    }
    start_generation();
}

void L1Data::audit(Audit& audit, const std::string& name) const {
    audit.leak(name, "MSHRs of L1 that are not free", mshrs_.size() - mshrs_.free_entries());
    audit.leak(name, "places for stores that were merged into fills of L1", mshrs_.held_stores());
    audit.leak(name, "MSHRs of L1 that prefetches hold", speculative_);
    audit.leak(name, "locks of lines of L1 that are not released", sets_.locks().taken());
    audit.balance(name, "dirty bytes of local memory", counters_.dirtied_bytes,
                  counters_.written_back_bytes + counters_.discarded_bytes + lines_.dirty_bytes());
    for (std::uint32_t way = 0; way < lines_.size(); ++way) {
        audit.leak(name, "pins of a line of L1", lines_.info(way).pins);
        if (lines_.line(way) != kNoLine && lines_.info(way).pending()) {
            audit.fault(name, "a line of L1 awaits a fill that will not come");
        }
    }
}

void L1Data::fields(StateArchive& archive) {
    archive& lines_& mshrs_& queue_& speculative_& locks();
    archive& sets_& counters_;
}

LOOKAHEAD_REGISTER_STATISTICS(L1Counters, "l1d", "L1 data cache of an SM")

}  // namespace lookahead::gpu
