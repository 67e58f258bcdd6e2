#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "components/interconnect/network_process.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The mesh between SMs and L2 slices, one of requests and one of replies. Cycles are the network's; flits and the
/// ports of SMs and slices are those of CrossbarParameters.
struct MeshParameters {
    LOOKAHEAD_PARAMETER(
        std::int64_t, columns, 0, {0, 4096, "tile"},
        {.help = "Tiles in a row, each with a router and one SM or slice; 0: as near to a square as possible.",
         .source = "a choice: no GPU's floor plan is public"});
    LOOKAHEAD_PARAMETER(Cycle, hop_latency, 2, {1, 1000, "cycle"},
                        {.help = "Cycles that a flit takes from router to router, without contention.",
                         .source = "Dally and Towles, Principles and Practices of Interconnection Networks, 2004: "
                                   "routers of one to four stages and a cycle of wire"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, buffer_flits, 32, {1, 4096, "flit"},
        {.help = "Buffer of a router for each neighbour; its effective size is at least that of the largest packet.",
         .source = "an estimate: eight line-sized packets, as at a crossbar's input"});
    LOOKAHEAD_PARAMETER(Cycle, delivery_latency, 16, {1, 10000, "cycle"},
                        {.help = "Latency from a flit's last router to its SM or slice: a part of the fixed latency, "
                                 "and the mesh's lookahead to its neighbours.",
                         .source = "a choice; subtract as much from crossbar.request_latency and reply_latency"});
    LOOKAHEAD_ALL_DECLARED;
};

/// The tiles of SMs and slices: each tile has one of them. They follow each other row by row, with the slices spread
/// evenly among the SMs.
struct MeshLayout {
    /// `columns` = 0: the least number whose square holds all.
    MeshLayout(unsigned sms, unsigned slices, unsigned columns);

    unsigned columns;
    unsigned rows;
    std::vector<std::uint16_t> sm_tiles;
    std::vector<std::uint16_t> slice_tiles;

    /// The number of links that a packet crosses on its path along the row and then the column.
    unsigned hops(std::uint16_t from, std::uint16_t to) const;
};

struct MeshCounters {
    LOOKAHEAD_COUNTER(packets, "packet", "Packets delivered.");
    LOOKAHEAD_COUNTER(flits, "flit", "Flits delivered.");
    LOOKAHEAD_COUNTER(hops, "hop", "Links between routers that packets crossed.");
    LOOKAHEAD_COUNTER(flit_hops, "flit", "Links between routers that flits crossed: cycles in which links were busy.");
    LOOKAHEAD_COUNTER(wait_cycles, "cycle", "Cycles that packets waited in routers for links, buffers and their turn.");
    LOOKAHEAD_COUNTER(credit_messages, "message", "Credits between SMs and slices, which take no room.");
    LOOKAHEAD_ALL_DECLARED;
};

/// The routers of one network, requests or replies, as a logical process: routers on different ranks would have to stay
/// within a hop's latency of each other.
///
/// A packet goes along its row, then along its column (XY routing), from router to router. A link carries one flit per
/// cycle. A packet crosses it as a whole when its tail flit has come, the neighbour has room for all its flits, and it
/// is its turn: each output takes the inputs in turn. A blocked packet delays the packets behind it at the same input.
/// As in the crossbar, a message represents its tail flit: through idle routers it takes hop_latency per hop, whatever
/// its size.
///
/// There is no deadlock: the order of the dimensions prevents cycles of waiting links, the two networks share no
/// resource, and the credits between SMs and slices (InjectionPort) reserve room for every packet at its destination.
/// Packets wait for the mesh at their source's router, in a queue that the same credits bound. Packets of one source to
/// one destination stay in order, because they take one path through queues.
class MeshNetwork final : public NetworkProcess {
  public:
    struct Arguments {
        MeshParameters parameters;
        MeshLayout layout;
        std::vector<std::uint16_t> sources;       ///< tile of each source
        std::vector<std::uint16_t> destinations;  ///< tile of each destination
        std::int64_t flit_bytes;
        std::int64_t frequency;
        std::int64_t atomic_lane_bytes = kAtomicLaneBytes;
    };
    explicit MeshNetwork(const Arguments& arguments);

