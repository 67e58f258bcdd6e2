#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>

#include "components/interconnect/crossbar/crossbar_parameters.h"
#include "core/component/slot.h"
#include "core/lp/model.h"
#include "core/time/clock_domain.h"

namespace lookahead::gpu {

/// The ends of an interconnect: SMs and memory partitions, each with its ports. Slices are numbered over the machine,
/// partition by partition.
struct InterconnectEndpoints {
    std::span<const LpId> sms;
    std::span<const LpId> partitions;
    unsigned slices_per_partition = 1;
    unsigned sm_requests = 0;         ///< SM's out-port for requests, with one destination for each slice
    unsigned sm_credits = 0;          ///< SM's out-port for credits for replies, with one destination for each slice
    std::uint16_t sm_reply_port = 0;  ///< SM's in-port for messages from slice 0; those from slice i come at this + i
    ClockDomain clock;                ///< of network and L2
    CrossbarParameters ports = {};    ///< of the endpoints' injection and ejection ports
};

/// Slot "interconnect.topology": connects SMs and L2 slices.
///
/// In any topology the endpoints have the ports of components/interconnect/crossbar: a message leaves a port
/// request_latency (or reply_latency) before it arrives at the process with which the port is connected.
///
/// Contract: `connect` adds the channels, and the logical processes of routers if there are any, to the model. Every
/// SM's request and credit ports get one destination for each slice, in the order of the slices; slice s of a partition
/// gets one destination for each SM at its out-port s, and sees SM m's messages at partition_in_port(s, m). Messages
/// from one SM to one slice, and back, stay in order.
class InterconnectTopology {
  public:
    static constexpr SlotDeclaration kSlot{"interconnect.topology", "crossbar", "Connects SMs and L2 slices."};
    using Arguments = std::tuple<>;

    virtual ~InterconnectTopology() = default;
    virtual void connect(Model& model, const InterconnectEndpoints& endpoints) const = 0;

    /// Cycles of the longest round trip in addition to the ports' latencies: the endpoints' credits cover it.
    virtual Cycle further_round_trip(unsigned /*sms*/, unsigned /*slices*/) const { return 0; }
};

}  // namespace lookahead::gpu
