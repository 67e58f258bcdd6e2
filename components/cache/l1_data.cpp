#include "components/cache/l1_data.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/lp/audit.h"
#include "core/mutation/rule.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

L1Data::L1Data(const L1Parameters& parameters, std::unique_ptr<ReplacementPolicy> replacement)
    : caches_all_(parameters.cached_loads == "all"),
      write_through_(parameters.write_policy == "write_through"),
      local_through_(parameters.local_write_policy == "write_through"),
      keeps_local_stores_(parameters.local_write_policy.starts_with("write_back")),
      allocates_for_stores_(parameters.local_write_policy == "write_back" ||
                            parameters.local_write_policy == "write_back_fetch"),
      fetches_for_stores_(parameters.local_write_policy == "write_back_fetch"),
      sectored_(parameters.sector_bytes == kSectorBytes),
      speculative_limit_(static_cast<unsigned>(parameters.speculative_mshrs)),
      pin_limit_(static_cast<unsigned>(std::min(parameters.pinned_ways, parameters.ways - 1))),
      merged_stores_(static_cast<unsigned>(parameters.merged_stores)),
      lines_of_set_(parameters.pending_ways == 0 ? 0 : static_cast<unsigned>(parameters.ways)),
      prefetch_ways_(parameters.prefetch_ways == 0 ? ~std::uint64_t{0} : ~std::uint64_t{0} << parameters.ways),
      other_ways_(parameters.prefetch_ways == 0 ? ~std::uint64_t{0} : ~prefetch_ways_),
      ways_(static_cast<unsigned>(parameters.ways)),
      way_bytes_(static_cast<std::uint32_t>(parameters.sets * kLineBytes)),
      shared_sizes_(parameters.sizes_of_shared_memory()),
      tags_(SetIndex(parameters.indexing(), static_cast<unsigned>(parameters.sets)),
            static_cast<unsigned>(parameters.sets), static_cast<unsigned>(parameters.tags_per_set())),
      data_(tags_.size()),
      dirty_(tags_.size()),
      mshrs_(static_cast<unsigned>(parameters.mshrs), static_cast<unsigned>(parameters.merges),
             write_through_ || local_through_ ? static_cast<unsigned>(parameters.merged_stores) : 0),
      queue_(static_cast<unsigned>(parameters.miss_queue), static_cast<unsigned>(parameters.miss_latency)),
      replacement_(std::move(replacement)) {
    parameters.check();
}