    void visit_statistics(StatisticsVisitor& visitor) const override { visit(visitor, name(), "mesh", counters_); }
    void audit(Audit& audit) const override;
    void fields(StateArchive& archive) override;

    const MeshCounters& counters() const { return counters_; }

  private:
    friend struct AuditSabotage;
    static constexpr std::uint32_t kNone = ~0u;
    /// Inputs and outputs of a router: its own tile's and its neighbours'.
    enum Direction : unsigned { kLocal, kEast, kWest, kNorth, kSouth, kDirections };
    /// The largest message: an atomic of a whole warp.
    static constexpr std::size_t kSlotWords =
        (sizeof(MessageHeader) + sizeof(AtomicRequest) + isa::kWarpSize * sizeof(AtomicLane)) / 8;

    struct Packet {
        std::uint32_t next = kNone;
        std::uint32_t flits = 0;
        Cycle ready = 0;  ///< its tail may leave the router from this cycle on
    };
    struct Queue {
        std::uint32_t head = kNone;
        std::uint32_t tail = kNone;
    };
    struct Router {
        Router() { last_tail.fill(-1); }
        std::array<Queue, kDirections> inputs;
        std::array<Cycle, kDirections> last_tail;       ///< of each output
        std::array<std::uint32_t, kDirections> room{};  ///< free flits at the neighbour; not counted for the own tile
        std::array<std::uint32_t, kDirections> turn{};  ///< input that each output considers first
        std::uint32_t packets = 0;
    };
    /// Room that becomes free in a router in the next cycle.
    struct Return {
        std::uint32_t router;
        std::uint32_t output;
        std::uint32_t flits;

        void fields(StateArchive& archive) { archive& router& output& flits; }
    };
    void queue_fields(StateArchive& archive, std::uint32_t number, unsigned input);

    std::size_t packets() const override { return packets_in_flight_; }
    void receive(const MessageHeader& message, Cycle now) override;
    void cycle(Cycle now) override;
    Cycle way_of_credit(std::uint16_t in_port) const override;
    void count_credit() override { ++counters_.credit_messages; }
    void return_room();
    void serve(std::uint32_t router, Cycle now);
    void pass(std::uint32_t router, unsigned input, unsigned output, Cycle now);
    void deliver(std::uint32_t packet, Cycle now);
    void append(std::uint32_t router, unsigned input, std::uint32_t packet);
    unsigned direction(std::uint32_t router, std::uint16_t tile) const;
    std::uint32_t neighbour(std::uint32_t router, unsigned direction) const;
    static unsigned opposite(unsigned direction) { return ((direction - 1) ^ 1) + 1; }

    std::uint32_t store(const MessageHeader& message);
    MessageHeader& message_of(std::uint32_t packet) {
        return *reinterpret_cast<MessageHeader*>(slots_.data() + packet * kSlotWords);
    }
    const MessageHeader& message_of(std::uint32_t packet) const {
        return *reinterpret_cast<const MessageHeader*>(slots_.data() + packet * kSlotWords);
    }
    std::uint16_t source_tile(std::uint16_t in_port) const { return arguments_.sources[in_port / ends_.destinations]; }
    std::uint16_t destination_tile(std::uint16_t in_port) const {
        return arguments_.destinations[in_port % ends_.destinations];
    }
    /// Flits that a router keeps for each of its neighbours.
    std::uint32_t link_room() const {
        return std::max(static_cast<std::uint32_t>(arguments_.parameters.buffer_flits), flits_of_(kLargestPacketBytes));
    }

    Arguments arguments_;
    std::vector<Router> routers_;
    std::vector<std::uint64_t> active_;  ///< one bit for each router: whether it has packets
    std::vector<Packet> packets_;
    std::vector<std::uint64_t> slots_;  ///< the packets' messages
    std::vector<std::uint32_t> free_packets_;
    std::vector<Return> returns_;
    std::uint64_t packets_in_flight_ = 0;
    MeshCounters counters_;
};

}  // namespace lookahead::gpu
