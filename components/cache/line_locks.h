#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "components/cache/l1_parameters.h"
#include "components/cache/tag_array.h"
#include "components/cache/way_shares.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// A client's hold on a line of L1, from the line's request on: while it lasts, the line does not make room for another
/// one. LineLocks gives it out and takes it back, exactly once: it can be moved and not copied, and a handle that is
/// not known is refused. It is part of the state of whoever has it, and may outlive its line (LineLocks::way_of).
class LineLock {
  public:
    LineLock() = default;
    LineLock(LineLock&& other) noexcept { swap(other); }
    /// Into an empty one: a lock that is not given back must not be forgotten.
    LineLock& operator=(LineLock&& other) {
        LOOKAHEAD_ASSERT(!*this || this == &other, "a lock of a line of L1 is overwritten before it is given back");
        swap(other);
        return *this;
    }

    /// It is one that was given out and not yet back.
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

/// The locks that are out, and the way that each holds. A locked line does not make room for another one. Stores of the
/// SM update it, and the fill under way, under any write policy; a store that the fill has no room for, atomics,
/// ordered loads and generations still take it. Locks of one line nest. There are as many locks as the clients reserved
/// when they were built: without such a client there is none, and nothing of it in the state.
class LineLocks {
  public:
    LineLocks(const L1Parameters& parameters, TagArray& tags, const WayShares& shares)
        : most_pinned_(static_cast<unsigned>(std::min(parameters.pinned_ways, parameters.ways - 1))),
          tags_(tags),
          shares_(shares) {}

    void reserve(unsigned count) { entries_.resize(entries_.size() + count); }
    unsigned taken() const { return taken_; }

    /// The line may be locked as soon as enough other locks end. No line is ever locked in a set of which its client
    /// may take one way alone.
    bool may_ever(std::uint64_t line, Client client) const;
    /// A lock of the line, which a load by this client brings if need be, would be refused now.
    bool refuses(std::uint64_t line, Client client) const;
    /// Locks a line that is there or awaited. Returns an empty lock if the line is neither, if its set has as many
    /// locked lines as it may (l1d.pinned_ways, and one way less than there are), or if all locks are out.
    LineLock lock(std::uint64_t line);
    /// Ends a lock, and leaves the handle empty. To be called once for each lock, also where its line was taken.
    void unlock(LineLock& lock);

    /// Locks a way whose lock is not refused.
    LineLock take(std::uint32_t way);
    /// The way of a lock that is out; kNoWay: its line was taken from it.
    std::uint32_t way_of(const LineLock& lock) const { return entries_[checked(lock)].way; }
    /// The line of the way is gone, whatever held it.
    void lose(std::uint32_t way);

    void fields(StateArchive& archive);

  private:
    struct Entry {
        std::uint32_t way = kNoWay;
        std::uint32_t serial = 0;  ///< how often it was taken: an older handle than the last is refused
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
