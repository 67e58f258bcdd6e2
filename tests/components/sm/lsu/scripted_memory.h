#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "components/isa/memory_access.h"
#include "components/protocols/byte_mask.h"
#include "components/protocols/memory.h"
#include "components/sm/lsu/memory_port.h"

namespace lookahead::gpu::test {

/// A message with its payload, as delivered by the engine.
class MessageBuffer {
  public:
    MessageBuffer(GpuMessage type, const std::byte* payload, std::size_t bytes)
        : words_((sizeof(MessageHeader) + bytes + 7) / 8) {
        MessageHeader head{};
        head.type = static_cast<MessageType>(type);
        head.payload_words = static_cast<std::uint8_t>(words_.size() - sizeof head / 8);
        std::memcpy(words_.data(), &head, sizeof head);
        std::memcpy(reinterpret_cast<std::byte*>(words_.data()) + sizeof head, payload, bytes);
    }
    template <class P>
    explicit MessageBuffer(const P& payload)
        : MessageBuffer(static_cast<GpuMessage>(P::kType), reinterpret_cast<const std::byte*>(&payload),
                        sizeof payload) {}

    const MessageHeader& header() const { return *reinterpret_cast<const MessageHeader*>(words_.data()); }

  private:
    std::vector<std::uint64_t> words_;
};

/// The owner of all lines, for several SMs: flat memory, with delays that a test chooses for each message. Messages of
/// an SM to a line must stay in order in both directions. A request is performed when it arrives.
class ScriptedMemory {
  public:
    using LineBytes = std::array<std::byte, kLineBytes>;
    /// Cycles that a message to (true) or from (false) the owner takes; at least 1.
    using Delay = std::function<Cycle(unsigned sm, std::uint64_t line, bool to_owner)>;
    /// Called for each 32-bit word that changes, in order.
    using WriteObserver = std::function<void(std::uint64_t address, std::uint32_t value)>;

    explicit ScriptedMemory(unsigned sms) : replies_(sms), delay_([](unsigned, std::uint64_t, bool) { return 10; }) {}

    void set_delay(Delay delay) { delay_ = std::move(delay); }
    void set_observer(WriteObserver observer) { observer_ = std::move(observer); }

    LineBytes& line(std::uint64_t address) { return lines_[address & ~std::uint64_t{kLineBytes - 1}]; }
    std::uint32_t word(std::uint64_t address) {
        std::uint32_t value = 0;
        std::memcpy(&value, &line(address)[address % kLineBytes], 4);
        return value;
    }
    void set_word(std::uint64_t address, std::uint32_t value) {
        std::memcpy(&line(address)[address % kLineBytes], &value, 4);
    }
    /// Sets `words` words from an address on, each one more than the previous one.
    void set_words(std::uint64_t address, unsigned words, std::uint32_t first) {
        for (unsigned i = 0; i < words; ++i) { set_word(address + 4 * i, first + i); }
    }

    void send(unsigned sm, GpuMessage type, const std::byte* payload, std::size_t bytes, Cycle now) {
        std::uint64_t where = 0;
        std::memcpy(&where, payload, 8);
        Cycle& last = last_arrival_[{sm, where}];
        last = std::max(last, now + delay_(sm, where, true));
        requests_.emplace(std::pair{last, sent_++}, Request{sm, where, MessageBuffer(type, payload, bytes)});
        ++count_[static_cast<std::size_t>(type)];
    }

    /// Performs all requests that arrive by `now`.
    void advance(Cycle now) {
        while (!requests_.empty() && requests_.begin()->first.first <= now) {
            const Cycle time = requests_.begin()->first.first;
            perform(requests_.begin()->second, time);
            requests_.erase(requests_.begin());
        }
    }

    /// The next due reply for the SM, or null.
    const MessageHeader* next_reply(unsigned sm, Cycle now) {
        auto& queue = replies_[sm];
        if (queue.empty() || queue.begin()->first.first > now) { return nullptr; }
        taken_ = std::make_shared<MessageBuffer>(queue.begin()->second);
        queue.erase(queue.begin());
        return &taken_->header();
    }
    Cycle next_reply_cycle(unsigned sm, Cycle now) const {
        const auto& queue = replies_[sm];
        return queue.empty() ? kCycleInfinity : std::max(now + 1, queue.begin()->first.first);
    }

    unsigned count(GpuMessage type) const { return count_[static_cast<std::size_t>(type)]; }

  private:
    struct Request {
        unsigned sm;
        std::uint64_t line;
        MessageBuffer message;
    };

    void perform(const Request& request, Cycle now) {
        const MessageHeader& message = request.message.header();
        switch (static_cast<GpuMessage>(message.type)) {
            case GpuMessage::read_request:
                return read(request, message.as<ReadRequest>(), now);
            case GpuMessage::write_request:
                return write(request, message.as<WriteRequest>(), now);
            default:
                return atomic(request, message.as<AtomicRequest>(), now);
        }
    }

