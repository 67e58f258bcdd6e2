#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/error/error.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The events due at each cycle, up to a fixed longest delay: a ring of cycles, each with a list of 64-bit entries in
/// the order in which they were scheduled.
class TimingWheel {
  public:
    explicit TimingWheel(Cycle longest)
        : mask_(std::bit_ceil(static_cast<std::uint64_t>(std::max<Cycle>(longest + 1, 64))) - 1),
          heads_(mask_ + 1, kNone),
          tails_(mask_ + 1, kNone),
          occupied_((mask_ + 1) / 64, 0) {}

    /// Extends the longest delay to `longest` cycles; the wheel must be empty.
    void reach(Cycle longest) {
        if (longest > static_cast<Cycle>(mask_)) {
            LOOKAHEAD_ASSERT(empty(), "a timing wheel that turns cannot grow");
            *this = TimingWheel(longest);
        }
    }

    /// Adds an entry that is due at `at`, which is after `now` by at most the longest delay.
    void schedule(Cycle now, Cycle at, std::uint64_t entry) {
        LOOKAHEAD_DEBUG_ASSERT(at > now && at - now <= static_cast<Cycle>(mask_), "delay outside the timing wheel");
        (void)now;
        append(static_cast<std::uint64_t>(at) & mask_, entry);
    }

    /// Removes the entries due at `at` and calls f(entry) for each; f may schedule for later cycles.
    void take(Cycle at, auto&& f) {
        const std::uint64_t slot = static_cast<std::uint64_t>(at) & mask_;
        if (heads_[slot] == kNone) {  // the most frequent case
            return;
        }
        std::uint32_t node = std::exchange(heads_[slot], kNone);
        occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
        while (node != kNone) {
            const Node taken = nodes_[node];
            nodes_[node].next = std::exchange(free_, node);
            --entries_;
            f(taken.entry);
            node = taken.next;
        }
    }

    bool empty() const { return entries_ == 0; }

    /// The least cycle > now with an entry; kCycleInfinity if there is none. Nothing may be due at or before `now`.
    Cycle next(Cycle now) const {
        if (entries_ == 0) { return kCycleInfinity; }
        const std::uint64_t first = static_cast<std::uint64_t>(now + 1) & mask_;
        const std::size_t words = occupied_.size();
        std::size_t word = first / 64;
        std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (first % 64));
        for (std::size_t looked = 0; bits == 0 && looked < words; ++looked) {
            word = (word + 1) & (words - 1);
            bits = occupied_[word];
        }
        const std::uint64_t slot = word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
        return now + 1 + static_cast<Cycle>((slot - first) & mask_);
    }

    /// Calls f(cycle, entry) for all entries in the order of their cycles; `now` as for next().
    void for_each(Cycle now, auto&& f) const {
        for (Cycle at = now + 1; at <= now + 1 + static_cast<Cycle>(mask_); ++at) {
            for (std::uint32_t node = heads_[static_cast<std::uint64_t>(at) & mask_]; node != kNone;
                 node = nodes_[node].next) {
                f(at, nodes_[node].entry);
            }
        }
    }

    void fields(StateArchive& archive) {
        std::uint64_t count = entries_;
        archive& count;
        if (!archive.loading()) {
            for (std::uint64_t slot = 0; slot <= mask_; ++slot) {
                for (std::uint32_t node = heads_[slot]; node != kNone; node = nodes_[node].next) {
                    archive& slot& nodes_[node].entry;
                }
            }
            return;
        }
        clear();
        for (; count > 0; --count) {
            std::uint64_t slot = 0, entry = 0;
            archive& slot& entry;
            append(slot & mask_, entry);
        }
    }

    void clear() {
        std::fill(heads_.begin(), heads_.end(), kNone);
        std::fill(occupied_.begin(), occupied_.end(), 0);
        nodes_.clear();
        free_ = kNone;
        entries_ = 0;
    }

  private:
    static constexpr std::uint32_t kNone = 0xffffffffu;
    struct Node {
        std::uint64_t entry;
        std::uint32_t next;
    };

    [[gnu::hot]] void append(std::uint64_t slot, std::uint64_t entry) {
        const std::uint32_t node = allocate();
        nodes_[node] = {entry, kNone};
        if (heads_[slot] == kNone) {
            heads_[slot] = node;
            occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
        } else {
            nodes_[tails_[slot]].next = node;
        }
        tails_[slot] = node;
        ++entries_;
    }

    std::uint32_t allocate() {
        if (free_ == kNone) {
            nodes_.push_back({});
            return static_cast<std::uint32_t>(nodes_.size() - 1);
        }
        return std::exchange(free_, nodes_[free_].next);
    }

    std::uint64_t mask_;
    std::vector<std::uint32_t> heads_;
    std::vector<std::uint32_t> tails_;  ///< valid for lists that are not empty
    std::vector<std::uint64_t> occupied_;
    std::vector<Node> nodes_;
    std::uint32_t free_ = kNone;
    std::uint64_t entries_ = 0;
};

}  // namespace lookahead::gpu
