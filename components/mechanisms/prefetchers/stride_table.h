#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/sm/prefetch/prefetcher.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The most accesses of one load that a stride prefetcher follows; it ignores loads with more (Koo et al., section V.B:
/// prefetching is ineffective when a load makes many uncoalesced accesses).
inline constexpr unsigned kFollowedAccesses = 4;

/// The lines that a load accessed.
struct AccessVector {
    std::uint64_t lines[kFollowedAccesses] = {};
    std::uint32_t count = 0;

    static bool fits(const ObservedLoad& load) { return load.lines.size() <= kFollowedAccesses; }
    void take(const ObservedLoad& load) {
        count = static_cast<std::uint32_t>(load.lines.size());
        std::copy(load.lines.begin(), load.lines.end(), lines);
    }
    /// Sets `result` to the distance of the load's lines from these; returns false unless all accesses have the same
    /// distance.
    bool difference(const ObservedLoad& load, std::int64_t& result) const {
        if (count != load.lines.size()) { return false; }
        result = static_cast<std::int64_t>(load.lines[0] - lines[0]);
        for (std::uint32_t i = 1; i < count; ++i) {
            if (static_cast<std::int64_t>(load.lines[i] - lines[i]) != result) { return false; }
        }
        return true;
    }
    void fields(StateArchive& archive) { archive& lines& count; }
};

/// A small fully associative table by PC, and by warp if warps have separate entries, with LRU replacement by update.
template <class Entry>
class StrideTable {
  public:
    explicit StrideTable(std::size_t entries = 0) : entries_(entries) {}

    Entry* find(std::uint32_t pc, std::uint16_t context = kNoContext) {
        for (Entry& entry : entries_) {
            if (entry.updated != 0 && entry.pc == pc && entry.context == context) { return &entry; }
        }
        return nullptr;
    }
    /// Replaces the entry that was updated longest ago.
    Entry& replace(std::uint32_t pc, std::uint16_t context = kNoContext) {
        Entry& oldest = *std::ranges::min_element(entries_, {}, &Entry::updated);
        oldest = {};
        oldest.pc = pc;
        oldest.context = context;
        update(oldest);
        return oldest;
    }
    void update(Entry& entry) { entry.updated = ++updates_; }
    bool full() const { return std::ranges::find(entries_, 0u, &Entry::updated) == entries_.end(); }
    void clear() { std::ranges::fill(entries_, Entry{}); }
    void for_each(auto&& f) {
        for (Entry& entry : entries_) { f(entry); }
    }

    void fields(StateArchive& archive) { archive& updates_& entries_; }

  private:
    std::uint64_t updates_ = 0;
    std::vector<Entry> entries_;
};

/// What a stride prefetcher remembers of a load.
struct StrideEntry {
    std::uint32_t pc = 0;
    std::uint16_t context = kNoContext;  ///< the warp, in a table by warp
    std::uint16_t last_warp = 0;         ///< the warp that accessed `lines`
    std::uint32_t confidence = 0;        ///< how many times in a row the stride repeated
    std::int64_t stride = 0;             ///< in bytes
    std::uint64_t updated = 0;           ///< time of the last update; 0: the entry is empty
    AccessVector last;

    void fields(StateArchive& archive) { archive& pc& context& last_warp& confidence& stride& updated& last; }
};

/// Records a stride. The confidence counts, up to `limit`, how often in a row the stride was the same. With `decays`, a
/// different stride reduces the confidence by one, and replaces the old stride only at confidence 0.
inline void note_stride(StrideEntry& entry, std::int64_t stride, std::uint32_t limit, bool decays = false) {
    if (stride == entry.stride) {
        entry.confidence = std::min(entry.confidence + 1, limit);
    } else if (decays && entry.confidence > 0) {
        --entry.confidence;
    } else {
        entry.stride = stride;
        entry.confidence = 0;
    }
}

/// Prefetches the lines `offset` bytes after the starts of the load's lines. Returns the number of requests that L1
/// will make.
inline std::uint64_t prefetch_behind(PrefetchPort& port, const ObservedLoad& load, std::int64_t offset,
                                     std::uint16_t context) {
    std::uint64_t requests = 0;
    for (const std::uint64_t line : load.lines) {
        requests += port.prefetch(
            {.line = line_of(line + static_cast<std::uint64_t>(offset)), .pc = load.pc, .context = context});
    }
    return requests;
}

}  // namespace lookahead::gpu
