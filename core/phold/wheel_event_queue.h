#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/error/error.h"
#include "core/phold/event_queue.h"

namespace lookahead {

/// A wheel of buckets for events of the near future and a heap for later ones; event_queue.h describes the interface.
/// Bucket b holds the events with times in [b * width, (b + 1) * width), sorted; the wheel holds the buckets cursor_ ..
/// cursor_ + kBuckets - 1. next_time() does not move the cursor, because an event that is pushed later may come before
/// the one that it saw.
///
/// Compact for an LP with few events: the buckets are single 32-bit indices (each a circular list that is
/// known by its last node), and the events lie in one pool.
template <class Event, unsigned kBuckets = 64>
class WheelEventQueue {
    static_assert(std::is_trivially_copyable_v<Event>, "events are copied and saved as plain bytes");
    static_assert(std::has_single_bit(kBuckets) && kBuckets >= 64);

  public:
    /// The width is rounded down to a power of two. The best width is a small part of an event's usual delay.
    explicit WheelEventQueue(Time bucket_width = Time{1} << 17)
        : shift_(
              static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(std::max<Time>(bucket_width, 1))) - 1)) {
        tails_.fill(kNone);
    }

    void push(Time time, const Event& event) {
        const std::int64_t bucket = time >> shift_;
        LOOKAHEAD_ASSERT(bucket >= cursor_, "an event at {} fs lies before the queue's present", time);
        const std::uint32_t node = new_node(time, event);
        ++size_;
        next_time_ = std::min(next_time_, time);
        if (bucket - cursor_ < std::int64_t{kBuckets}) [[likely]] {
            insert(bucket, node);
        } else {
            late_.push_back({time, pushed_late_++, node});
            std::push_heap(late_.begin(), late_.end(), later);
        }
    }

    Time next_time() const { return next_time_; }

    const Event& front() const {
        const std::uint32_t node = size_ > late_.size() ? nodes_[tails_[first_slot()]].next : late_.front().node;
        return nodes_[node].event;
    }

    Event pop() {
        if (size_ == late_.size()) [[unlikely]] { move_cursor(next_time_ >> shift_); }
        const unsigned slot = first_slot();
        const std::int64_t bucket =
            cursor_ + static_cast<std::int64_t>((slot - static_cast<unsigned>(cursor_)) & kMask);
        const std::uint32_t tail = tails_[slot];
        const std::uint32_t head = nodes_[tail].next;
        --size_;
        if (head != tail) {
            const std::uint32_t second = nodes_[head].next;
            nodes_[tail].next = second;
            next_time_ = nodes_[second].time;
        } else {
            tails_[slot] = kNone;
            occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
            next_time_ = find_next_time();
        }
        const Event event = nodes_[head].event;
        nodes_[head].next = free_;
        free_ = head;
        if (bucket != cursor_) { move_cursor(bucket); }
        return event;
    }

    /// Promises that no event before `now` will be pushed, so that after an idle spell new events go to the wheel and
    /// not to the heap. `now` must not be after next_time().
    void advance_to(Time now) {
        LOOKAHEAD_ASSERT(now <= next_time_, "an event at {} fs would be skipped", next_time_);
        if ((now >> shift_) > cursor_) { move_cursor(now >> shift_); }
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    /// Removes the events and keeps the cursor.
    void clear() {
        tails_.fill(kNone);
        occupied_.fill(0);
        nodes_.clear();
        late_.clear();
        free_ = kNone;
        size_ = 0;
        next_time_ = kTimeInfinity;
    }

    void for_each(auto&& f) const {
        for (unsigned i = 0; i < kBuckets; ++i) {
            const std::uint32_t tail = tails_[(static_cast<unsigned>(cursor_) + i) & kMask];
            for (std::uint32_t node = tail; tail != kNone;) {
                node = nodes_[node].next;
                f(nodes_[node].time, nodes_[node].event);
                if (node == tail) { break; }
            }
        }
        std::vector<Late> sorted = late_;
        std::sort(sorted.begin(), sorted.end(), [](const Late& a, const Late& b) { return later(b, a); });
        for (const Late& entry : sorted) { f(entry.time, nodes_[entry.node].event); }
    }

    void fields(StateArchive& archive) { event_fields<Event>(*this, archive); }

  private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr unsigned kMask = kBuckets - 1;
    static constexpr unsigned kWords = kBuckets / 64;

    struct Node {
        Time time;
        Event event;
        std::uint32_t next;
    };
    struct Late {
        Time time;
        std::uint64_t order;
        std::uint32_t node;
    };
    static bool later(const Late& a, const Late& b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }

    std::uint32_t new_node(Time time, const Event& event) {
        if (free_ == kNone) {
            nodes_.push_back({time, event, kNone});
            return static_cast<std::uint32_t>(nodes_.size() - 1);
        }
        const std::uint32_t node = free_;
        free_ = nodes_[node].next;
        nodes_[node].time = time;
        nodes_[node].event = event;
        return node;
    }

    void insert(std::int64_t bucket, std::uint32_t node) {
        const unsigned slot = static_cast<unsigned>(bucket) & kMask;
        const std::uint32_t tail = tails_[slot];
        if (tail == kNone) {
            nodes_[node].next = node;
            tails_[slot] = node;
            occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
            return;
        }
        std::uint32_t before = tail;
        if (nodes_[node].time >= nodes_[tail].time) {
            tails_[slot] = node;
        } else {
            while (nodes_[nodes_[before].next].time <= nodes_[node].time) { before = nodes_[before].next; }
        }
        nodes_[node].next = nodes_[before].next;
        nodes_[before].next = node;
    }

    /// The first occupied bucket at or after the cursor; there must be one.
    unsigned first_slot() const {
        const unsigned start = static_cast<unsigned>(cursor_) & kMask;
        if constexpr (kWords == 1) {
            return (start + static_cast<unsigned>(std::countr_zero(std::rotr(occupied_[0], static_cast<int>(start))))) &
                   kMask;
        } else {
            unsigned word = start / 64;
            std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (start % 64));
            while (bits == 0) {
                word = (word + 1) % kWords;
                bits = occupied_[word];
            }
            return word * 64 + static_cast<unsigned>(std::countr_zero(bits));
        }
    }

    Time find_next_time() const {
        if (size_ == late_.size()) { return late_.empty() ? kTimeInfinity : late_.front().time; }
        return nodes_[nodes_[tails_[first_slot()]].next].time;
    }

    /// Moves the cursor. Buckets that come into the wheel's reach take their events from the heap. These were pushed
    /// before all later events of the same bucket, so that ties keep their order.
    void move_cursor(std::int64_t bucket) {
        cursor_ = bucket;
        while (!late_.empty() && (late_.front().time >> shift_) - cursor_ < std::int64_t{kBuckets}) {
            const Late entry = late_.front();
            std::pop_heap(late_.begin(), late_.end(), later);
            late_.pop_back();
            insert(entry.time >> shift_, entry.node);
        }
    }

    std::array<std::uint32_t, kBuckets> tails_;
    std::array<std::uint64_t, kWords> occupied_{};
    std::int64_t cursor_ = 0;
    Time next_time_ = kTimeInfinity;
    std::vector<Node> nodes_;
    std::uint32_t free_ = kNone;
    unsigned shift_;
    std::size_t size_ = 0;
    std::vector<Late> late_;
    std::uint64_t pushed_late_ = 0;
};

}  // namespace lookahead
