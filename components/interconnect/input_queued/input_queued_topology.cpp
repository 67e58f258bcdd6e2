#include <memory>

#include "components/interconnect/input_queued/input_queued_network.h"
#include "components/interconnect/input_queued/input_queued_parameters.h"
#include "components/interconnect/network_pair.h"

namespace lookahead::gpu {
namespace {

/// Relative, for partitioners that have no measured weights.
constexpr double kWork = 10;

/// A crossbar of requests and one of replies, each an InputQueuedNetwork.
class InputQueuedTopology final : public InterconnectTopology {
  public:
    using Parameters = InputQueuedParameters;

    explicit InputQueuedTopology(const Parameters& parameters) : parameters_(parameters) {}

    void connect(Model& model, const InterconnectEndpoints& ends) const override {
        const auto sms = static_cast<unsigned>(ends.sms.size());
        const unsigned slices = static_cast<unsigned>(ends.partitions.size()) * ends.slices_per_partition;
        check_paths("an input-queued crossbar", sms, slices);
        const LpId requests = add(model, "crossbar.requests", ends, sms, slices);
        const LpId replies = add(model, "crossbar.replies", ends, slices, sms);
        connect_through(model, ends, {requests, replies, parameters_.delivery_latency});
    }

    Cycle further_round_trip(unsigned, unsigned) const override { return 2 * parameters_.delivery_latency; }

  private:
    LpId add(Model& model, const std::string& name, const InterconnectEndpoints& ends, unsigned sources,
             unsigned destinations) const {
        const InputQueuedNetwork::Arguments arguments{.delivery_latency = parameters_.delivery_latency,
                                                      .sources = sources,
                                                      .destinations = destinations,
                                                      .credits = credits_per_path(ends.ports),
                                                      .flit_bytes = ends.ports.flit_bytes,
                                                      .frequency = ends.clock.frequency_hz()};
        return model.add({name, "crossbar", kWork},
                         [arguments] { return std::make_unique<InputQueuedNetwork>(arguments); });
    }

    InputQueuedParameters parameters_;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(InterconnectTopology, InputQueuedTopology, "input_queued",
                           "A full crossbar with one queue at each input: what waits holds up all behind it.",
                           "Karol, Hluchyj and Morgan, IEEE Trans. Communications 1987; McKeown, iSLIP, 1999")

}  // namespace lookahead::gpu
