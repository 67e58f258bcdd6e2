#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "components/cache/tag_array.h"
#include "components/protocols/byte_mask.h"
#include "components/protocols/memory.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// An access that waits for a fill; the cache returns it with the data. `lanes` is never 0: in a list, 0 marks a store.
struct Waiter {
    std::uint32_t token = 0;
    std::uint32_t lanes = 0;
};

struct Mshr {
    std::uint64_t line = kNoLine;  ///< kNoLine: the MSHR is free
    std::uint32_t way = kNoWay;    ///< reserved for the fill; kNoWay: the fill is detached and will not be installed
    std::uint32_t pc = 0;
    std::uint16_t warp = 0;
    std::uint16_t listed = 0;  ///< waiters and merged stores
    Client client = Client::demand;
    SectorMask sectors = kAllSectors;   ///< requested sectors
    SectorMask installs = kAllSectors;  ///< those of them that are not detached; 0: the fill is detached
    std::uint8_t unused = 0;

    bool detached() const { return way == kNoWay; }
};

/// The fills under way, each with an ordered list of its waiters and the stores merged into it. The list is walked when
/// the data come, so that a waiter sees the stores before it and none after it.
class MshrTable {
  public:
    MshrTable(unsigned entries, unsigned merges, unsigned merged_stores)
        : merges_(merges), entries_(entries), lists_(std::size_t{entries} * merges), free_((entries + 63) / 64) {
        for (unsigned entry = 0; entry < entries; ++entry) { free_[entry / 64] |= std::uint64_t{1} << (entry % 64); }
        hold_stores(merged_stores);
    }

    /// Makes places for `merged_stores` stores unless there are places already. Call it before the first fill.
    void hold_stores(unsigned merged_stores) {
        if (!stores_.empty()) { return; }
        stores_.resize(merged_stores);
        free_stores_.reserve(merged_stores);
        for (unsigned store = merged_stores; store > 0; --store) { free_stores_.push_back(store - 1); }
    }

    unsigned in_use() const { return in_use_; }
    bool full() const { return in_use_ == entries_.size(); }
    std::size_t size() const { return entries_.size(); }
    /// The number of free entries, counted anew for the audit.
    std::size_t free_entries() const {
        std::size_t count = 0;
        for (const std::uint64_t word : free_) { count += static_cast<unsigned>(std::popcount(word)); }
        return count;
    }
    std::size_t held_stores() const { return stores_.size() - free_stores_.size(); }
    Mshr& operator[](std::uint32_t entry) { return entries_[entry]; }
    const Mshr& operator[](std::uint32_t entry) const { return entries_[entry]; }

    std::uint32_t allocate(const Mshr& what) {
        for (std::size_t word = 0;; ++word) {
            if (free_[word] != 0) {
                const auto entry = static_cast<std::uint32_t>(word * 64 + std::countr_zero(free_[word]));
                free_[word] &= free_[word] - 1;
                ++in_use_;
                entries_[entry] = what;
                return entry;
            }
        }
    }

    void release(std::uint32_t entry) {
        entries_[entry] = {};
        free_[entry / 64] |= std::uint64_t{1} << (entry % 64);
        --in_use_;
    }

    bool list_full(std::uint32_t entry) const { return entries_[entry].listed == merges_; }
    void add_waiter(std::uint32_t entry, const Waiter& waiter) {
        lists_[entry * merges_ + entries_[entry].listed++] = waiter;
    }

    bool has_room_for_store(std::uint32_t entry) const { return !list_full(entry) && !free_stores_.empty(); }
    void add_store(std::uint32_t entry, const ByteMask& mask, const std::byte* data) {
        const std::uint32_t place = free_stores_.back();
        free_stores_.pop_back();
        stores_[place].mask = mask;
        std::memcpy(stores_[place].data, data, kLineBytes);
        add_waiter(entry, {.token = place, .lanes = kIsStore});
    }

    /// Walks the list of a fill whose data are in `line`: merges the stores into it and calls serve(waiter, line) for
    /// each waiter.
    void walk(std::uint32_t entry, std::byte* line, auto&& serve) {
        const Waiter* list = &lists_[entry * merges_];
        const unsigned listed = entries_[entry].listed;
        for (unsigned i = 0; i < listed; ++i) {
            if (list[i].lanes != kIsStore) {
                serve(list[i], static_cast<const std::byte*>(line));
                continue;
            }
            copy_bytes(line, stores_[list[i].token].data, stores_[list[i].token].mask);
            free_stores_.push_back(list[i].token);
        }
    }

    void fields(StateArchive& archive) {
        archive& in_use_& free_& free_stores_;
        for (Mshr& each : entries_) {
            archive& each.line& each.way& each.pc& each.warp& each.listed& each.client& each.sectors& each.installs;
        }
        for (Waiter& each : lists_) { archive& each.token& each.lanes; }
        for (MergedStore& each : stores_) { archive& each.mask.bits& each.data; }
    }

  private:
    friend struct AuditSabotage;
    static constexpr std::uint32_t kIsStore = 0;
    struct MergedStore {
        ByteMask mask;
        std::byte data[kLineBytes] = {};
    };

    unsigned merges_;
    unsigned in_use_ = 0;
    std::vector<Mshr> entries_;
    std::vector<Waiter> lists_;
    std::vector<std::uint64_t> free_;  // one bit per entry
    std::vector<MergedStore> stores_;
    std::vector<std::uint32_t> free_stores_;
};

}  // namespace lookahead::gpu
