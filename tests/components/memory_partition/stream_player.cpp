#include "tests/components/memory_partition/stream_player.h"

#include <cstring>

namespace lookahead::gpu::test {

StreamPlayer::StreamPlayer(unsigned number, unsigned requesters, unsigned lines)
    : number_(number),
      requesters_(requesters),
      requests_({}, CrossbarParameters{}.request_latency, clock_, add_out_port("requests"), 2),
      replies_({}, CrossbarParameters{}.request_latency, clock_, out_port(0), 2),
      to_send_(3 * ((lines + requesters - 1 - number) / requesters)) {}

void StreamPlayer::advance(Inbox inbox, Time horizon) {
    auto message = inbox.begin();
    while (true) {
        const Time arrival = message == inbox.end() ? kTimeInfinity : (*message)->time;
        if (std::min(arrival, next_event_time()) >= horizon) {
            return;
        }
        if (arrival > next_event_time()) {
            cycle(next_cycle_);
            continue;
        }
        const Cycle now = clock_.cycle_at_or_after(arrival);
        if ((*message)->type == Credit::kType) {
            requests_.receive_credit((*message)->in_port, (*message)->as<Credit>().flits, now);
        } else {
            replies_.receive(**message, (*message)->in_port, now);
        }
        next_cycle_ = std::min(next_cycle_, now);
        ++message;
    }
}

void StreamPlayer::cycle(Cycle now) {
    if (replies_.front(now) != nullptr) {
        replies_.pop(now);
        ++answered_;
        last_reply_ = now;
    }
    const auto may_send = [&] { return sent_ < to_send_ && sent_ - answered_ < kOutstanding; };
    if (may_send() && requests_.can_accept(now)) {
        send(now);
    }
    next_cycle_ = replies_.next_event(now);
    if (may_send()) {
        next_cycle_ = std::min(next_cycle_, requests_.can_accept(now) ? now + 1 : requests_.next_acceptance(now));
    }
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
        requests_.push<ReadRequest>(slice, now) = {.line = line, .tag = tag, .client = Client::demand};
        return;
    }
    auto& request = requests_.push<WriteRequest>(slice, now, kLineBytes);
    request = {.line = line, .mask = {{~std::uint64_t{0}, ~std::uint64_t{0}}}, .tag = tag, .words = kLineWords};
    std::memset(static_cast<void*>(&request + 1), 1, kLineBytes);
}

}  // namespace lookahead::gpu::test
