#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/error/error.h"
#include "core/message/message_registry.h"
#include "core/time/time.h"

namespace lookahead {

/// The index of a logical process in the model, from 0.
using LpId = std::uint32_t;

/// The head of a message; its payload follows, padded with zeros to a multiple of 8 bytes. The bytes are the
/// same in memory and on the wire, and all of them enter the state hash.
///
/// (time, channel, sequence) is a total order of the messages of a run that depends on neither ranks nor partition:
/// `channel` is the global number of the sender's out-port, `sequence` counts the messages of that port. It has 40
/// bits, the highest 8 of them in one word with the channel. It would overflow if a port sent a message in every cycle
/// of a 2 GHz clock for 9 minutes of simulated time, which would take years to simulate; OutPort checks for it.
struct MessageHeader {
    Time time;
    std::uint32_t channel;   ///< number of the out-port in the low 24 bits, above them bits 32 to 39 of the sequence
    std::uint32_t sequence;  ///< bits 0 to 31
    LpId destination;
    std::uint16_t in_port;
    MessageType type;
    std::uint8_t payload_words;  ///< words of 8 bytes

    const std::byte* payload() const { return reinterpret_cast<const std::byte*>(this) + sizeof(MessageHeader); }
    std::size_t payload_bytes() const { return payload_words * std::size_t{8}; }
    std::size_t total_bytes() const { return sizeof(MessageHeader) + payload_bytes(); }
    static constexpr unsigned kChannelBits = 24;
    static constexpr std::uint32_t kMostChannels = 1u << kChannelBits;

    std::uint32_t channel_number() const { return channel % kMostChannels; }
    /// The number of the port, then the whole sequence.
    std::uint64_t order() const {
        return std::uint64_t{std::rotl(channel, 32 - static_cast<int>(kChannelBits))} << 32 | sequence;
    }

    /// The payload as a P; the rest of a payload of variable length follows the P.
    template <class P>
    const P& as() const {
        LOOKAHEAD_DEBUG_ASSERT(type == P::kType, "a message of type {} was read as type {}", type, P::kType);
        return *reinterpret_cast<const P*>(payload());
    }
};
static_assert(sizeof(MessageHeader) == 24 && std::is_trivially_copyable_v<MessageHeader>);
static_assert(std::endian::native == std::endian::little, "messages cross ranks as little-endian bytes");

inline constexpr std::size_t kMaximumPayloadBytes = 255 * 8;

}  // namespace lookahead
