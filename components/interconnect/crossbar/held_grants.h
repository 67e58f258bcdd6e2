#pragma once

#include <cstdint>

#include "core/message/message.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// The row and bank of the receiver's DRAM for a packet: equal numbers for the same row.
class PacketRow {
  public:
    virtual ~PacketRow() = default;
    virtual std::uint64_t row_of(const MessageHeader& packet) const = 0;
};

/// Counts of packets that went out of turn.
struct HeldGrantCounters {
    LOOKAHEAD_COUNTER(same_sender, "packet", "Packets that went out of turn behind one of the same sender and row.");
    LOOKAHEAD_COUNTER(other_sender, "packet",
                      "Packets that went out of turn behind one of another sender for the row.");
    LOOKAHEAD_COUNTER(ended_by_bound, "packet",
                      "Packets for the previous packet's row that had to wait for their turn.");
    LOOKAHEAD_ALL_DECLARED;
};

/// Row-matching hold grant (Yuan, Bakhoda and Aamodt, MICRO 2009): after a packet the arbiter takes another one for the
/// same row, first of the same sender and then of the others in their order, so that packets that a sender has grouped
/// stay together, and requests of several senders for a row meet. Our bound: after `bound` such packets in a row it
/// takes one packet of the sender whose turn it is, for any row; so a sender's packet waits for at most senders *
/// (bound + 1) others.
struct HeldGrants {
    HeldGrants(const PacketRow& packet_row, unsigned most) : rows(packet_row), bound(most) {}

    const PacketRow& rows;
    unsigned bound;
    std::uint32_t granted = 0;  ///< out of turn, one after another
    bool held = false;          ///< the packet that is chosen goes out of turn
    HeldGrantCounters counters;

    void fields(StateArchive& archive) { archive& granted& held& counters; }
};

}  // namespace lookahead::gpu
