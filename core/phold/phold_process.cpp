#include "core/phold/phold_process.h"

#include <array>
#include <bit>

#include "core/phold/exponential.h"
#include "core/phold/heap_event_queue.h"
#include "core/phold/wheel_event_queue.h"
#include "core/state/state_archive.h"

namespace lookahead {
namespace {

constexpr std::array<unsigned, 5> kPayloads{16, 32, 64, 160, 256};

template <unsigned kBytes>
struct PholdEvent {
    static constexpr MessageType kType =
        static_cast<MessageType>(200 + (std::find(kPayloads.begin(), kPayloads.end(), kBytes) - kPayloads.begin()));
    std::array<std::uint64_t, kBytes / 8> words;
};

using PholdEvent16 = PholdEvent<16>;
using PholdEvent32 = PholdEvent<32>;
using PholdEvent64 = PholdEvent<64>;
using PholdEvent160 = PholdEvent<160>;
using PholdEvent256 = PholdEvent<256>;
LOOKAHEAD_REGISTER_MESSAGE(PholdEvent16)
LOOKAHEAD_REGISTER_MESSAGE(PholdEvent32)
LOOKAHEAD_REGISTER_MESSAGE(PholdEvent64)
LOOKAHEAD_REGISTER_MESSAGE(PholdEvent160)
LOOKAHEAD_REGISTER_MESSAGE(PholdEvent256)

/// splitmix64: one step scrambles a seed well.
std::uint64_t scramble(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

template <class Event, template <class> class Queue>
class PholdProcess final : public LogicalProcess {
  public:
    PholdProcess(const PholdOptions& options, LpId id)
        : out_(add_out_port("events")),
          lps_(options.lps),
          self_(id),
          remote_(static_cast<std::uint64_t>(options.remote * 0x1p32)),
          lookahead_(phold_lookahead(options, id)),
          random_(scramble(options.seed * 0x1'0000'0001u + id) | 1) {
        for (std::uint32_t i = 0; i < options.events; ++i) {
            Event event{};
            event.words[0] = scramble(std::uint64_t{id} << 32 | i);
            queue_.push(exponential_delay(next_random(), kPholdUnit), event);
        }
    }

    void advance(Inbox inbox, Time horizon) override {
        std::size_t next = 0;
        while (true) {
            const Time local = queue_.next_time();
            if (next < inbox.size() && inbox[next]->time <= local) {
                const MessageHeader& message = *inbox[next++];
                handle(message.time, message.as<Event>());
            } else if (local < horizon) {
                handle(local, queue_.pop());
            } else {
                return;
            }
        }
    }

    Time next_event_time() const override { return queue_.next_time(); }
    bool finished() const override { return true; }
    std::string waiting_for() const override { return "nothing"; }
    std::uint64_t progress() const override { return handled_; }

    void fields(StateArchive& archive) override {
        archive& random_& checksum_& handled_;
        archive& queue_;
    }

  private:
    /// xorshift64* (Vigna 2016).
    std::uint64_t next_random() {
        random_ ^= random_ >> 12;
        random_ ^= random_ << 25;
        random_ ^= random_ >> 27;
        return random_ * 0x2545F4914F6CDD1Du;
    }

    void handle(Time now, const Event& event) {
        checksum_ = std::rotl((checksum_ ^ event.words[0]) * 0x9E3779B97F4A7C15u, 29) + static_cast<std::uint64_t>(now);
        ++handled_;
        const Time then = now + lookahead_ + exponential_delay(next_random(), kPholdUnit);
        const std::uint64_t draw = next_random();
        if ((draw >> 32) < remote_) {
            std::uint32_t to = self_ + 1 + static_cast<std::uint32_t>(((draw & 0xFFFF'FFFF) * (lps_ - 1)) >> 32);
            to -= to >= lps_ ? lps_ : 0;
            std::byte* place = out_.reserve(to, now, then, Event::kType, sizeof event);
            write(place, event, draw);
        } else {
            Event moved = event;
            moved.words[0] += draw;
            ++moved.words[1];
            queue_.push(then, moved);
        }
    }

    static void write(std::byte* place, const Event& event, std::uint64_t draw) {
        Event moved = event;
        moved.words[0] += draw;
        ++moved.words[1];
        std::memcpy(place, &moved, sizeof moved);
    }

    OutPort& out_;
    std::uint32_t lps_;
    LpId self_;
    std::uint64_t remote_;  // PholdOptions::remote in units of 2^-32
    Time lookahead_;
    std::uint64_t random_;
    std::uint64_t checksum_ = 0;
    std::uint64_t handled_ = 0;
    Queue<Event> queue_;
};

template <class Event>
using Wheel = WheelEventQueue<Event>;

template <class Event>
std::unique_ptr<LogicalProcess> make_with(const PholdOptions& options, LpId id) {
    if (options.queue == "heap") { return std::make_unique<PholdProcess<Event, HeapEventQueue>>(options, id); }
    return std::make_unique<PholdProcess<Event, Wheel>>(options, id);
}

}  // namespace

Time phold_lookahead(const PholdOptions& options, LpId id) {
    return static_cast<Time>(options.lookahead * static_cast<double>(kPholdUnit)) * (1 + 4 * (id % options.kinds));
}

std::span<const unsigned> phold_payloads() {
    return kPayloads;
}

std::unique_ptr<LogicalProcess> make_phold_process(const PholdOptions& options, LpId id) {
    // In the order of kPayloads.
    constexpr std::array kMakers{make_with<PholdEvent16>, make_with<PholdEvent32>, make_with<PholdEvent64>,
                                 make_with<PholdEvent160>, make_with<PholdEvent256>};
    return kMakers.at(static_cast<std::size_t>(std::ranges::find(kPayloads, options.payload) - kPayloads.begin()))(
        options, id);
}

}  // namespace lookahead
