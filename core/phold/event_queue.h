#pragma once

#include "core/phold/heap_event_queue.h"
#include "core/phold/wheel_event_queue.h"

namespace lookahead {

/// An LP's inner events, in order of time; events of equal time come in the order in which they were pushed.
/// Both kinds of queue have the same interface:
///   push(time, event)        time must not lie before an event that was popped
///   next_time()              kTimeInfinity when empty; looking does not bind the caller: an earlier event
///   may follow front(), pop()           the earliest event; not when empty size(), empty(), clear()
///   for_each(f)              f(time, event) in the order in which they would be popped
///   fields(archive)                  for StateArchive
template <class Event>
using EventQueue = WheelEventQueue<Event>;

}  // namespace lookahead
