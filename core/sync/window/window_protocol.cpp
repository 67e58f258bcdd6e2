#include "core/sync/window/window_protocol.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <utility>

namespace lookahead {

void WindowProtocol::Bounds::join(const Bounds& other) {
    lower_each(pending, other.pending);
    idles = std::max(idles, other.idles);
    advances = std::max(advances, other.advances);
    nanoseconds = std::max(nanoseconds, other.nanoseconds);
    blocked = std::max(blocked, other.blocked);
}

WindowProtocol::WindowProtocol(const SyncArguments& arguments)
    : SyncProtocol(arguments),
      may_halve_(transport_.size() > 1 && !engine_.profile().logs()),
      halves_always_(arguments.halves_always) {
    engine_.messages().reserve_batch_headers(sizeof(Bounds) / 8);
}

void WindowProtocol::run_epoch(std::span<const Time> earliest, Time boundary) {
    first_ = *std::min_element(earliest.begin(), earliest.end());
    for (Time& pending : known_.pending) { pending = std::max(pending, first_); }
    reached_ = all_at<kMostKinds>(0);
    engine_.start_clock();
    sent_ = TraceSink::Clock::now();
    Bounds told;
    for (bool is_ahead = false;;) {
        const bool halves = choose_halves() && first_ < boundary;
        if (is_ahead && !halves) {
            receive(told);
            is_ahead = false;
            continue;
        }
        if (first_ >= boundary) { break; }
        const std::uint64_t advances = advance_to(horizons(boundary, halves && !is_ahead));
        if (is_ahead) {
            receive(told);  // the next telling must include the messages received
        }
        told = send(advances);
        if (!halves) { receive(told); }
        is_ahead = halves;
    }
    engine_.account(TraceActivity::blocked);
}

/// Call it once per step. All ranks have the same values and so choose alike.
bool WindowProtocol::choose_halves() {
    constexpr unsigned kSteps = 8;
    constexpr std::uint64_t kNotable = 16;  // blocked for a sixteenth of the time
    const Time gone = first_ - std::exchange(last_earliest_, first_);
    const bool is_busy = known_.advances > 0 && known_.idles == 0;
    if (!may_halve_ || !is_busy || halves_always_) { return may_halve_ && is_busy; }
    stretch_.advances += known_.advances;
    stretch_.nanoseconds += known_.nanoseconds;
    stretch_.blocked += known_.blocked;
    stretch_.gone += std::max<Time>(gone, 0);
    if (stretch_.steps++ % kSteps == 0) {
        const bool is_measured = stretch_.steps > 1 && stretch_.gone > 0;
        if (is_measured && is_trial_) {
            halving_.took(static_cast<double>(stretch_.nanoseconds) / static_cast<double>(stretch_.gone));
        }
        // Half windows shorten the waits: a notable part stays notable until whole windows are tried again.
        is_trial_ = halves_ || (is_measured && stretch_.blocked * kNotable >= stretch_.nanoseconds);
        halves_ = is_trial_ && halving_.choose(halves_ ? stretch_.advances / 2 : stretch_.advances);
        stretch_ = {.steps = 1};
    }
    return halves_;
}

KindTimes WindowProtocol::horizons(Time boundary, bool halfway) const {
    KindTimes horizons = lookahead_.from_elsewhere_at_any_rank(known_.pending);
    for (std::size_t kind = 0; kind < kMostKinds; ++kind) {
        const Time end = std::min(boundary, horizons[kind]);
        horizons[kind] = std::max(reached_[kind], halfway ? std::midpoint(first_, end) : end);
    }
    return horizons;
}

std::uint64_t WindowProtocol::advance_to(const KindTimes& horizons) {
    const Time begin = std::max(first_, engine_.of_most(reached_));
    reached_ = horizons;
    engine_.count_window(std::max<Time>(engine_.of_most(reached_) - begin, 0));
    const std::uint64_t before = engine_.statistics().advances;
    engine_.account(TraceActivity::blocked);
    engine_.advance_to(reached_);
    engine_.account(TraceActivity::compute);
    return engine_.statistics().advances - before;
}

WindowProtocol::Bounds WindowProtocol::send(std::uint64_t advances) {
    const TraceSink::Clock::time_point now = TraceSink::Clock::now();
    const std::chrono::nanoseconds spent = now - std::exchange(sent_, now);
    const double blocked = engine_.statistics().blocked_seconds;
    const double blocked_since = blocked - std::exchange(blocked_before_, blocked);
    const bool idles = 2 * advances < engine_.processes().size();
    Bounds mine{engine_.processes().pending(), idles, advances, static_cast<std::uint64_t>(spent.count()),
                static_cast<std::uint64_t>(blocked_since * 1e9)};
    lower_each(mine.pending, engine_.messages().take_sent());
    const std::size_t first = routes_.in_rounds() ? std::min<std::size_t>(1, routes_.batches()) : routes_.batches();
    for (std::size_t number = 0; number < first; ++number) { send_batch(number, mine); }
    return mine;
}

void WindowProtocol::send_batch(std::size_t number, const Bounds& told) {
    std::memcpy(engine_.messages().batch_header(number), &told, sizeof told);
    engine_.messages().send(number, transport_);
}

void WindowProtocol::receive(const Bounds& told) {
    known_ = told;
    for (std::size_t number = 0; number < routes_.batches(); ++number) {
        if (number > 0 && routes_.in_rounds()) { send_batch(number, known_); }
        const std::span<const std::byte> packet = transport_.receive(routes_.from(number));
        Bounds theirs;
        std::memcpy(&theirs, packet.data(), sizeof theirs);
        known_.join(theirs);
        engine_.deliver(packet.subspan(sizeof theirs));
    }
    first_ = least_of(known_.pending);
}

}  // namespace lookahead
