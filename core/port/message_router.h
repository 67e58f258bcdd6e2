#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/message/byte_buffer.h"
#include "core/message/message.h"
#include "core/time/time.h"

namespace lookahead {

/// Messages that wait for an LP, in the order in which they came.
struct LpInbox {
    ByteBuffer arrived;             ///< new messages go here
    ByteBuffer due;                 ///< the messages that the LP reads while it advances
    Time earliest = kTimeInfinity;  ///< over `arrived`
};

/// Messages for another rank. The transport's header stands at the front of the bytes.
struct Batch {
    ByteBuffer bytes;
    Time earliest = kTimeInfinity;
    std::uint64_t messages = 0;
};

/// Where the messages of one rank's LPs go: straight into the inbox of an LP of this rank, or into the batch
/// for the rank of the receiver.
class MessageRouter {
  public:
    /// place[lp]: the LP's index on this rank, or kRemote | its rank.
    static constexpr std::uint32_t kRemote = 0x8000'0000u;

    MessageRouter(std::vector<std::uint32_t> places, std::size_t local_processes, std::size_t ranks)
        : places_(std::move(places)),
          inboxes_(local_processes),
          next_times_(local_processes, kTimeInfinity),
          batches_(ranks) {}

    /// Appends a message and returns where its payload goes.
    std::byte* append(const MessageHeader& header) {
        const std::uint32_t place = places_[header.destination];
        std::byte* bytes;
        if (place < kRemote) {
            LpInbox& inbox = inboxes_[place];
            inbox.earliest = std::min(inbox.earliest, header.time);
            next_times_[place] = std::min(next_times_[place], header.time);
            bytes = inbox.arrived.extend(header.total_bytes());
        } else {
            Batch& batch = batches_[place & ~kRemote];
            batch.earliest = std::min(batch.earliest, header.time);
            ++batch.messages;
            bytes = batch.bytes.extend(header.total_bytes());
        }
        std::memcpy(bytes, &header, sizeof header);
        return bytes + sizeof header;
    }

    std::vector<LpInbox>& inboxes() { return inboxes_; }
    std::vector<Batch>& batches() { return batches_; }
    /// For each local LP a bound below the time of all its events and messages.
    std::vector<Time>& next_times() { return next_times_; }

  private:
    std::vector<std::uint32_t> places_;
    std::vector<LpInbox> inboxes_;
    std::vector<Time> next_times_;
    std::vector<Batch> batches_;
};

}  // namespace lookahead
