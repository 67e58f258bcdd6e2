#include "core/sync/window/window_protocol.h"

#include <algorithm>
#include <cstring>

namespace lookahead {

WindowProtocol::WindowProtocol(const SyncArguments& arguments)
    : engine_(arguments.engine),
      transport_(arguments.transport),
      lookahead_(arguments.lookahead.least_into(arguments.transport.rank())) {
    engine_.reserve_batch_headers(1);
}

void WindowProtocol::run_epoch(std::span<const Time> earliest, Time boundary) {
    Time first = *std::min_element(earliest.begin(), earliest.end());
    engine_.start_clock();
    while (first < boundary) {
        const Time horizon = std::min(boundary, saturating_add(first, lookahead_));
        engine_.count_window(horizon - first);
        engine_.advance_to(horizon);
        engine_.account(TraceActivity::compute);
        first = exchange();
        engine_.account(TraceActivity::blocked);
    }
}

Time WindowProtocol::exchange() {
    const int ranks = transport_.size();
    const int rank = transport_.rank();
    Time least = engine_.earliest();
    for (int to = 0; to < ranks; ++to) {
        least = to == rank ? least : std::min(least, engine_.batch(to).earliest);
    }
    const Time mine = least;
    for (int i = 1; i < ranks; ++i) {
        const int to = (rank + i) % ranks;
        *engine_.batch_header(to) = static_cast<std::uint64_t>(mine);
        const std::size_t bytes = engine_.batch(to).bytes.size();
        transport_.send(to, engine_.batch(to).bytes);
        engine_.reset_batch(to, bytes);
    }
    for (int i = 1; i < ranks; ++i) {
        const std::span<const std::byte> packet = transport_.receive((rank + i) % ranks);
        Time theirs = 0;
        std::memcpy(&theirs, packet.data(), sizeof theirs);
        least = std::min(least, theirs);
        engine_.deliver(packet.subspan(sizeof theirs));
    }
    return least;
}

}  // namespace lookahead
