#include <memory>

#include "components/interconnect/mesh/mesh_network.h"
#include "components/interconnect/mesh/mesh_parameters.h"
#include "components/interconnect/network_pair.h"

namespace lookahead::gpu {
namespace {

/// Relative, for partitioners that have no measured weights.
constexpr double kWork = 20;

/// A mesh of requests and one of replies, each a MeshNetwork.
class MeshTopology final : public InterconnectTopology {
  public:
    using Parameters = MeshParameters;

    explicit MeshTopology(const Parameters& parameters) : parameters_(parameters) {}

    void connect(Model& model, const InterconnectEndpoints& ends) const override {
        const auto sms = static_cast<unsigned>(ends.sms.size());
        const unsigned slices = static_cast<unsigned>(ends.partitions.size()) * ends.slices_per_partition;
        check_paths("a mesh", sms, slices);
        const MeshLayout layout(sms, slices, static_cast<unsigned>(parameters_.columns));
        const LpId requests = add(model, "mesh.requests", ends, layout, layout.sm_tiles, layout.slice_tiles);
        const LpId replies = add(model, "mesh.replies", ends, layout, layout.slice_tiles, layout.sm_tiles);
        connect_through(model, ends, {requests, replies, parameters_.delivery_latency});
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
