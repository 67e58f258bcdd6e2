#include <memory>

#include "components/interconnect/mesh/mesh_network.h"
#include "components/interconnect/mesh/mesh_parameters.h"
#include "components/interconnect/partition_ports.h"
#include "components/interconnect/topology.h"
#include "core/error/error.h"

namespace lookahead::gpu {
namespace {

/// Relative numbers of messages, for partitioners that have no measured ones; and of work.
constexpr double kTraffic = 10;
constexpr double kWork = 20;
constexpr unsigned kMostPaths = 1u << 16;  // in-ports

/// A mesh of requests and one of replies, each a MeshNetwork.
class MeshTopology final : public InterconnectTopology {
  public:
    using Parameters = MeshParameters;

    explicit MeshTopology(const Parameters& parameters) : parameters_(parameters) {}

    void connect(Model& model, const InterconnectEndpoints& ends) const override {
        const auto sms = static_cast<unsigned>(ends.sms.size());
        const unsigned slices = static_cast<unsigned>(ends.partitions.size()) * ends.slices_per_partition;
        if (sms * slices > kMostPaths) {
            throw ConfigurationError("a mesh joins SMs and slices by " + std::to_string(kMostPaths) +
                                     " paths at most; " + std::to_string(sms) + " SMs and " + std::to_string(slices) +
                                     " slices need " + std::to_string(sms * slices));
        }
        const MeshLayout layout(sms, slices, static_cast<unsigned>(parameters_.columns));
        const LpId requests = add(model, "mesh.requests", ends, layout, layout.sm_tiles, layout.slice_tiles);
        const LpId replies = add(model, "mesh.replies", ends, layout, layout.slice_tiles, layout.sm_tiles);
        const Time request = ends.clock.least_span(ends.ports.request_latency);
        const Time reply = ends.clock.least_span(ends.ports.reply_latency);
        const Time delivery = ends.clock.least_span(parameters_.delivery_latency);
        for (unsigned sm = 0; sm < sms; ++sm) {
            for (unsigned slice = 0; slice < slices; ++slice) {
                const auto path = static_cast<std::uint16_t>(sm * slices + slice);
                const unsigned local = slice % ends.slices_per_partition;
                model.connect(ends.sms[sm], ends.sm_requests, requests, path, request, kTraffic);
                model.connect(ends.sms[sm], ends.sm_credits, requests, path, request);
                model.connect(requests, 0, ends.partitions[slice / ends.slices_per_partition],
                              partition_in_port(local, sm), delivery, kTraffic);
            }
        }
        for (unsigned slice = 0; slice < slices; ++slice) {
            for (unsigned sm = 0; sm < sms; ++sm) {
                const auto path = static_cast<std::uint16_t>(slice * sms + sm);
                model.connect(ends.partitions[slice / ends.slices_per_partition], slice % ends.slices_per_partition,
                              replies, path, reply, kTraffic);
                model.connect(replies, 0, ends.sms[sm], static_cast<std::uint16_t>(ends.sm_reply_port + slice),
                              delivery, kTraffic);
            }
        }
    }

    Cycle further_round_trip(unsigned sms, unsigned slices) const override {
        const MeshLayout layout(sms, slices, static_cast<unsigned>(parameters_.columns));
        const Cycle most_hops = layout.columns - 1 + layout.rows - 1;
        return 2 * (most_hops * parameters_.hop_latency + parameters_.delivery_latency);
    }

  private:
    LpId add(Model& model, const std::string& name, const InterconnectEndpoints& ends, const MeshLayout& layout,
             const std::vector<std::uint16_t>& sources, const std::vector<std::uint16_t>& destinations) const {
        const MeshNetwork::Arguments arguments{.parameters = parameters_,
                                               .layout = layout,
                                               .sources = sources,
                                               .destinations = destinations,
                                               .flit_bytes = ends.ports.flit_bytes,
                                               .frequency = ends.clock.frequency_hz()};
        return model.add({name, "mesh", kWork}, [arguments] { return std::make_unique<MeshNetwork>(arguments); });
    }

    MeshParameters parameters_;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(InterconnectTopology, MeshTopology, "mesh",
                           "Two meshes of routers, of requests and of replies: XY routing, a flit a cycle and link.",
                           "Dally and Towles, Principles and Practices of Interconnection Networks, 2004")

}  // namespace lookahead::gpu
