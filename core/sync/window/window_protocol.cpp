#include "core/sync/window/window_protocol.h"

#include <algorithm>
#include <cstring>

namespace lookahead {

void WindowProtocol::Bounds::lower(const Bounds& other) {
    earliest = std::min(earliest, other.earliest);
    effect = std::min(effect, other.effect);
}

WindowProtocol::WindowProtocol(const SyncArguments& arguments)
    : engine_(arguments.engine),
      transport_(arguments.transport),
      lookahead_(arguments.lookahead.least_into(arguments.transport.rank())) {
    engine_.reserve_batch_headers(sizeof(Bounds) / 8);
}

void WindowProtocol::run_epoch(std::span<const Time> earliest, Time boundary) {
    least_.earliest = *std::min_element(earliest.begin(), earliest.end());
    engine_.start_clock();
    while (least_.earliest < boundary) {
        const Time nearest = std::max(saturating_add(least_.earliest, lookahead_), least_.effect);
        const Time horizon = std::min(boundary, nearest);
        engine_.count_window(horizon - least_.earliest);
        engine_.advance_to(horizon);
        engine_.account(TraceActivity::compute);
        exchange();
        engine_.account(TraceActivity::blocked);
    }
}

void WindowProtocol::exchange() {
    const int ranks = transport_.size();
    const int rank = transport_.rank();
    least_ = {engine_.earliest(), engine_.earliest_effect()};
    for (int to = 0; to < ranks; ++to) {
        if (to != rank) {
            least_.lower({engine_.batch(to).earliest, engine_.batch(to).effect});
        }
    }
    const Bounds mine = least_;
    for (int i = 1; i < ranks; ++i) {
        const int to = (rank + i) % ranks;
        std::memcpy(engine_.batch_header(to), &mine, sizeof mine);
        const std::size_t bytes = engine_.batch(to).bytes.size();
        transport_.send(to, engine_.batch(to).bytes);
        engine_.reset_batch(to, bytes);
    }
    for (int i = 1; i < ranks; ++i) {
        const std::span<const std::byte> packet = transport_.receive((rank + i) % ranks);
        Bounds theirs;
        std::memcpy(&theirs, packet.data(), sizeof theirs);
        least_.lower(theirs);
        engine_.deliver(packet.subspan(sizeof theirs));
    }
}

}  // namespace lookahead
