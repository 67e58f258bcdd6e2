#include "tests/components/memory_partition/request_player.h"

#include <bit>
#include <cstring>

namespace lookahead::gpu::test {
namespace {

constexpr unsigned kCounterOffset = 120;

}  // namespace

RequestPlayer::RequestPlayer(const PlayerOptions& options)
    : Requester(options.crossbar, static_cast<unsigned>(options.mapping.slices_per_channel),
                ClockDomain(options.core_frequency)),
      options_(options),
      mapping_(options.mapping),
      random_(options.seed * 100 + options.number) {
    next_ = 0;
}

Cycle RequestPlayer::cycle(Cycle now) {
    if (const MessageHeader* reply = replies.front(now)) {
        check(*reply);
        replies.pop(now);
    }
    const auto may_send = [&] { return sent_ < options_.requests && pending_.size() < options_.outstanding; };
    if (may_send() && requests.can_accept(now) && random_() % 100 >= options_.idle_percent) { send(now); }
    return next_chance(may_send(), now);
}

void RequestPlayer::send(Cycle now) {
    const std::uint64_t local = random_() % options_.lines * kLineBytes;
    line_ = mapping_.address(0, local);
    const unsigned slice = mapping_.slice_in_channel(local);
    const std::uint32_t tag = sent_++;
    order_[line_].push_back(tag);
    switch (random_() % 8) {
        case 0:
            send_count(slice, now, tag);
            break;
        case 1:
            send_atomic(slice, now, tag);
            break;
        case 2:
        case 3:
        case 4:
            send_write(slice, now, tag);
            break;
        default:
            send_read(slice, now, tag);
            break;
    }
}

void RequestPlayer::send_read(unsigned slice, Cycle now, std::uint32_t tag) {
    pending_[tag] = {.kind = Kind::read, .line = line_, .expected = own_[line_]};
    const unsigned own = 1u << options_.number / 4;
    const unsigned sectors = options_.sectors ? own | (random_() & kAllSectors) : kAllSectors;
    requests.push<ReadRequest>(slice, now) = {
        .line = line_, .tag = tag, .client = Client::demand, .sectors = static_cast<SectorMask>(sectors)};
    ++reads_;
}

void RequestPlayer::send_write(unsigned slice, Cycle now, std::uint32_t tag) {
    const std::uint64_t value = std::uint64_t{random_()} << 32 | random_();
    const unsigned bytes = 1 + random_() % 255;  // one bit per byte
    std::uint64_t& own = own_[line_];
    ByteMask mask;
    std::uint32_t words[2];
    unsigned count = 0;
    for (unsigned byte = 0; byte < 8; ++byte) {
        if (bytes >> byte & 1) {
            mask.set(options_.number * 8 + byte, 1);
            const std::uint64_t place = std::uint64_t{0xff} << (8 * byte);
            own = (own & ~place) | (value & place);
        }
    }
    for (unsigned half = 0; half < 2; ++half) {
        if (bytes >> (4 * half) & 0xf) { words[count++] = static_cast<std::uint32_t>(value >> (32 * half)); }
    }
    pending_[tag] = {.kind = Kind::write, .line = line_, .expected = 0};
    auto& request = requests.push<WriteRequest>(slice, now, 4 * count);
    request = {.line = line_, .mask = mask, .tag = tag, .words = count};
    std::memcpy(&request + 1, words, 4 * count);
}

/// Adds to both own words at once; lanes add to the second word twice, in lane order.
void RequestPlayer::send_atomic(unsigned slice, Cycle now, std::uint32_t tag) {
    std::uint64_t& own = own_[line_];
    pending_[tag] = {.kind = Kind::atomic, .line = line_, .expected = own};
    const auto offset = static_cast<std::uint8_t>(options_.number * 8);
    const std::uint32_t more = random_();
    auto& request = requests.push<AtomicRequest>(slice, now, 3 * sizeof(AtomicLane));
    request = {
        .line = line_, .tag = tag, .op = isa::AtomicOp::add, .type = isa::Type::u32, .returns_value = 1, .lanes = 3};
    auto* lanes = reinterpret_cast<AtomicLane*>(&request + 1);
    lanes[0] = {.operand = more, .operand2 = 0, .lane = 4, .offset = offset, .unused = {}};
    lanes[1] = {.operand = 5, .operand2 = 0, .lane = 9, .offset = static_cast<std::uint8_t>(offset + 4), .unused = {}};
    lanes[2] = {.operand = 6, .operand2 = 0, .lane = 11, .offset = static_cast<std::uint8_t>(offset + 4), .unused = {}};
    const auto low = static_cast<std::uint32_t>(own) + more;
    const auto high = static_cast<std::uint32_t>(own >> 32) + 11;
    own = std::uint64_t{high} << 32 | low;
}

void RequestPlayer::send_count(unsigned slice, Cycle now, std::uint32_t tag) {
    pending_[tag] = {.kind = Kind::count, .line = line_, .expected = 0};
    auto& request = requests.push<AtomicRequest>(slice, now, sizeof(AtomicLane));
    request = {
        .line = line_, .tag = tag, .op = isa::AtomicOp::add, .type = isa::Type::u32, .returns_value = 1, .lanes = 1};
    *reinterpret_cast<AtomicLane*>(&request + 1) = {
        .operand = 1, .operand2 = 0, .lane = 0, .offset = kCounterOffset, .unused = {}};
}

void RequestPlayer::check(const MessageHeader& reply) {
    ++answered_;
    std::uint32_t tag = 0;
    if (reply.type == ReadReply::kType) {
        tag = reply.as<ReadReply>().tag;
    } else if (reply.type == WriteAcknowledge::kType) {
        tag = reply.as<WriteAcknowledge>().tag;
    } else {
        tag = reply.as<AtomicReply>().tag;
    }
    const auto found = pending_.find(tag);
    if (found == pending_.end()) {
        ++mismatches_;
        return;
    }
    const Pending pending = found->second;
    pending_.erase(found);
    expect(order_[pending.line].front() == tag);
    order_[pending.line].pop_front();
    switch (pending.kind) {
        case Kind::read: {
            expect(reply.type == ReadReply::kType && reply.as<ReadReply>().line == pending.line);
            const auto& read = reply.as<ReadReply>();
            const unsigned before = read.sectors & ((1u << options_.number / 4) - 1);
            std::uint64_t own;
            std::memcpy(&own,
                        read.data() + static_cast<unsigned>(std::popcount(before)) * kSectorBytes +
                            options_.number * 8 % kSectorBytes,
                        8);
            expect(own == pending.expected);
            break;
        }
        case Kind::write:
            expect(reply.type == WriteAcknowledge::kType);
            break;
        case Kind::atomic: {
            const auto* values = reinterpret_cast<const AtomicValue*>(&reply.as<AtomicReply>() + 1);
            expect(reply.type == AtomicReply::kType && reply.as<AtomicReply>().lanes == 3);
            expect(values[0].lane == 4 && values[0].value == static_cast<std::uint32_t>(pending.expected));
            expect(values[1].lane == 9 && values[1].value == pending.expected >> 32);
            expect(values[2].lane == 11 && values[2].value == static_cast<std::uint32_t>(values[1].value + 5));
            break;
        }
        case Kind::count: {
            const auto* values = reinterpret_cast<const AtomicValue*>(&reply.as<AtomicReply>() + 1);
            counter_values_[pending.line].push_back(static_cast<std::uint32_t>(values[0].value));
            break;
        }
    }
}

}  // namespace lookahead::gpu::test
