#pragma once

#include <chrono>

#include "core/time/time.h"

namespace lookahead {

/// The activity of a rank during a span of wall time.
enum class TraceActivity { compute, blocked };

/// Receives the spans of wall time of a rank.
class TraceSink {
  public:
    using Clock = std::chrono::steady_clock;
    virtual ~TraceSink() = default;
    /// `until`: the simulated time to which the rank advanced in the span, or had advanced before it waited.
    virtual void span(TraceActivity, Clock::time_point begin, Clock::time_point end, Time until) = 0;
};

}  // namespace lookahead
