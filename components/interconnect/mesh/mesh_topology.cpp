#include <memory>

#include "components/interconnect/mesh/mesh_network.h"
#include "components/interconnect/network_pair.h"

namespace lookahead::gpu {
namespace {

/// A mesh of requests and one of replies, each a MeshNetwork.
class MeshTopology final : public NetworkPairTopology {
  public:
    using Parameters = MeshParameters;

    explicit MeshTopology(const Parameters& parameters)
        : NetworkPairTopology({"a mesh", "mesh", 20, parameters.delivery_latency}), parameters_(parameters) {}

    Cycle further_round_trip(unsigned sms, unsigned slices) const override {
        const MeshLayout layout = layout_of(sms, slices);
        const Cycle most_hops = layout.columns - 1 + layout.rows - 1;
        return 2 * (most_hops * parameters_.hop_latency + parameters_.delivery_latency);
    }

  private:
    MeshLayout layout_of(unsigned sms, unsigned slices) const {
        return {sms, slices, static_cast<unsigned>(parameters_.columns)};
    }

    Model::Factory network(const InterconnectEndpoints& ends, unsigned sms, unsigned slices,
                           Carries carries) const override {
        const MeshLayout layout = layout_of(sms, slices);
        const bool requests = carries == Carries::requests;
        const MeshNetwork::Arguments arguments{.parameters = parameters_,
                                               .layout = layout,
                                               .sources = requests ? layout.sm_tiles : layout.slice_tiles,
                                               .destinations = requests ? layout.slice_tiles : layout.sm_tiles,
                                               .flit_bytes = ends.ports.flit_bytes,
                                               .frequency = ends.clock.frequency_hz(),
                                               .atomic_lane_bytes = ends.ports.atomic_lane_bytes};
        return [arguments] { return std::make_unique<MeshNetwork>(arguments); };
    }

    MeshParameters parameters_;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(
    InterconnectTopology, MeshTopology, "mesh",
    "Two meshes of routers, one for requests and one for replies: XY routing, one flit per cycle and link.",
    "Dally and Towles, Principles and Practices of Interconnection Networks, 2004")

}  // namespace lookahead::gpu
