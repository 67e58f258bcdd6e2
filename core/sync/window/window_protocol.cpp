#include "core/sync/window/window_protocol.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <utility>

namespace lookahead {

void WindowProtocol::Bounds::lower(const Bounds& other) {
    lower_each(pending, other.pending);
    advances += other.advances;
    nanoseconds += other.nanoseconds;
}

WindowProtocol::WindowProtocol(const SyncArguments& arguments)
    : engine_(arguments.engine),
      transport_(arguments.transport),
      lookahead_(arguments.lookahead),
      may_halve_(transport_.size() > 1 && !engine_.profile().logs()),
      halves_always_(arguments.halves_always),
      busy_from_((arguments.processes + 1) / 2) {
    engine_.reserve_batch_headers(sizeof(Bounds) / 8);
}

void WindowProtocol::run_epoch(std::span<const Time> earliest, Time boundary) {
    first_ = *std::min_element(earliest.begin(), earliest.end());
    for (Time& pending : known_.pending) {
        pending = std::max(pending, first_);
    }
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
        if (first_ >= boundary) {
            break;
        }
        const std::uint64_t advances = advance_to(horizons(boundary, halves && !is_ahead));
        if (is_ahead) {
            receive(told);  // what came must be among what this rank tells next
        }
        told = send(advances);
        if (!halves) {
            receive(told);
        }
        is_ahead = halves;
    }
    engine_.account(TraceActivity::blocked);
}

/// Once for each step. All ranks know the same, and so choose alike.
bool WindowProtocol::choose_halves() {
    constexpr unsigned kSteps = 8;
    const Time gone = first_ - std::exchange(last_earliest_, first_);
    const bool is_busy = known_.advances >= busy_from_;
    if (!may_halve_ || !is_busy || halves_always_) {
        return may_halve_ && is_busy;
    }
    stretch_.advances += known_.advances;
    stretch_.nanoseconds += known_.nanoseconds;
    stretch_.gone += std::max<Time>(gone, 0);
    if (stretch_.steps++ % kSteps == 0) {
        if (stretch_.steps > 1 && stretch_.gone > 0) {
            halving_.took(static_cast<double>(stretch_.nanoseconds) / static_cast<double>(stretch_.gone));
        }
        halves_ = halving_.choose(halves_ ? stretch_.advances / 2 : stretch_.advances);
        stretch_ = {.steps = 1};
    }
    return halves_;
}

KindTimes WindowProtocol::horizons(Time boundary, bool halfway) const {
    KindTimes horizons = lookahead_.from_elsewhere(known_.pending);
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
    const int ranks = transport_.size();
    const int rank = transport_.rank();
    const TraceSink::Clock::time_point now = TraceSink::Clock::now();
    const std::chrono::nanoseconds spent = now - std::exchange(sent_, now);
    Bounds mine{engine_.pending(), advances, static_cast<std::uint64_t>(spent.count())};
    lower_each(mine.pending, engine_.take_sent());
    for (int i = 1; i < ranks; ++i) {
        const int to = (rank + i) % ranks;
        std::memcpy(engine_.batch_header(to), &mine, sizeof mine);
        const std::size_t bytes = engine_.batch(to).bytes.size();
        transport_.send(to, engine_.batch(to).bytes);
        engine_.reset_batch(to, bytes);
    }
    return mine;
}

void WindowProtocol::receive(const Bounds& told) {
    const int ranks = transport_.size();
    const int rank = transport_.rank();
    known_ = told;
    for (int i = 1; i < ranks; ++i) {
        const std::span<const std::byte> packet = transport_.receive((rank + i) % ranks);
        Bounds theirs;
        std::memcpy(&theirs, packet.data(), sizeof theirs);
        known_.lower(theirs);
        engine_.deliver(packet.subspan(sizeof theirs));
    }
    first_ = least_of(known_.pending);
}

}  // namespace lookahead
