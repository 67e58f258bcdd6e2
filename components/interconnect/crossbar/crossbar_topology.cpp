#include "components/interconnect/crossbar/crossbar_parameters.h"
#include "components/interconnect/topology.h"
#include "components/protocols/ports.h"

namespace lookahead::gpu {
namespace {

/// Relative numbers of messages, for partitioners without measured ones.
constexpr double kPacketTraffic = 10;
constexpr double kCreditTraffic = 1;

/// A full crossbar: a channel from every SM to every slice and back. Arbitration, bandwidth and credits are in the
/// endpoints (InjectionPort, EjectionPort).
class CrossbarTopology final : public InterconnectTopology {
  public:
    using Parameters = CrossbarParameters;

    explicit CrossbarTopology(const Parameters& parameters) : parameters_(parameters) {}

    void connect(Model& model, const InterconnectEndpoints& ends) const override {
        const Time request = ends.clock.least_span(parameters_.request_latency);
        const Time reply = ends.clock.least_span(parameters_.reply_latency);
        for (unsigned sm = 0; sm < ends.sms.size(); ++sm) {
            for (unsigned slice = 0; slice < ends.partitions.size() * ends.slices_per_partition; ++slice) {
                const unsigned local = slice % ends.slices_per_partition;
                const LpId partition = ends.partitions[slice / ends.slices_per_partition];
                const std::uint16_t in_port = partition_in_port(local, sm);
                const auto reply_port = static_cast<std::uint16_t>(ends.sm_reply_port + slice);
                model.connect(ends.sms[sm], ends.sm_requests, partition, in_port, request, kPacketTraffic);
                model.connect(ends.sms[sm], ends.sm_credits, partition, in_port, request, kCreditTraffic);
                model.connect(partition, local, ends.sms[sm], reply_port, reply, kPacketTraffic);
            }
        }
    }

  private:
    CrossbarParameters parameters_;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(InterconnectTopology, CrossbarTopology, "crossbar",
                           "A full crossbar between SMs and L2 slices: one hop, one flit per cycle and port.",
                           "NVIDIA, Fermi white paper, 2009; GPGPU-Sim's GTX480 configuration")

}  // namespace lookahead::gpu
