#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/phold/event_queue.h"

namespace lookahead {

/// A binary heap with the interface described in event_queue.h: the simple alternative for comparison with the wheel.
template <class Event>
class HeapEventQueue {
    static_assert(std::is_trivially_copyable_v<Event>, "events are copied and saved as plain bytes");

  public:
    void push(Time time, const Event& event) {
        entries_.push_back({time, pushed_++, event});
        std::push_heap(entries_.begin(), entries_.end(), later);
    }
    Time next_time() const { return entries_.empty() ? kTimeInfinity : entries_.front().time; }
    const Event& front() const { return entries_.front().event; }
    Event pop() {
        std::pop_heap(entries_.begin(), entries_.end(), later);
        const Event event = entries_.back().event;
        entries_.pop_back();
        return event;
    }
    std::size_t size() const { return entries_.size(); }
    bool empty() const { return entries_.empty(); }
    void clear() { entries_.clear(); }

    void for_each(auto&& f) const {
        std::vector<Entry> sorted = entries_;
        std::sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) { return later(b, a); });
        for (const Entry& entry : sorted) { f(entry.time, entry.event); }
    }

    void fields(StateArchive& archive) { event_fields<Event>(*this, archive); }

  private:
    struct Entry {
        Time time;
        std::uint64_t order;
        Event event;
    };
    static bool later(const Entry& a, const Entry& b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }

    std::vector<Entry> entries_;
    std::uint64_t pushed_ = 0;
};

}  // namespace lookahead
