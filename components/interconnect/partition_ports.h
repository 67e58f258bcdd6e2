#pragma once

#include <cstdint>

namespace lookahead::gpu {

/// In-ports of a memory partition: requester m's path to slice s (of the channel), which carries requests and the
/// credits for the slice's replies; the host's; and the CTA dispatcher's.
inline constexpr unsigned kPartitionRequesterBits = 10;
inline constexpr unsigned kMaximumRequesters = 1u << kPartitionRequesterBits;
inline constexpr std::uint16_t kPartitionHostPort = 0xffff;
inline constexpr std::uint16_t kPartitionDispatcherPort = 0xfffe;

constexpr std::uint16_t partition_in_port(unsigned slice, unsigned requester) {
    return static_cast<std::uint16_t>(slice << kPartitionRequesterBits | requester);
}

/// Out-ports of a memory partition of n slices: 0..n-1 lead from slice s to the requesters, one destination each, in
/// their order, and carry replies and the credits for requests; n leads to the host.
constexpr unsigned partition_host_out_port(unsigned slices) {
    return slices;
}

}  // namespace lookahead::gpu
