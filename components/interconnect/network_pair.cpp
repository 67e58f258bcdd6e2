#include "components/interconnect/network_pair.h"

#include <string>

#include "components/interconnect/partition_ports.h"
#include "core/error/error.h"

namespace lookahead::gpu {

void check_paths(std::string_view topology, unsigned sms, unsigned slices) {
    constexpr unsigned kMostPaths = 1u << 16;
    if (sms * slices > kMostPaths) {
        throw ConfigurationError(std::string(topology) + " joins SMs and slices by " + std::to_string(kMostPaths) +
                                 " paths at most; " + std::to_string(sms) + " SMs and " + std::to_string(slices) +
                                 " slices need " + std::to_string(sms * slices));
    }
}

void connect_through(Model& model, const InterconnectEndpoints& ends, const NetworkPair& networks) {
    const auto sms = static_cast<unsigned>(ends.sms.size());
    const unsigned slices = static_cast<unsigned>(ends.partitions.size()) * ends.slices_per_partition;
    const Time request = ends.clock.least_span(ends.ports.request_latency);
    const Time reply = ends.clock.least_span(ends.ports.reply_latency);
    const Time delivery = ends.clock.least_span(networks.delivery_latency);
    for (unsigned sm = 0; sm < sms; ++sm) {
        for (unsigned slice = 0; slice < slices; ++slice) {
            const auto path = static_cast<std::uint16_t>(sm * slices + slice);
            const unsigned local = slice % ends.slices_per_partition;
            model.connect(ends.sms[sm], ends.sm_requests, networks.requests, path, request, kPathTraffic);
            model.connect(ends.sms[sm], ends.sm_credits, networks.requests, path, request);
            model.connect(networks.requests, 0, ends.partitions[slice / ends.slices_per_partition],
                          partition_in_port(local, sm), delivery, kPathTraffic);
        }
    }
    for (unsigned slice = 0; slice < slices; ++slice) {
        for (unsigned sm = 0; sm < sms; ++sm) {
            const auto path = static_cast<std::uint16_t>(slice * sms + sm);
            model.connect(ends.partitions[slice / ends.slices_per_partition], slice % ends.slices_per_partition,
                          networks.replies, path, reply, kPathTraffic);
            model.connect(networks.replies, 0, ends.sms[sm], static_cast<std::uint16_t>(ends.sm_reply_port + slice),
                          delivery, kPathTraffic);
        }
    }
}

}  // namespace lookahead::gpu