[[gnu::hot]] L1LoadResult L1Data::load(const L1Access& access, const Waiter& waiter) {
    const std::uint32_t way = tags_.find(access.line);
    if (way == kNoWay) { return miss(access, waiter); }
    const LineInfo& info = tags_.info(way);
    const bool hits = (access.sectors & ~info.valid) == 0;
    if (!hits && LOOKAHEAD_RULE(hit_needs_its_sectors) &&
        !(info.dirty && access.bytes != nullptr && holds(way, *access.bytes))) {
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

L1LoadResult L1Data::load_ordered(const L1Access& access, const Waiter& waiter) {
    if (keeps_stores_to(access.line)) { return load(access, waiter); }
    if (!mshr_free(access.client)) { return stall(ReservationFailure::no_mshr); }
    if (queue_.full()) { return stall(ReservationFailure::miss_queue_full); }
    if (const std::uint32_t way = tags_.find(access.line); way != kNoWay) { invalidate(way, access.sectors); }
    request(access, waiter, kNoWay);
    ++counters_.ordered_loads;
    return {L1Answer::miss, {}, nullptr};
}

L1LoadResult L1Data::merge(const L1Access& access, const Waiter& waiter, std::uint32_t way) {
    const std::uint32_t entry = tags_.info(way).mshr(access.sectors);
    if (waiter.lanes != 0) {
        if (mshrs_.list_full(entry)) { return stall(ReservationFailure::merge_limit); }
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

[[gnu::hot]] L1LoadResult L1Data::miss(const L1Access& access, const Waiter& waiter) {
    if (!mshr_free(access.client)) { return stall(ReservationFailure::no_mshr); }
    if (queue_.full()) { return stall(ReservationFailure::miss_queue_full); }
    if (!caches(access)) {
        request(access, waiter, kNoWay);
        return {L1Answer::miss, {}, nullptr};
    }
    const std::uint32_t way = place_for(access);
    if (way == kNoWay) { return stall(ReservationFailure::no_line); }
    if (!make_room(way) && queue_.full()) { return stall(ReservationFailure::write_back); }
    request(access, waiter, way);
    return {L1Answer::miss, {}, nullptr};
}

/// The line is there, the sectors are not: they need no way.
L1LoadResult L1Data::miss_sectors(const L1Access& access, const Waiter& waiter, std::uint32_t way) {
    if (!mshr_free(access.client)) { return stall(ReservationFailure::no_mshr); }
    if (queue_.full()) { return stall(ReservationFailure::miss_queue_full); }
    touch(way);
    request(access, waiter, way);
    ++counters_.sector_misses;
    return {L1Answer::miss, {}, nullptr};
}

/// All of these bytes are there, be their sectors valid or not.
bool L1Data::holds(std::uint32_t way, const ByteMask& bytes) const {
    return !without(bytes, dirty_[way] | bytes_of(tags_.info(way).valid)).any();
}

[[gnu::hot]] SectorMask L1Data::alike(std::uint64_t line, SectorMask sectors) const {
    const std::uint32_t way = tags_.find(line);
    if (way == kNoWay) { return sectors; }
    const LineInfo& info = tags_.info(way);
    const auto lowest = static_cast<SectorMask>(sectors & -sectors);
    if ((lowest & info.awaited) != 0) { return sectors & mshrs_[info.mshr(lowest)].installs; }
    const bool valid = (lowest & info.valid) != 0;
    return static_cast<SectorMask>(sectors & (valid ? info.valid : ~(info.valid | info.awaited)));
}

/// Among the ways that the client may take, an empty one, else the policy's victim; kNoWay if all are pending
/// or pinned. Where fills under way have tags of their own it is an empty one, and no line makes room as yet.
[[gnu::hot]] std::uint32_t L1Data::place_for(const L1Access& access) {
    const unsigned set = tags_.set_of(access.line);
    const TagArray::Choice choice = tags_.choice(set);
    const std::uint64_t mine = ways_of(access.client);
    if (lines_of_set_ != 0) {
        return choice.empty != 0 ? set * tags_.ways() + static_cast<unsigned>(std::countr_zero(choice.empty)) : kNoWay;
    }
    if ((choice.empty & mine) != 0) {
        return set * tags_.ways() + static_cast<unsigned>(std::countr_zero(choice.empty & mine));
    }
    if ((choice.replaceable & mine) != 0) {
        return set * tags_.ways() + replacement_->victim(set, choice.replaceable & mine);
    }
    return kNoWay;
}

/// Takes the line out of the way. Its dirty bytes go to L2; there is a place in the miss queue for them. Where it was
/// the last one, the access that wants the way has to wait for another.
bool L1Data::make_room(std::uint32_t way) {
    if (tags_.line(way) == kNoLine) { return true; }
    const bool clean = !tags_.info(way).dirty;
    if (!clean && LOOKAHEAD_RULE(eviction_writes_back)) { send_dirty_bytes(way); }
    ++counters_.evictions;
    drop(way);
    return clean;
}

/// Forgets a line of which nothing is awaited or dirty.
[[gnu::hot]] void L1Data::drop(std::uint32_t way) {
    const LineInfo& info = tags_.info(way);
    emit(L1EventKind::evict, {tags_.line(way), info.pc, info.owner, info.client}, way);
    tags_.clear(way);
}

[[gnu::hot]] void L1Data::request(const L1Access& access, const Waiter& waiter, std::uint32_t way) {
    send_read(access, waiter, way);
    ++counters_.misses[client_index(access.client)];
    counters_.local_misses += is_local(access.line);
    emit(L1EventKind::miss, access, way);
}

/// Its fill is installed in `way`, or is detached from the start.
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
}

void L1Data::announce(const L1Event& event) {
    for (L1Listener* listener : listeners_) { listener->on_l1_event(event); }
}

void L1Data::leave_to_shared_memory(std::uint32_t bytes) {
    if (shared_sizes_.empty()) { return; }
    const std::uint32_t size = *std::ranges::lower_bound(shared_sizes_, bytes);
    const unsigned left = ways_ - (size + way_bytes_ - 1) / way_bytes_;
    if (lines_of_set_ != 0) {
        lines_of_set_ = left;
        return;
    }
    const bool prefetches_have_others = prefetch_ways_ != other_ways_;
    other_ways_ = ~std::uint64_t{0} >> (64 - left);
    prefetch_ways_ = prefetches_have_others ? prefetch_ways_ : other_ways_;
}

void L1Data::audit(Audit& audit, const std::string& name) const {
    audit.leak(name, "MSHRs of L1 that are not free", mshrs_.size() - mshrs_.free_entries());
    audit.leak(name, "places for stores that were merged into fills of L1", mshrs_.held_stores());
    audit.leak(name, "MSHRs of L1 that prefetches hold", speculative_);
    audit.leak(name, "locks of lines of L1 that are not given back", locks_.taken());
    audit.balance(name, "dirty bytes of local memory", counters_.dirtied_bytes,
                  counters_.written_back_bytes + counters_.discarded_bytes + dirty_bytes());
    for (std::uint32_t way = 0; way < tags_.size(); ++way) {
        audit.leak(name, "pins of a line of L1", tags_.info(way).pins);
        if (tags_.line(way) != kNoLine && tags_.info(way).pending()) {
            audit.fault(name, "a line of L1 awaits a fill that will not come");
        }
    }
}

void L1Data::fields(StateArchive& archive) {
    archive& tags_;
    for (LineData& each : data_) { archive.plain(each); }
    for (ByteMask& each : dirty_) { archive.plain(each); }
    archive& mshrs_& queue_& speculative_& locks_;
    replacement_->fields(archive);
    archive& counters_;
}

LOOKAHEAD_REGISTER_STATISTICS(L1Counters, "l1d", "L1 data cache of an SM")

}  // namespace lookahead::gpu
