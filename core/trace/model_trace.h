#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/time/time.h"

namespace lookahead {

/// The part of simulated time that a logical process records, and the most events that it records.
struct TraceWindow {
    Time begin = 0;
    Time end = kTimeInfinity;
    std::size_t most_events = 0;  ///< for one process; later events are left out
};

/// Receives the records of a process, track by track, each in the order of simulated time.
class TraceVisitor {
  public:
    virtual ~TraceVisitor() = default;
    /// `track` ("worker 3") was in a state ("waiting") from `begin` up to `end`. Spans of a track do not overlap.
    virtual void span(std::string_view process, std::string_view track, std::string_view state, Time begin,
                      Time end) = 0;
    /// A quantity ("queue length") has this value from `at` on.
    virtual void value(std::string_view process, std::string_view quantity, Time at, std::uint64_t value) = 0;
};

}  // namespace lookahead
