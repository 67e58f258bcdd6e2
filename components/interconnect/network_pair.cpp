#include "components/interconnect/network_pair.h"

#include "components/protocols/ports.h"
#include "core/error/error.h"

namespace lookahead::gpu {
namespace {

/// Relative number of messages of a path, for partitioners without measured ones.
constexpr double kPathTraffic = 10;
constexpr unsigned kMostPaths = 1u << 16;

unsigned slices_of(const InterconnectEndpoints& ends) {
    return static_cast<unsigned>(ends.partitions.size()) * ends.slices_per_partition;
}

}  // namespace

void NetworkPairTopology::connect(Model& model, const InterconnectEndpoints& ends) const {
    const auto sms = static_cast<unsigned>(ends.sms.size());
    const unsigned slices = slices_of(ends);
    if (sms * slices > kMostPaths) {
        throw ConfigurationError("{} joins SMs and slices by at most {} paths; {} SMs and {} slices need {}",
                                 kind_.what, kMostPaths, sms, slices, sms * slices);
    }
    if (ends.ports.row_grants > 0) {
        throw ConfigurationError(
            "crossbar.row_grants = {} needs interconnect.topology = crossbar: the arbiters of {} are round robin and "
            "would separate the requests that the slices' ports keep together",
            ends.ports.row_grants, kind_.what);
    }
    const LpId requests = model.add({fmt::format("{}.requests", kind_.name), kind_.name, kind_.work},
                                    network(ends, sms, slices, Carries::requests));
    const LpId replies = model.add({fmt::format("{}.replies", kind_.name), kind_.name, kind_.work},
                                   network(ends, sms, slices, Carries::replies));
    connect_requests(model, ends, requests);
    connect_replies(model, ends, replies);
}

void NetworkPairTopology::connect_requests(Model& model, const InterconnectEndpoints& ends, LpId network) const {
    const Time request = ends.clock.least_span(ends.ports.request_latency);
    const Time delivery = ends.clock.least_span(kind_.delivery_latency);
    std::uint16_t path = 0;
    for (unsigned sm = 0; sm < ends.sms.size(); ++sm) {
        for (unsigned slice = 0; slice < slices_of(ends); ++slice, ++path) {
            const unsigned local = slice % ends.slices_per_partition;
            model.connect(ends.sms[sm], ends.sm_requests, network, path, request, kPathTraffic);
            model.connect(ends.sms[sm], ends.sm_credits, network, path, request);
            model.connect(network, 0, ends.partitions[slice / ends.slices_per_partition], partition_in_port(local, sm),
                          delivery, kPathTraffic);
        }
    }
}

void NetworkPairTopology::connect_replies(Model& model, const InterconnectEndpoints& ends, LpId network) const {
    const Time reply = ends.clock.least_span(ends.ports.reply_latency);
    const Time delivery = ends.clock.least_span(kind_.delivery_latency);
    std::uint16_t path = 0;
    for (unsigned slice = 0; slice < slices_of(ends); ++slice) {
        for (unsigned sm = 0; sm < ends.sms.size(); ++sm, ++path) {
            model.connect(ends.partitions[slice / ends.slices_per_partition], slice % ends.slices_per_partition,
                          network, path, reply, kPathTraffic);
            model.connect(network, 0, ends.sms[sm], static_cast<std::uint16_t>(ends.sm_reply_port + slice), delivery,
                          kPathTraffic);
        }
    }
}

}  // namespace lookahead::gpu
