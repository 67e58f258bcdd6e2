#pragma once

#include <cstdint>

#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead {

/// Queues of an LP's inner events, in order of time; events of equal time come in the order in which they were pushed.
/// Both kinds of queue have the same interface:
///   push(time, event)        time must not lie before an event that was popped
///   next_time()              kTimeInfinity when empty; looking does not bind the caller: an earlier event may follow
///   front(), pop()           the earliest event; not when empty
///   size(), empty(), clear()
///   for_each(f)              f(time, event) in the order in which they would be popped
///   fields(archive)          for StateArchive
///
/// Saves or loads the events of a queue: its fields().
template <class Event, class Queue>
void event_fields(Queue& queue, StateArchive& archive) {
    std::uint64_t count = queue.size();
    archive& count;
    if (!archive.loading()) {
        queue.for_each([&](Time time, Event event) {
            archive& time;
            archive.plain(event);
        });
        return;
    }
    queue.clear();
    for (; count > 0; --count) {
        Time time = 0;
        Event event;
        archive& time;
        archive.plain(event);
        queue.push(time, event);
    }
}

}  // namespace lookahead
