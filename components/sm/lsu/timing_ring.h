#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// Items (small numbers) that become due in a cycle of the near future: a list a cycle, and a bit for each cycle with
/// a list, so that the next one is found without looking at the empty ones. Each item is in at most one list; those
/// of a cycle come out in the order in which they went in.
class TimingRing {
  public:
    /// For items 0..items-1, due at most `horizon` cycles ahead.
    TimingRing(unsigned items, Cycle horizon)
        : size_(std::bit_ceil(static_cast<std::uint64_t>(horizon < 63 ? 64 : horizon + 1))),
          head_(size_, kNone),
          tail_(size_, kNone),
          occupied_(size_ / 64),
          next_(items, kNone) {}

    bool empty() const { return scheduled_ == 0; }

    /// `due` lies after the last cycle that was taken from and at most `horizon` after it.
    void schedule(std::uint32_t item, Cycle due) {
        const std::size_t slot = slot_of(due);
        next_[item] = kNone;
        if (head_[slot] == kNone) {
            head_[slot] = item;
            occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
        } else {
            next_[tail_[slot]] = item;
        }
        tail_[slot] = item;
        ++scheduled_;
    }

    /// Calls f(item) for each item that is due at `now`; f may schedule items for later.
    template <class F>
    void take(Cycle now, F&& f) {
        const std::size_t slot = slot_of(now);
        std::uint32_t item = head_[slot];
        if (item == kNone) {
            return;
        }
        head_[slot] = tail_[slot] = kNone;
        occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
        while (item != kNone) {
            const std::uint32_t next = next_[item];
            --scheduled_;
            f(item);
            item = next;
        }
    }

    /// The least cycle > `now` with an item; kCycleInfinity when empty.
    Cycle next_due(Cycle now) const {
        if (scheduled_ == 0) {
            return kCycleInfinity;
        }
        const std::size_t first = slot_of(now + 1);
        std::size_t word = first / 64;
        std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (first % 64));
        while (bits == 0) {
            word = word + 1 == occupied_.size() ? 0 : word + 1;
            bits = occupied_[word];
        }
        const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        return now + 1 + static_cast<Cycle>((slot - first) & (size_ - 1));
    }

    void fields(StateArchive& archive) { archive& scheduled_& head_& tail_& occupied_& next_; }

  private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::size_t slot_of(Cycle cycle) const { return static_cast<std::uint64_t>(cycle) & (size_ - 1); }

    std::uint64_t size_;
    unsigned scheduled_ = 0;
    std::vector<std::uint32_t> head_;
    std::vector<std::uint32_t> tail_;
    std::vector<std::uint64_t> occupied_;
    std::vector<std::uint32_t> next_;  // by item
};

}  // namespace lookahead::gpu
