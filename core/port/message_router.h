#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/message/byte_buffer.h"
#include "core/message/message.h"
#include "core/port/arrivals.h"
#include "core/port/source.h"
#include "core/time/time.h"

namespace lookahead {

/// Messages that wait for an LP on one of its sides (Arrivals), in the order in which they came.
struct LpInbox {
    ByteBuffer arrived;
    std::array<Time, Arrivals::kWays> least = {kTimeInfinity, kTimeInfinity};  ///< over `arrived`

    Time earliest() const { return std::min(least[Arrivals::kUsual], least[Arrivals::kAnswered]); }
    void clear() {
        arrived.clear();
        least = {kTimeInfinity, kTimeInfinity};
    }
};

/// Messages for another rank. The bytes begin with the transport's header.
struct Batch {
    ByteBuffer bytes;
    std::uint64_t messages = 0;

    /// Appends the messages of another batch and leaves it empty. The other batch must hold nothing else.
    void take(Batch& other) {
        bytes.append(other.bytes.data(), other.bytes.size());
        messages += std::exchange(other.messages, 0);
        other.bytes.clear();
    }
};

/// Routes the messages of one rank's LPs: into the inbox of an LP of this rank, or into the batch for the rank of the
/// receiver.
class MessageRouter {
  public:
    /// place[lp]: the LP's index on this rank, or kRemote | the number of the batch for its messages.
    static constexpr std::uint32_t kRemote = 0x8000'0000u;
    static constexpr std::uint32_t kNoPort = ~0u;

    /// All routers of the rank share `arrivals`; this one has the number `number`. Without `arrivals` it has its own.
    MessageRouter(const std::vector<std::uint32_t>& places, std::size_t local_processes, std::size_t batches,
                  std::shared_ptr<Arrivals> arrivals = nullptr, unsigned number = 0)
        : arrivals_(arrivals ? std::move(arrivals) : std::make_shared<Arrivals>(local_processes, 1)),
          number_(number),
          batches_(batches) {
        inboxes_[0].resize(local_processes);
        inboxes_[1].resize(local_processes);
        for (const std::uint32_t place : places) { receivers_.push_back({.place = place}); }
    }

    /// Appends a message and returns the address of its payload.
    std::byte* append(const MessageHeader& header) {
        const Receiver& receiver = receivers_[header.destination];
        const auto way = header.in_port == receiver.answering_port ? Arrivals::kAnswered : Arrivals::kUsual;
        std::byte* bytes;
        if (receiver.place < kRemote) {
            if (header.time < horizons_[receiver.kind]) [[unlikely]] { throw_too_early(header); }
            bytes = extend_inbox(receiver.place, way, header);
        } else {
            Time& least = sent_[way == Arrivals::kAnswered ? kAnswers : receiver.kind];
            least = std::min(least, header.time);
            Batch& batch = batches_[receiver.place & ~kRemote];
            ++batch.messages;
            bytes = batch.bytes.extend(header.total_bytes());
        }
        std::memcpy(bytes, &header, sizeof header);
        return bytes + sizeof header;
    }

    /// Puts a message, whatever its time, into the inbox of the local LP number `place`.
    void keep(std::size_t place, const MessageHeader& message) {
        const bool is_answered = message.in_port == receivers_[message.destination].answering_port;
        std::byte* bytes = extend_inbox(place, is_answered ? Arrivals::kAnswered : Arrivals::kUsual, message);
        std::memcpy(bytes, &message, message.total_bytes());
    }
    /// The same for all messages of `from`, an inbox of that LP, which is left empty.
    void keep_all(std::size_t place, LpInbox& from) {
        const unsigned side = this->side(place);
        LpInbox& inbox = inboxes_[side][place];
        for (const Arrivals::Way way : {Arrivals::kUsual, Arrivals::kAnswered}) {
            if (from.least[way] < inbox.least[way]) {
                inbox.least[way] = from.least[way];
                arrivals_->lower(place, side, way, from.least[way], number_);
            }
        }
        if (inbox.arrived.empty()) {
            inbox.arrived.swap(from.arrived);
        } else {
            inbox.arrived.append(from.arrived.data(), from.arrived.size());
        }
        from.clear();
    }

    /// The side of a local LP to which this router writes.
    unsigned side(std::size_t place) const { return arrivals_->side(place); }

    /// The inboxes, by LP.
    std::vector<LpInbox>& inboxes(unsigned side = 0) { return inboxes_[side]; }
    std::vector<Batch>& batches() { return batches_; }
    /// A lower bound of the times of all messages in the batches, by their source (source.h).
    SourceTimes& sent() { return sent_; }

    /// Sets an LP's kind and answering port; kNoPort if there is none.
    void describe(LpId lp, std::uint8_t kind, std::uint32_t answering_port) {
        receivers_[lp].kind = kind;
        receivers_[lp].answering_port = answering_port;
    }

    /// Sets the times, by kind, up to which LPs of this rank may have been advanced. No message to them that is sent
    /// from now on may be earlier; append() throws InternalError for one that is.
    void set_horizons(const KindTimes& horizons) { horizons_ = horizons; }

  private:
    struct Receiver {
        std::uint32_t place;
        std::uint32_t answering_port = kNoPort;
        std::uint8_t kind = 0;
    };

    std::byte* extend_inbox(std::size_t place, Arrivals::Way way, const MessageHeader& header) {
        const unsigned side = this->side(place);
        LpInbox& inbox = inboxes_[side][place];
        if (header.time < inbox.least[way]) {
            inbox.least[way] = header.time;
            arrivals_->lower(place, side, way, header.time, number_);
        }
        return inbox.arrived.extend(header.total_bytes());
    }
    [[noreturn]] void throw_too_early(const MessageHeader& header) const;

    std::vector<Receiver> receivers_;
    std::array<std::vector<LpInbox>, 2> inboxes_;  ///< by side of the LP
    std::shared_ptr<Arrivals> arrivals_;
    unsigned number_;
    std::vector<Batch> batches_;
    SourceTimes sent_ = all_at<kSourceCount>(kTimeInfinity);
    KindTimes horizons_ = all_at<kMostKinds>(0);
};

}  // namespace lookahead
