#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/message/byte_buffer.h"
#include "core/message/message.h"
#include "core/time/time.h"

namespace lookahead {

/// How long it takes at least until something that happens at an LP makes a message arrive anywhere.
struct Reach {
    static constexpr std::uint32_t kNoPort = ~0u;

    Time least = 0;                          ///< of any of its events
    Time answer = 0;                         ///< of a message to the in-port `answering`
    std::uint32_t answering_port = kNoPort;  ///< see Model::answer_only
};

/// Messages that wait for an LP, in the order in which they came.
struct LpInbox {
    ByteBuffer arrived;             ///< new messages go here
    ByteBuffer due;                 ///< the messages that the LP reads while it advances
    Time earliest = kTimeInfinity;  ///< over `arrived`
    Time effect = kTimeInfinity;    ///< a bound below all messages that those in `arrived` bring about
};

/// Messages for another rank. The transport's header stands at the front of the bytes.
struct Batch {
    ByteBuffer bytes;
    Time earliest = kTimeInfinity;
    Time effect = kTimeInfinity;  ///< as an inbox's
    std::uint64_t messages = 0;

    /// Appends the messages of another batch, which has nothing else, and leaves it empty.
    void take(Batch& other) {
        bytes.append(other.bytes.data(), other.bytes.size());
        earliest = std::min(earliest, other.earliest);
        effect = std::min(effect, other.effect);
        messages += other.messages;
        other.bytes.clear();
        other.earliest = kTimeInfinity;
        other.effect = kTimeInfinity;
        other.messages = 0;
    }
};

/// Where the messages of one rank's LPs go: straight into the inbox of an LP of this rank, or into the batch
/// for the rank of the receiver.
class MessageRouter {
  public:
    /// place[lp]: the LP's index on this rank, or kRemote | its rank.
    static constexpr std::uint32_t kRemote = 0x8000'0000u;

    MessageRouter(const std::vector<std::uint32_t>& places, std::size_t local_processes, std::size_t ranks)
        : inboxes_(local_processes),
          next_times_(local_processes, kTimeInfinity),
          next_effects_(local_processes, kTimeInfinity),
          batches_(ranks) {
        for (const std::uint32_t place : places) {
            receivers_.push_back({place, {}});
        }
    }

    /// Appends a message and returns where its payload goes.
    std::byte* append(const MessageHeader& header) {
        const std::uint32_t place = receivers_[header.destination].place;
        std::byte* bytes;
        if (place < kRemote) {
            if (header.time < horizon_) [[unlikely]] {
                throw_too_early(header);
            }
            bytes = extend_inbox(place, header);
        } else {
            const Time effect = effect_of(header);
            Batch& batch = batches_[place & ~kRemote];
            batch.earliest = std::min(batch.earliest, header.time);
            batch.effect = std::min(batch.effect, effect);
            ++batch.messages;
            bytes = batch.bytes.extend(header.total_bytes());
        }
        std::memcpy(bytes, &header, sizeof header);
        return bytes + sizeof header;
    }

    /// Puts a message, whatever its time, into the inbox of the local LP number `place`.
    void keep(std::size_t place, const MessageHeader& message) {
        std::memcpy(extend_inbox(place, message), &message, message.total_bytes());
    }

    std::vector<LpInbox>& inboxes() { return inboxes_; }
    std::vector<Batch>& batches() { return batches_; }
    /// For each local LP a bound below the time of all its events and messages.
    std::vector<Time>& next_times() { return next_times_; }
    /// For each local LP a bound below the time of all messages that its events and messages bring about, anywhere.
    std::vector<Time>& next_effects() { return next_effects_; }

    void set_reach(LpId lp, const Reach& reach) { receivers_[lp].reach = reach; }
    const Reach& reach(LpId lp) const { return receivers_[lp].reach; }
    Time effect_of(const MessageHeader& header) const {
        const Reach& reach = receivers_[header.destination].reach;
        return saturating_add(header.time, header.in_port == reach.answering_port ? reach.answer : reach.least);
    }

    /// LPs of this rank may have been advanced up to here: no message for one may lie before.
    void set_horizon(Time horizon) { horizon_ = horizon; }

  private:
    struct Receiver {
        std::uint32_t place;
        Reach reach;
    };

    std::byte* extend_inbox(std::size_t place, const MessageHeader& header) {
        const Time effect = effect_of(header);
        LpInbox& inbox = inboxes_[place];
        inbox.earliest = std::min(inbox.earliest, header.time);
        inbox.effect = std::min(inbox.effect, effect);
        next_times_[place] = std::min(next_times_[place], header.time);
        next_effects_[place] = std::min(next_effects_[place], effect);
        return inbox.arrived.extend(header.total_bytes());
    }
    [[noreturn]] void throw_too_early(const MessageHeader& header) const;

    std::vector<Receiver> receivers_;
    std::vector<LpInbox> inboxes_;
    std::vector<Time> next_times_;
    std::vector<Time> next_effects_;
    std::vector<Batch> batches_;
    Time horizon_ = 0;
};

}  // namespace lookahead
