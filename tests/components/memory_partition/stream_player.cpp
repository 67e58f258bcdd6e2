#include "tests/components/memory_partition/stream_player.h"

#include <cstring>

namespace lookahead::gpu::test {

StreamPlayer::StreamPlayer(unsigned number, unsigned requesters, unsigned lines)
    : Requester(CrossbarParameters{}, 2),
      number_(number),
      requesters_(requesters),
      to_send_(3 * ((lines + requesters - 1 - number) / requesters)) {
    next_ = 0;
}

Cycle StreamPlayer::cycle(Cycle now) {
    if (replies.front(now) != nullptr) {
        replies.pop(now);
        ++answered_;
        last_reply_ = now;
    }
    const auto may_send = [&] { return sent_ < to_send_ && sent_ - answered_ < kOutstanding; };
    if (may_send() && requests.can_accept(now)) { send(now); }
    return next_chance(may_send(), now);
}

void StreamPlayer::send(Cycle now) {
    constexpr std::uint64_t kArrayBytes = 0x123'4000;
    const unsigned array = sent_ % 3;
    const std::uint64_t index = std::uint64_t{sent_ / 3} * requesters_ + number_;
    const std::uint64_t local = array * kArrayBytes + index * kLineBytes;
    const std::uint64_t line = mapping_.address(0, local);
    const unsigned slice = mapping_.slice_in_channel(local);
    const std::uint32_t tag = sent_++;
    if (array < 2) {
        requests.push<ReadRequest>(slice, now) = {.line = line, .tag = tag, .client = Client::demand};
        return;
    }
    auto& request = requests.push<WriteRequest>(slice, now, kLineBytes);
    request = {.line = line, .mask = {{~std::uint64_t{0}, ~std::uint64_t{0}}}, .tag = tag, .words = kLineWords};
    std::memset(static_cast<void*>(&request + 1), 1, kLineBytes);
}

}  // namespace lookahead::gpu::test
