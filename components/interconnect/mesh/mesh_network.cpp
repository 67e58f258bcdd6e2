#include "components/interconnect/mesh/mesh_network.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "core/error/error.h"
#include "core/lp/audit.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

MeshNetwork::MeshNetwork(const Arguments& arguments)
    : NetworkProcess({static_cast<unsigned>(arguments.sources.size()),
                      static_cast<unsigned>(arguments.destinations.size()), arguments.parameters.delivery_latency,
                      arguments.flit_bytes, arguments.frequency, arguments.atomic_lane_bytes}),
      arguments_(arguments),
      routers_(std::size_t{arguments.layout.columns} * arguments.layout.rows),
      active_((routers_.size() + 63) / 64, 0) {
    for (Router& router : routers_) { router.room.fill(link_room()); }
}

Cycle MeshNetwork::way_of_credit(std::uint16_t in_port) const {
    return arguments_.layout.hops(source_tile(in_port), destination_tile(in_port)) * arguments_.parameters.hop_latency;
}

void MeshNetwork::receive(const MessageHeader& message, Cycle now) {
    const std::uint32_t packet = store(message);
    packets_[packet].flits = flits_of_.of(message);
    packets_[packet].ready = now;
    append(source_tile(message.in_port), kLocal, packet);
    ++packets_in_flight_;
    wake(now);
}

std::uint32_t MeshNetwork::store(const MessageHeader& message) {
    LOOKAHEAD_ASSERT(message.total_bytes() <= kSlotWords * 8, "a packet is larger than an atomic of a whole warp");
    if (free_packets_.empty()) {
        free_packets_.push_back(static_cast<std::uint32_t>(packets_.size()));
        packets_.emplace_back();
        slots_.resize(packets_.size() * kSlotWords);
    }
    const std::uint32_t packet = free_packets_.back();
    free_packets_.pop_back();
    std::memcpy(slots_.data() + packet * kSlotWords, &message, message.total_bytes());
    return packet;
}

void MeshNetwork::append(std::uint32_t router, unsigned input, std::uint32_t packet) {
    Queue& queue = routers_[router].inputs[input];
    packets_[packet].next = kNone;
    (queue.head == kNone ? queue.head : packets_[queue.tail].next) = packet;
    queue.tail = packet;
    ++routers_[router].packets;
    active_[router / 64] |= std::uint64_t{1} << (router % 64);
}

/// Every router sees the state before the cycle; the other routers' changes take effect in the next one.
void MeshNetwork::cycle(Cycle now) {
    next_cycle_ = kCycleInfinity;
    return_room();
    for (std::size_t word = 0; word < active_.size(); ++word) {
        for (std::uint64_t left = active_[word]; left != 0; left &= left - 1) {
            serve(static_cast<std::uint32_t>(word * 64 + static_cast<unsigned>(std::countr_zero(left))), now);
        }
    }
    if (!returns_.empty() && packets_in_flight_ > 0) { wake(now + 1); }
}

void MeshNetwork::return_room() {
    for (const Return& each : returns_) { routers_[each.router].room[each.output] += each.flits; }
    returns_.clear();
}

void MeshNetwork::serve(std::uint32_t number, Cycle now) {
    Router& router = routers_[number];
    std::array<unsigned, kDirections> wanted{};  // by output: one bit per input
    for (unsigned input = 0; input < kDirections; ++input) {
        const std::uint32_t head = router.inputs[input].head;
        if (head == kNone) { continue; }
        if (packets_[head].ready > now) {
            wake(packets_[head].ready);
        } else {
            wanted[direction(number, destination_tile(message_of(head).in_port))] |= 1u << input;
        }
    }
    for (unsigned output = 0; output < kDirections; ++output) {
        if (wanted[output] == 0) { continue; }
        const unsigned later = wanted[output] & (~0u << router.turn[output]);
        const auto input = static_cast<unsigned>(std::countr_zero(later != 0 ? later : wanted[output]));
        const std::uint32_t flits = packets_[router.inputs[input].head].flits;
        const Cycle link_free = router.last_tail[output] + flits;
        if (link_free > now) {
            wake(link_free);
        } else if (output == kLocal || router.room[output] >= flits) {
            pass(number, input, output, now);
        }
    }
}

