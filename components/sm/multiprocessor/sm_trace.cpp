#include "components/sm/multiprocessor/sm_trace.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace lookahead::gpu {

namespace {

/// The state of a warp that waits while the issue extension runs a stream for it.
constexpr auto kExtended = static_cast<std::uint8_t>(ContextState::count);

std::vector<std::string> state_names() {
    std::vector<std::string> names = {"vacant",   "exited",  "fetching",      "branching",        "at_barrier",
                                      "at_fence", "stalled", "awaits_memory", "awaits_constants", "awaits_pipeline"};
    for (const UnitInfo& unit : kUnits) { names.push_back(fmt::format("ready_{}", unit.name)); }
    names.insert(names.end(), {"held", "passing", "pre_executing"});
    return names;
}

constexpr std::string_view kQueueNames[] = {"load/store unit: instructions", "L1: fills under way",
                                            "L1: requests to send"};

std::vector<std::string> cause_names() {
    std::vector<std::string> names;
    for_each_statistic<SchedulerCounters>([&](const StatisticDescription& what) { names.emplace_back(what.name); });
    return names;
}

}  // namespace

SmTrace::SmTrace(const TraceWindow& window, const ClockDomain& clock, unsigned warps, unsigned schedulers)
    : begin_(clock.cycle_at_or_after(window.begin)),
      end_(window.end == kTimeInfinity ? kCycleInfinity : clock.cycle_at_or_after(window.end)),
      most_events_(window.most_events),
      clock_(clock),
      warps_(warps),
      schedulers_(schedulers),
      charged_(schedulers) {}

void SmTrace::close(std::uint16_t track, Open& open, Cycle end) {
    const Cycle begin = std::max(open.begin, begin_);
    end = std::min(end, end_);
    if (open.state != kNothing && begin < end && spans_.size() + values_.size() < most_events_) {
        spans_.push_back({track, open.state, begin, end});
    }
    open.state = kNothing;
}

void SmTrace::warps(Cycle now, const ContextStates& states, ContextMask extended) {
    if (now >= end_) { return; }
    for (std::uint16_t warp = 0; warp < warps_.size(); ++warp) {
        Open& open = warps_[warp];
        const ContextState state = states.of(warp);
        const std::uint8_t number = state == ContextState::vacant ? kNothing
                                    : extended.has(warp)          ? kExtended
                                                                  : static_cast<std::uint8_t>(state);
        if (number != open.state) {
            close(warp, open, now);
            open = {number, now, now};
        }
        open.end = now + 1;
    }
}

void SmTrace::queues(Cycle now, const LoadStoreOccupancy& occupancy) {
    if (outside(now)) { return; }
    const std::array<std::uint32_t, 3> now_values{occupancy.instructions, occupancy.fills, occupancy.requests};
    for (std::uint8_t i = 0; i < now_values.size(); ++i) {
        if ((!has_values_ || now_values[i] != last_values_[i]) && spans_.size() + values_.size() < most_events_) {
            values_.push_back({i, now_values[i], now});
        }
    }
    last_values_ = now_values;
    has_values_ = true;
}

void SmTrace::schedulers(Cycle begin, Cycle end, const std::vector<SchedulerCounters>& counters) {
    for (std::size_t i = 0; i < schedulers_.size(); ++i) {
        const auto changed = std::ranges::mismatch(counters[i].cycles, charged_[i].cycles).in1;
        charged_[i] = counters[i];
        if (changed == counters[i].cycles.end() || begin >= end_) { continue; }
        const auto cause = static_cast<std::uint8_t>(changed - counters[i].cycles.begin());
        Open& open = schedulers_[i];
        if (open.state != cause || open.end != begin) {
            close(static_cast<std::uint16_t>(warps_.size() + i), open, open.end);
            open = {cause, begin, end};
        }
        open.end = end;
    }
}

/// Calls show(track, state, begin, end) for the spans of some tracks, track by track, with those that are still open.
void SmTrace::show_spans(unsigned first_track, const std::vector<Open>& open, auto&& show) const {
    for (unsigned i = 0; i < open.size(); ++i) {
        for (const Span& span : spans_) {
            if (span.track == first_track + i) { show(i, span.state, span.begin, span.end); }
        }
        const Cycle begin = std::max(open[i].begin, begin_);
        const Cycle end = std::min(open[i].end, end_);
        if (open[i].state != kNothing && begin < end) { show(i, open[i].state, begin, end); }
    }
}

void SmTrace::visit(TraceVisitor& visitor, const std::string& process) const {
    const std::vector<std::string> states = state_names();
    show_spans(0, warps_, [&](unsigned warp, std::uint8_t state, Cycle begin, Cycle end) {
        visitor.span(process, fmt::format("warp {}", warp), states[state], clock_.edge(begin), clock_.edge(end));
    });
    const std::vector<std::string> causes = cause_names();
    const auto first = static_cast<unsigned>(warps_.size());
    show_spans(first, schedulers_, [&](unsigned scheduler, std::uint8_t cause, Cycle begin, Cycle end) {
        visitor.span(process, fmt::format("scheduler {}", scheduler), causes[cause], clock_.edge(begin),
                     clock_.edge(end));
    });
    for (const Value& value : values_) {
        visitor.value(process, kQueueNames[value.quantity], clock_.edge(value.at), value.value);
    }
}

}  // namespace lookahead::gpu
