#include <memory>

#include "components/interconnect/input_queued/input_queued_network.h"
#include "components/interconnect/input_queued/input_queued_parameters.h"
#include "components/interconnect/partition_ports.h"
#include "components/interconnect/topology.h"
#include "core/error/error.h"

namespace lookahead::gpu {
namespace {

/// Relative numbers of messages, for partitioners that have no measured ones; and of work.
constexpr double kTraffic = 10;
constexpr double kWork = 10;
constexpr unsigned kMostPaths = 1u << 16;  // in-ports

/// A crossbar of requests and one of replies, each an InputQueuedNetwork.
class InputQueuedTopology final : public InterconnectTopology {
  public:
    using Parameters = InputQueuedParameters;

    explicit InputQueuedTopology(const Parameters& parameters) : parameters_(parameters) {}

    void connect(Model& model, const InterconnectEndpoints& ends) const override {
        const auto sms = static_cast<unsigned>(ends.sms.size());
        const unsigned slices = static_cast<unsigned>(ends.partitions.size()) * ends.slices_per_partition;
        if (sms * slices > kMostPaths) {
            throw ConfigurationError("an input-queued crossbar joins SMs and slices by " + std::to_string(kMostPaths) +
                                     " paths at most; " + std::to_string(sms) + " SMs and " + std::to_string(slices) +
                                     " slices need " + std::to_string(sms * slices));
        }
        const LpId requests = add(model, "crossbar.requests", ends, sms, slices);
        const LpId replies = add(model, "crossbar.replies", ends, slices, sms);
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
