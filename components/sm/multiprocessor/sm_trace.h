#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "components/sm/context_states.h"
#include "components/sm/counters.h"
#include "components/sm/lsu/load_store_unit.h"
#include "core/time/clock_domain.h"
#include "core/trace/model_trace.h"

namespace lookahead::gpu {

/// What an SM did over a stretch of simulated time: each warp's state, each scheduler's cause, the load/store unit's
/// queues. An observer: made only for runs with a trace, and no part of the SM's state.
class SmTrace {
  public:
    SmTrace(const TraceWindow& window, const ClockDomain& clock, unsigned warps, unsigned schedulers);

    /// Records the warps' states after the SM's work of cycle `now`. `extended`: warps for which a stream of the issue
    /// extension runs.
    void warps(Cycle now, const ContextStates& states, ContextMask extended);
    void queues(Cycle now, const LoadStoreOccupancy& occupancy);
    /// Records what was charged to the schedulers since the last call as the causes of the cycles from `begin` up to
    /// `end`.
    void schedulers(Cycle begin, Cycle end, const std::vector<SchedulerCounters>& counters);

    void visit(TraceVisitor& visitor, const std::string& process) const;

  private:
    /// A track's open span; kNothing: none.
    struct Open {
        std::uint8_t state = kNothing;
        Cycle begin = 0;
        Cycle end = 0;  ///< up to which its state is known
    };
    struct Span {
        std::uint16_t track;
        std::uint8_t state;
        Cycle begin;
        Cycle end;
    };
    struct Value {
        std::uint8_t quantity;
        std::uint32_t value;
        Cycle at;
    };
    static constexpr std::uint8_t kNothing = 0xff;

    bool outside(Cycle cycle) const { return cycle < begin_ || cycle >= end_; }
    void close(std::uint16_t track, Open& open, Cycle end);
    void show_spans(unsigned first_track, const std::vector<Open>& open, auto&& show) const;

    Cycle begin_;
    Cycle end_;
    std::size_t most_events_;
    ClockDomain clock_;
    std::vector<Open> warps_;                 ///< track i
    std::vector<Open> schedulers_;            ///< track warps_.size() + i
    std::vector<SchedulerCounters> charged_;  ///< up to the last call of schedulers()
    std::array<std::uint32_t, 3> last_values_{};
    bool has_values_ = false;
    std::vector<Span> spans_;
    std::vector<Value> values_;
};

}  // namespace lookahead::gpu
