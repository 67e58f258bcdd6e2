#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "core/error/error.h"
#include "core/message/message.h"
#include "core/port/message_router.h"
#include "core/time/time.h"

namespace lookahead {

/// An LP's output to other LPs: it fans out to destinations 0 .. fan_out() - 1, in the order of the Model::connect
/// calls. Every message arrives at least lookahead(destination) after the time at which it is sent.
class OutPort {
  public:
    /// `owner`: the name of the LP, which must outlive the port.
    OutPort(const std::string& owner, std::string name) : owner_(owner), name_(std::move(name)) {}
    OutPort(const OutPort&) = delete;
    OutPort& operator=(const OutPort&) = delete;

    const std::string& name() const { return name_; }
    unsigned fan_out() const { return fan_out_; }
    Time lookahead(unsigned destination) const { return destinations_[destination & index_mask_].lookahead; }

    /// Sends a payload at `now` that arrives at `arrival`. Throws InternalError, which names the LP and the time, if
    /// arrival < now + lookahead(destination).
    template <class P>
    void send(unsigned destination, Time now, Time arrival, const P& payload) {
        static_assert(std::is_trivially_copyable_v<P>, "a payload crosses ranks as plain bytes");
        static_assert(std::has_unique_object_representations_v<P> || std::is_empty_v<P>,
                      "a payload has no padding and no floating point: its bytes enter the state hash; name the gaps");
        static_assert(sizeof(P) <= kMaximumPayloadBytes);
        constexpr std::size_t bytes = std::is_empty_v<P> ? 0 : sizeof(P);
        std::byte* place = reserve(destination, now, arrival, P::kType, bytes);
        if constexpr (bytes > 0) { std::memcpy(place, &payload, bytes); }
    }

    /// The same for payloads of variable length: the caller writes all payload_bytes to the returned address before the
    /// next send of any LP.
    std::byte* reserve(unsigned destination, Time now, Time arrival, MessageType type, std::size_t payload_bytes) {
        LOOKAHEAD_ASSERT(destination < fan_out_ && payload_bytes <= kMaximumPayloadBytes,
                         describe_misuse(destination, payload_bytes));
        const Destination& to = destinations_[destination & index_mask_];
        if (arrival < now + to.lookahead) [[unlikely]] { throw_lookahead_violation(destination, now, arrival); }
        const std::size_t words = (payload_bytes + 7) / 8;
        std::byte* place = router_->append({.time = arrival,
                                            .channel = channel_,
                                            .sequence = next_sequence(),
                                            .destination = to.lp + (destination & ~index_mask_),
                                            .in_port = to.in_port,
                                            .type = type,
                                            .payload_words = static_cast<std::uint8_t>(words)});
        if (payload_bytes % 8 != 0) {
            std::memset(place + (words - 1) * 8, 0, 8);  // the padding is hashed
        }
        return place;
    }

    /// The number of messages sent.
    std::uint64_t sequence() const { return std::uint64_t{turn()} << 32 | sequence_; }

  private:
    friend class LpBinding;
    struct Destination {
        Time lookahead;
        LpId lp;
        std::uint16_t in_port;
    };

    /// How often the low word of the sequence has overflowed.
    std::uint8_t turn() const { return static_cast<std::uint8_t>(channel_ >> MessageHeader::kChannelBits); }
    void set_turn(std::uint8_t turn) {
        channel_ = channel_ % MessageHeader::kMostChannels | std::uint32_t{turn} << MessageHeader::kChannelBits;
    }
    /// Advances the sequence. The message's header already has its channel.
    std::uint32_t next_sequence() {
        const std::uint32_t sequence = sequence_++;
        if (sequence_ == 0) [[unlikely]] { begin_turn(); }
        return sequence;
    }
    void begin_turn();

    std::string describe_misuse(unsigned destination, std::size_t payload_bytes) const;
    [[noreturn]] void throw_lookahead_violation(unsigned destination, Time now, Time arrival) const;

    // With a uniform fan-out there is one entry for all destinations, and the mask is 0; else the mask is all
    // ones.
    std::vector<Destination> destinations_;
    unsigned index_mask_ = ~0u;
    unsigned fan_out_ = 0;
    std::uint32_t channel_ = 0;  ///< as MessageHeader::channel has it
    std::uint32_t sequence_ = 0;
    MessageRouter* router_ = nullptr;
    const std::string& owner_;
    std::string name_;
};

}  // namespace lookahead