void MeshNetwork::pass(std::uint32_t number, unsigned input, unsigned output, Cycle now) {
    Router& router = routers_[number];
    Queue& queue = router.inputs[input];
    const std::uint32_t packet = queue.head;
    const std::uint32_t flits = packets_[packet].flits;
    queue.head = packets_[packet].next;
    if (--router.packets == 0) {
        active_[number / 64] &= ~(std::uint64_t{1} << (number % 64));
    } else {
        wake(now + 1);
    }
    router.last_tail[output] = now;
    router.turn[output] = input + 1 == kDirections ? 0 : input + 1;
    counters_.wait_cycles += static_cast<std::uint64_t>(now - packets_[packet].ready);
    if (input != kLocal) { returns_.push_back({neighbour(number, input), opposite(input), flits}); }
    if (output == kLocal) {
        deliver(packet, now);
        return;
    }
    router.room[output] -= flits;
    ++counters_.hops;
    counters_.flit_hops += flits;
    packets_[packet].ready = now + arguments_.parameters.hop_latency;
    append(neighbour(number, output), opposite(output), packet);
    wake(packets_[packet].ready);
}

void MeshNetwork::deliver(std::uint32_t packet, Cycle now) {
    NetworkProcess::deliver(message_of(packet), now);
    ++counters_.packets;
    counters_.flits += packets_[packet].flits;
    free_packets_.push_back(packet);
    --packets_in_flight_;
}

/// The direction of the next hop: along the row first, then along the column.
unsigned MeshNetwork::direction(std::uint32_t router, std::uint16_t tile) const {
    const unsigned columns = arguments_.layout.columns;
    const unsigned x = router % columns;
    const unsigned to = tile % columns;
    if (x != to) { return x < to ? kEast : kWest; }
    return router == tile ? kLocal : router < tile ? kSouth : kNorth;
}

std::uint32_t MeshNetwork::neighbour(std::uint32_t router, unsigned direction) const {
    switch (direction) {
        case kEast:
            return router + 1;
        case kWest:
            return router - 1;
        case kSouth:
            return router + arguments_.layout.columns;
        default:
            return router - arguments_.layout.columns;
    }
}

void MeshNetwork::audit(Audit& audit) const {
    NetworkProcess::audit(audit);
    audit.leak(name(), "occupied places for packets", packets_.size() - free_packets_.size());
    std::uint64_t free_flits = 0;
    for (const Router& router : routers_) {
        free_flits += std::accumulate(router.room.begin(), router.room.end(), std::uint64_t{0});
    }
    for (const Return& each : returns_) { free_flits += each.flits; }
    audit.balance(name(), "flits of room at links", routers_.size() * kDirections * link_room(), free_flits);
}

void MeshNetwork::fields(StateArchive& archive) {
    for (std::uint32_t number = 0; number < routers_.size(); ++number) {
        Router& router = routers_[number];
        archive& router.last_tail& router.room& router.turn;
        for (unsigned input = 0; input < kDirections; ++input) { queue_fields(archive, number, input); }
    }
    archive& returns_& next_cycle_& counters_;
}

/// The packets of a router's input, each preceded by its number of flits, and a final 0.
void MeshNetwork::queue_fields(StateArchive& archive, std::uint32_t number, unsigned input) {
    std::uint32_t flits = 0;
    if (archive.loading()) {
        std::array<std::uint64_t, kSlotWords> words;
        auto& message = *reinterpret_cast<MessageHeader*>(words.data());
        for (archive& flits; flits != 0; archive & flits) {
            Cycle ready = 0;
            archive& ready;
            archive.plain(message);
            archive.plain(reinterpret_cast<std::byte*>(&message + 1), message.payload_bytes());
            const std::uint32_t packet = store(message);
            packets_[packet].flits = flits;
            packets_[packet].ready = ready;
            append(number, input, packet);
            ++packets_in_flight_;
        }
        return;
    }
    for (std::uint32_t packet = routers_[number].inputs[input].head; packet != kNone; packet = packets_[packet].next) {
        archive& packets_[packet].flits& packets_[packet].ready;
        MessageHeader& message = message_of(packet);
        archive.plain(reinterpret_cast<std::byte*>(&message), message.total_bytes());
    }
    archive& flits;
}

LOOKAHEAD_REGISTER_STATISTICS(MeshCounters, "mesh", "A mesh of routers: the request network or the reply network.")

MeshLayout::MeshLayout(unsigned sms, unsigned slices, unsigned given_columns) : columns(given_columns), rows(0) {
    const unsigned tiles = sms + slices;
    if (columns == 0) {
        for (columns = 1; columns * columns < tiles;) { ++columns; }
    }
    rows = (tiles + columns - 1) / columns;
    for (unsigned tile = 0; tile < tiles; ++tile) {
        const bool is_slice = (tile + 1) * slices / tiles > tile * slices / tiles;
        (is_slice ? slice_tiles : sm_tiles).push_back(static_cast<std::uint16_t>(tile));
    }
}

unsigned MeshLayout::hops(std::uint16_t from, std::uint16_t to) const {
    const auto width = static_cast<int>(columns);
    return static_cast<unsigned>(std::abs(from % width - to % width) + std::abs(from / width - to / width));
}

}  // namespace lookahead::gpu
