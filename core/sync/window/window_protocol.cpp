#include "core/sync/window/window_protocol.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace lookahead {

namespace {

/// From as many calls of LogicalProcess::advance in a step of all ranks together their steps are halved.
std::uint64_t least_of_busy_step(const SyncArguments& arguments) {
    constexpr int kFewRanks = 4;  // packets of every step go to all others
    const int ranks = arguments.transport.size();
    // A log of windows is of such as all ranks begin and end together.
    const bool may_halve = ranks > 1 && ranks <= kFewRanks && !arguments.engine.profile().logs();
    return may_halve ? (arguments.processes + 1) / 2 : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

void WindowProtocol::Bounds::lower(const Bounds& other) {
    earliest = std::min(earliest, other.earliest);
    effect = std::min(effect, other.effect);
    advances += other.advances;
}

WindowProtocol::WindowProtocol(const SyncArguments& arguments)
    : engine_(arguments.engine),
      transport_(arguments.transport),
      lookahead_(arguments.lookahead.least_into(arguments.transport.rank())),
      busy_from_(least_of_busy_step(arguments)) {
    engine_.reserve_batch_headers(sizeof(Bounds) / 8);
}

void WindowProtocol::run_epoch(std::span<const Time> earliest, Time boundary) {
    known_.earliest = *std::min_element(earliest.begin(), earliest.end());
    reached_ = 0;
    engine_.start_clock();
    Bounds told;
    for (bool is_ahead = false;;) {
        const bool halves = is_busy() && known_.earliest < boundary;
        if (is_ahead && !halves) {
            receive(told);
            is_ahead = false;
            continue;
        }
        if (known_.earliest >= boundary) {
            break;
        }
        const Time nearest = std::max(saturating_add(known_.earliest, lookahead_), known_.effect);
        const Time end = std::min(boundary, nearest);
        const std::uint64_t advances = advance_to(halves && !is_ahead ? std::midpoint(known_.earliest, end) : end);
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

std::uint64_t WindowProtocol::advance_to(Time horizon) {
    const Time begin = std::max(known_.earliest, reached_);
    reached_ = std::max(horizon, reached_);
    engine_.count_window(std::max<Time>(reached_ - begin, 0));
    const std::uint64_t before = engine_.statistics().advances;
    engine_.account(TraceActivity::blocked);
    engine_.advance_to(reached_);
    engine_.account(TraceActivity::compute);
    return engine_.statistics().advances - before;
}

WindowProtocol::Bounds WindowProtocol::send(std::uint64_t advances) {
    const int ranks = transport_.size();
    const int rank = transport_.rank();
    Bounds mine{engine_.earliest(), engine_.earliest_effect(), advances};
    for (int to = 0; to < ranks; ++to) {
        if (to != rank) {
            mine.lower({engine_.batch(to).earliest, engine_.batch(to).effect, 0});
        }
    }
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
}

}  // namespace lookahead
