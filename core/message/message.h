#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/error/error.h"
#include "core/message/message_registry.h"
#include "core/time/time.h"

namespace lookahead {

/// The place of a logical process in the model, from 0.
using LpId = std::uint32_t;

/// The head of a message; its payload follows, padded with zeros to a multiple of 8 bytes. The bytes are the
/// same in memory and on the wire, and all of them enter the state hash.
///
/// (time, channel, sequence) is a total order of the messages of a run that depends on neither ranks nor
/// partition: `channel` is the global number of the sender's out-port, `sequence` counts the messages of that
/// port.
struct MessageHeader {
    Time time;
    std::uint32_t channel;
    std::uint32_t sequence;
    LpId destination;
    std::uint16_t in_port;
    MessageType type;
    std::uint8_t payload_words;  ///< of 8 bytes

    const std::byte* payload() const { return reinterpret_cast<const std::byte*>(this) + sizeof(MessageHeader); }
    std::size_t payload_bytes() const { return payload_words * std::size_t{8}; }
    std::size_t total_bytes() const { return sizeof(MessageHeader) + payload_bytes(); }
    std::uint64_t order() const { return std::uint64_t{channel} << 32 | sequence; }

    /// The payload as a P; what follows a P of variable length stands behind it.
    template <class P>
    const P& as() const {
        LOOKAHEAD_DEBUG_ASSERT(type == P::kType, "a message of type " + std::to_string(type) + " was read as type " +
                                                     std::to_string(P::kType));
        return *reinterpret_cast<const P*>(payload());
    }
};
static_assert(sizeof(MessageHeader) == 24 && std::is_trivially_copyable_v<MessageHeader>);
static_assert(std::endian::native == std::endian::little, "messages cross ranks as little-endian bytes");

inline constexpr std::size_t kMaximumPayloadBytes = 255 * 8;

}  // namespace lookahead
