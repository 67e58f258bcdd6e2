#include <memory>

#include "components/interconnect/input_queued/input_queued_network.h"
#include "components/interconnect/input_queued/input_queued_parameters.h"
#include "components/interconnect/network_pair.h"

namespace lookahead::gpu {
namespace {

/// A crossbar of requests and one of replies, each an InputQueuedNetwork.
class InputQueuedTopology final : public NetworkPairTopology {
  public:
    using Parameters = InputQueuedParameters;

    explicit InputQueuedTopology(const Parameters& parameters)
        : NetworkPairTopology({"an input-queued crossbar", "crossbar", 10, parameters.delivery_latency}),
          parameters_(parameters) {}

    Cycle further_round_trip(unsigned, unsigned) const override { return 2 * parameters_.delivery_latency; }

  private:
    Model::Factory network(const InterconnectEndpoints& ends, unsigned sms, unsigned slices,
                           Carries carries) const override {
        const bool requests = carries == Carries::requests;
        const NetworkProcess::Ends of_network{requests ? sms : slices,      requests ? slices : sms,
                                              parameters_.delivery_latency, ends.ports.flit_bytes,
                                              ends.clock.frequency_hz(),    ends.ports.atomic_lane_bytes};
        return [of_network, credits = credits_per_path(ends.ports), allocation = parameters_.allocation_cycles] {
            return std::make_unique<InputQueuedNetwork>(of_network, credits, allocation);
        };
    }

    InputQueuedParameters parameters_;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(
    InterconnectTopology, InputQueuedTopology, "input_queued",
    "A full crossbar with one queue at each input: a waiting packet delays all packets behind it.",
    "Karol, Hluchyj and Morgan, IEEE Trans. Communications 1987; McKeown, iSLIP, 1999")

}  // namespace lookahead::gpu
