#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "components/cache/l1_parameters.h"
#include "components/cache/tag_array.h"
#include "components/protocols/memory.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The ways of each L1 set that a client may take: prefetches may have their own ways (l1d.prefetch_ways), fills under
/// way their own tags (l1d.pending_ways), and shared memory a part of the array (l1d.shared_sizes).
class WayShares {
  public:
    explicit WayShares(const L1Parameters& parameters)
        : prefetches_(parameters.prefetch_ways == 0 ? kAll : kAll << parameters.ways),
          others_(parameters.prefetch_ways == 0 ? kAll : ~prefetches_),
          lines_of_set_(parameters.pending_ways == 0 ? 0 : static_cast<unsigned>(parameters.ways)),
          ways_(static_cast<unsigned>(parameters.ways)),
          way_bytes_(static_cast<std::uint32_t>(parameters.sets * kLineBytes)),
          shared_sizes_(parameters.sizes_of_shared_memory()) {}

    /// One bit per way of a set; bits beyond the set's ways may be set too.
    std::uint64_t of(Client client) const { return client == Client::prefetch ? prefetches_ : others_; }
    /// The ways open to the same clients as this way of a set.
    std::uint64_t beside(unsigned way) const { return (prefetches_ >> way & 1) != 0 ? prefetches_ : others_; }
    /// If fills under way have their own tags, the number of lines of a set that may hold bytes; else 0.
    unsigned lines_of_set() const { return lines_of_set_; }

    /// Sets the bytes of shared memory of the kernel that begins. Call it while the cache is empty, or before its state
    /// is loaded.
    void leave_to_shared_memory(std::uint32_t bytes) {
        if (shared_sizes_.empty()) { return; }
        const std::uint32_t size = *std::ranges::lower_bound(shared_sizes_, bytes);
        const unsigned left = ways_ - (size + way_bytes_ - 1) / way_bytes_;
        if (lines_of_set_ != 0) {
            lines_of_set_ = left;
            return;
        }
        const bool prefetches_have_others = prefetches_ != others_;
        others_ = kAll >> (64 - left);
        prefetches_ = prefetches_have_others ? prefetches_ : others_;
    }
    /// The most bytes that shared memory may have.
    std::uint32_t most_shared_memory() const {
        return shared_sizes_.empty() ? ~std::uint32_t{0} : shared_sizes_.back();
    }

  private:
    static constexpr std::uint64_t kAll = ~std::uint64_t{0};

    std::uint64_t prefetches_;
    std::uint64_t others_;
    unsigned lines_of_set_;
    unsigned ways_;
    std::uint32_t way_bytes_;                  // bytes of one way in all sets
    std::vector<std::uint32_t> shared_sizes_;  // ascending; empty: shared memory has its own array
};

/// The handle of a client's lock on a line of L1, which holds from the line's request on. LineLocks issues each handle
/// and takes it back exactly once. A handle can be moved but not copied; an unknown one is refused. It is part of its
/// owner's state, and may outlive its line (LineLocks::way_of).
class LineLock {
  public:
    LineLock() = default;
    LineLock(LineLock&& other) noexcept { swap(other); }
    /// Only into an empty handle: a lock that was not returned must not be lost.
    LineLock& operator=(LineLock&& other) {
        LOOKAHEAD_ASSERT(!*this || this == &other, "a lock of a line of L1 is overwritten before it is released");
        swap(other);
        return *this;
    }

    /// Whether it is a lock that was issued and not yet returned.
    explicit operator bool() const { return entry_ != kNone; }

    void fields(StateArchive& archive) { archive& entry_& serial_; }

  private:
    friend class LineLocks;
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    LineLock(std::uint32_t entry, std::uint32_t serial) : entry_(entry), serial_(serial) {}
    void swap(LineLock& other) noexcept {
        std::swap(entry_, other.entry_);
        std::swap(serial_, other.serial_);
    }

    std::uint32_t entry_ = kNone;
    std::uint32_t serial_ = 0;
};

/// The issued locks, and the way that each holds. A locked line does not make room for another one. The SM's stores
/// update it, and its fill under way, under any write policy. It is still lost to a store for which the fill has no
/// room, to atomics, ordered loads and generations. Locks of one line nest. There are as many locks as the clients
/// reserved; without such a client the state has none.
class LineLocks {
  public:
    LineLocks(const L1Parameters& parameters, TagArray& tags, const WayShares& shares)
        : most_pinned_(static_cast<unsigned>(std::min(parameters.pinned_ways, parameters.ways - 1))),
          tags_(tags),
          shares_(shares) {}

    void reserve(unsigned count) { entries_.resize(entries_.size() + count); }
    unsigned taken() const { return taken_; }

    /// Whether the line may be locked once enough other locks end. False if its client may take only one way of the
    /// set.
    bool may_ever(std::uint64_t line, Client client) const;
    /// Whether a lock of the line, with a load by this client if necessary, would be refused now.
    bool refuses(std::uint64_t line, Client client) const;
    /// Locks a line that is present or awaited. Returns an empty lock if the line is neither, if all locks are issued,
    /// or if its set has as many locked lines as allowed (l1d.pinned_ways, and one fewer than its ways).
    LineLock lock(std::uint64_t line);
    /// Ends a lock and empties the handle. Call it once for each lock, even if the line was lost.
    void unlock(LineLock& lock);

    /// Locks a way, which refuses() must allow.
    LineLock take(std::uint32_t way);
    /// The way of an issued lock; kNoWay: it has lost its line.
    std::uint32_t way_of(const LineLock& lock) const { return entries_[checked(lock)].way; }
    /// Records that the way's line is lost to all its locks.
    void lose(std::uint32_t way);

    void fields(StateArchive& archive);

  private:
    struct Entry {
        std::uint32_t way = kNoWay;
        std::uint32_t serial = 0;  ///< how often the entry was issued; handles from before are refused
        bool taken = false;
    };

    bool allows(std::uint32_t way) const;
    bool has_way_to_lock(unsigned set, std::uint64_t mine) const;
    std::uint32_t checked(const LineLock& lock) const;

    unsigned most_pinned_;
    TagArray& tags_;
    const WayShares& shares_;
    std::vector<Entry> entries_;
    unsigned taken_ = 0;
};

}  // namespace lookahead::gpu
