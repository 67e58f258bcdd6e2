#include <memory>

#include "components/interconnect/input_queued/input_queued_network.h"
#include "components/interconnect/network_pair.h"
#include "core/param/parameters.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The input-queued crossbar between SMs and L2 slices, one of requests and one of replies. Cycles are the network's;
/// flits and the ports of SMs and slices are those of CrossbarParameters.
struct InputQueuedParameters {
    LOOKAHEAD_PARAMETER(Cycle, delivery_latency, 32, {1, 10000, "cycle"},
                        {.help = "Latency from the crossbar to an SM or slice: a part of the fixed latency, and the "
                                 "crossbar's lookahead to its neighbours.",
                         .source = "a choice; subtract as much from crossbar.request_latency and reply_latency"});
    LOOKAHEAD_PARAMETER(
        Cycle, allocation_cycles, 0, {0, 100, "cycle"},
        {.help = "Cycles between a packet's tail and the next packet's head, at an input and at an output.",
         .source = "0: a packet gets its output while the one before it leaves. BookSim's router with one virtual "
                   "channel takes a cycle (internal_speedup 1)"});
    LOOKAHEAD_ALL_DECLARED;
};

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
    "A full crossbar with one queue at each input: a waiting packet delays all packets queued behind it.",
    "Karol, Hluchyj and Morgan, IEEE Trans. Communications 1987; McKeown, iSLIP, 1999")

}  // namespace lookahead::gpu