    void read(const Request& request, const ReadRequest& read, Cycle now) {
        const ReadReply head{.line = read.line, .tag = read.tag, .client = read.client, .sectors = read.sectors};
        std::vector<std::byte> payload(sizeof head);
        std::memcpy(payload.data(), &head, sizeof head);
        for (unsigned sector = 0; sector < kSectors; ++sector) {
            if ((read.sectors >> sector & 1) != 0) {
                const std::byte* first = line(read.line).data() + sector * kSectorBytes;
                payload.insert(payload.end(), first, first + kSectorBytes);
            }
        }
        answer(request, MessageBuffer(GpuMessage::read_reply, payload.data(), payload.size()), now);
    }

    void write(const Request& request, const WriteRequest& write, Cycle now) {
        LineBytes data{};
        const auto* packed = reinterpret_cast<const std::byte*>(&write + 1);
        for (unsigned word = 0; word < kLineWords; ++word) {
            if (words_of(write.mask) >> word & 1) {
                std::memcpy(&data[4 * word], packed, 4);
                packed += 4;
            }
        }
        copy_bytes(line(write.line).data(), data.data(), write.mask);
        for (unsigned word = 0; word < kLineWords; ++word) {
            if (words_of(write.mask) >> word & 1) { changed(write.line + 4 * word); }
        }
        answer(request, MessageBuffer(WriteAcknowledge{.tag = write.tag, .unused = 0}), now);
    }

    void atomic(const Request& request, const AtomicRequest& atomic, Cycle now) {
        const auto* lanes = reinterpret_cast<const AtomicLane*>(&atomic + 1);
        const unsigned bytes = isa::type_bytes(atomic.type);
        std::vector<std::byte> payload(sizeof(AtomicReply) + atomic.lanes * sizeof(AtomicValue));
        const AtomicReply head{.tag = atomic.tag, .lanes = atomic.lanes};
        std::memcpy(payload.data(), &head, sizeof head);
        for (unsigned i = 0; i < atomic.lanes; ++i) {
            AtomicValue value{.value = 0, .lane = lanes[i].lane};
            std::byte* place = &line(atomic.line)[lanes[i].offset];
            std::memcpy(&value.value, place, bytes);
            const std::uint64_t result =
                isa::apply_atomic(atomic.op, atomic.type, value.value, lanes[i].operand, lanes[i].operand2);
            std::memcpy(place, &result, bytes);
            std::memcpy(payload.data() + sizeof head + i * sizeof value, &value, sizeof value);
            changed(atomic.line + lanes[i].offset);
        }
        if (atomic.returns_value != 0) {
            answer(request, MessageBuffer(GpuMessage::atomic_reply, payload.data(), payload.size()), now);
        } else {
            answer(request, MessageBuffer(WriteAcknowledge{.tag = atomic.tag, .unused = 0}), now);
        }
    }

    void answer(const Request& request, MessageBuffer message, Cycle now) {
        Cycle& last = last_reply_[{request.sm, request.line}];
        last = std::max(last, now + delay_(request.sm, request.line, false));
        replies_[request.sm].emplace(std::pair{last, sent_++}, std::move(message));
    }

    void changed(std::uint64_t address) {
        if (observer_) { observer_(address, word(address)); }
    }

    using Key = std::pair<Cycle, std::uint64_t>;  // time, then order of sending
    std::map<std::uint64_t, LineBytes> lines_;
    std::map<Key, Request> requests_;
    std::vector<std::map<Key, MessageBuffer>> replies_;
    std::map<std::pair<unsigned, std::uint64_t>, Cycle> last_arrival_;
    std::map<std::pair<unsigned, std::uint64_t>, Cycle> last_reply_;
    std::uint64_t sent_ = 0;
    std::array<unsigned, 256> count_{};
    std::shared_ptr<MessageBuffer> taken_;
    Delay delay_;
    WriteObserver observer_;
};

/// An SM's port to a ScriptedMemory. It has no state to save.
class ScriptedPort final : public MemoryPort {
  public:
    ScriptedPort(ScriptedMemory& memory, unsigned sm) : memory_(memory), sm_(sm) {}

    bool can_send(Cycle now) const override { return !memory_closed(now); }
    Cycle next_send(Cycle now) const override { return memory_closed(now + 1) ? opens_at : now + 1; }
    void send(GpuMessage type, const std::byte* payload, std::size_t bytes, Cycle now) override {
        memory_.send(sm_, type, payload, bytes, now);
    }
    void receive(const MessageHeader&, Cycle) override {}
    const MessageHeader* next_reply(Cycle now) override { return memory_.next_reply(sm_, now); }
    Cycle next_reply_cycle(Cycle now) const override { return memory_.next_reply_cycle(sm_, now); }
    bool drained() const override { return memory_.next_reply_cycle(sm_, 0) == kCycleInfinity; }
    void fields(StateArchive&) override {}

    Cycle opens_at = 0;

  private:
    bool memory_closed(Cycle now) const { return now < opens_at; }

    ScriptedMemory& memory_;
    unsigned sm_;
};

}  // namespace lookahead::gpu::test
