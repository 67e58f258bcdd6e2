#include "core/lp/lp_binding.h"

#include "core/state/state_archive.h"

namespace lookahead {

void LpBinding::bind(LogicalProcess& lp, LpId id, const LpDescription& description,
                     std::span<const ChannelDescription> channels, std::uint32_t first_channel, MessageRouter& router) {
    lp.id_ = id;
    lp.name_ = description.name;
    LOOKAHEAD_ASSERT(first_channel + lp.out_ports() <= MessageHeader::kMostChannels,
                     "{} has a port beyond the 2^24 that messages can name", description.name);
    for (unsigned i = 0; i < lp.out_ports(); ++i) { lp.ports_[i]->channel_ = first_channel + i; }
    send_through(lp, router);
    for (const ChannelDescription& channel : channels) {
        LOOKAHEAD_ASSERT(channel.from == id && channel.out_port < lp.out_ports(), "{} has no out-port {}",
                         description.name, channel.out_port);
        OutPort& port = *lp.ports_[channel.out_port];
        port.destinations_.push_back({channel.lookahead, channel.to, channel.in_port});
        port.fan_out_ += channel.count;
        port.index_mask_ = channel.count == 1 ? ~0u : 0u;
    }
}

void LpBinding::send_through(LogicalProcess& lp, MessageRouter& router) {
    for (const auto& port : lp.ports_) { port->router_ = &router; }
}

void LpBinding::fields(LogicalProcess& lp, StateArchive& archive) {
    lp.fields(archive);
    for (const auto& port : lp.ports_) {
        std::uint8_t turn = port->turn();
        archive & port->sequence_& turn;
        port->set_turn(turn);
    }
}

}  // namespace lookahead
