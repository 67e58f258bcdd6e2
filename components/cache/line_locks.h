#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "components/cache/find_way.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// A client's hold on a line of L1, from the line's request on: while it lasts, the line does not make room for another
/// one. L1Data gives it out and takes it back, exactly once: it can be moved and not copied, and L1 refuses a handle
/// that it does not know. It is part of the state of whoever has it, and may outlive its line (L1Data::way_of).
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

/// The locks that are out, and the way that each holds. As many entries as the clients reserved when they were built:
/// without such a client there is none, and nothing of it in the state.
class LineLocks {
  public:
    void reserve(unsigned count) { entries_.resize(entries_.size() + count); }

    bool full() const { return taken_ == entries_.size(); }
    unsigned taken() const { return taken_; }

    LineLock take(std::uint32_t way) {
        std::uint32_t number = 0;
        while (entries_[number].taken) { ++number; }
        Entry& entry = entries_[number];
        entry.taken = true;
        entry.way = way;
        ++taken_;
        return {number, ++entry.serial};
    }
    /// The way of a lock that is out; kNoWay: its line was taken from it.
    std::uint32_t way_of(const LineLock& lock) const { return entries_[checked(lock)].way; }
    /// Returns the way that it held to the end, or kNoWay.
    std::uint32_t give_back(LineLock& lock) {
        Entry& entry = entries_[checked(lock)];
        lock.entry_ = LineLock::kNone;
        entry.taken = false;
        --taken_;
        return std::exchange(entry.way, kNoWay);
    }
    /// The line of the way is gone, whatever held it.
    void lose(std::uint32_t way) {
        for (Entry& entry : entries_) {
            if (entry.way == way) { entry.way = kNoWay; }
        }
    }

    void fields(StateArchive& archive) {
        for (Entry& entry : entries_) { archive& entry.way& entry.serial& entry.taken; }
        if (archive.loading()) {
            taken_ = 0;
            for (const Entry& entry : entries_) { taken_ += entry.taken; }
        }
    }

  private:
    struct Entry {
        std::uint32_t way = kNoWay;
        std::uint32_t serial = 0;  ///< how often it was taken: an older handle than the last is refused
        bool taken = false;
    };

    std::uint32_t checked(const LineLock& lock) const {
        LOOKAHEAD_ASSERT(lock.entry_ < entries_.size() && entries_[lock.entry_].taken &&
                             entries_[lock.entry_].serial == lock.serial_,
                         "a lock of a line of L1 that is not out: it is empty, or was given back before");
        return lock.entry_;
    }

    std::vector<Entry> entries_;
    unsigned taken_ = 0;
};

}  // namespace lookahead::gpu
