#pragma once

#include <cstddef>
#include <cstdint>

#include "components/isa/lane_mask.h"
#include "components/isa/operation.h"
#include "components/isa/type.h"
#include "components/protocols/message_types.h"

namespace lookahead::gpu {

/// Messages between SMs (role: requester) and memory partitions (role: owner of the line). All addresses are of
/// 128-byte lines. `tag` belongs to the requester and comes back unchanged. Messages of one SM to one line stay in
/// order both ways.

inline constexpr unsigned kLineBytes = 128;
inline constexpr unsigned kLineWords = kLineBytes / 4;

/// The address of the line that holds the byte.
constexpr std::uint64_t line_of(std::uint64_t address) {
    return address & ~std::uint64_t{kLineBytes - 1};
}

/// A line's sectors, the smallest unit of requests and answers; one bit per sector, the lowest for the lowest address.
inline constexpr unsigned kSectorBytes = 32;
inline constexpr unsigned kSectors = kLineBytes / kSectorBytes;
using SectorMask = std::uint8_t;
inline constexpr SectorMask kAllSectors = (1u << kSectors) - 1;

/// The tagged clients of the L1 that request lines.
enum class Client : std::uint8_t {
    demand,
    prefetch,
    pre_load,
    affine_expansion,
    count,
    // Clients with their own caches:
    texture,
    read_only,  ///< the caches of instructions and of constants
};

/// One bit per byte of a line.
struct ByteMask {
    std::uint64_t bits[2] = {0, 0};

    void set(unsigned first, unsigned count);
    bool test(unsigned byte) const { return (bits[byte / 64] >> (byte % 64)) & 1; }
    bool any() const { return (bits[0] | bits[1]) != 0; }
    bool full() const { return (bits[0] & bits[1]) == ~std::uint64_t{0}; }
    bool operator==(const ByteMask&) const = default;
};

inline void ByteMask::set(unsigned first, unsigned count) {
    for (unsigned byte = first; byte < first + count; ++byte) { bits[byte / 64] |= std::uint64_t{1} << (byte % 64); }
}

/// The sectors that hold at least one byte of the mask.
constexpr SectorMask sectors_of(const ByteMask& mask) {
    constexpr std::uint64_t kLow = 0xffffffffu;
    return static_cast<SectorMask>(((mask.bits[0] & kLow) != 0) | ((mask.bits[0] & ~kLow) != 0) << 1 |
                                   ((mask.bits[1] & kLow) != 0) << 2 | ((mask.bits[1] & ~kLow) != 0) << 3);
}

/// All bytes of the sectors.
constexpr ByteMask bytes_of(SectorMask sectors) {
    constexpr std::uint64_t kLow = 0xffffffffu;
    const auto half = [](unsigned two) { return (two & 1 ? kLow : 0) | (two & 2 ? ~kLow : 0); };
    return {{half(sectors), half(sectors >> 2u)}};
}

struct ReadRequest {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::read_request);
    std::uint64_t line;
    std::uint32_t tag;
    Client client;
    SectorMask sectors = kAllSectors;  ///< the wanted sectors; not 0
    std::uint16_t sample = 0;          ///< number under which the SM records its latency (MissSamples); 0: not recorded
};

/// Followed by the line's 32-bit words that hold at least one byte of the mask, in ascending order.
struct WriteRequest {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::write_request);
    std::uint64_t line;
    ByteMask mask;
    std::uint32_t tag;
    std::uint32_t words;  ///< number of the words that follow
};

/// Followed by `lanes` AtomicLane records, in ascending lane order: the order in which they are performed.
struct AtomicRequest {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::atomic_request);
    std::uint64_t line;
    std::uint32_t tag;
    isa::AtomicOp op;
    isa::Type type;
    std::uint8_t returns_value;  ///< 0: reduction; the owner answers with a WriteAcknowledge
    std::uint8_t lanes;
};

struct AtomicLane {
    std::uint64_t operand;
    std::uint64_t operand2;
    std::uint8_t lane;
    std::uint8_t offset;  ///< byte in the line
    std::uint8_t unused[6];
};

/// Followed by the requested sectors, in ascending order.
struct ReadReply {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::read_reply);
    std::uint64_t line;
    std::uint32_t tag;
    Client client;
    SectorMask sectors;
    std::uint16_t sample = 0;  ///< as in the request

    /// The data, which follow the reply in its message.
    const std::byte* data() const { return reinterpret_cast<const std::byte*>(this + 1); }
};

struct WriteAcknowledge {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::write_acknowledge);
    std::uint32_t tag;
    std::uint32_t unused;
};

/// Followed by `lanes` AtomicValue records.
struct AtomicReply {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::atomic_reply);
    std::uint32_t tag;
    std::uint32_t lanes;
};

struct AtomicValue {
    std::uint64_t value;
    std::uint64_t lane;
};

/// Gives `flits` of buffer space back to the sender at the other end of a crossbar path.
struct Credit {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::credit);
    std::uint32_t flits;
    std::uint32_t unused;
};

}  // namespace lookahead::gpu
