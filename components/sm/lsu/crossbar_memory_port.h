#pragma once

#include <string>

#include "components/interconnect/crossbar/ejection_port.h"
#include "components/interconnect/crossbar/injection_port.h"
#include "components/memory_partition/address_mapping.h"
#include "components/sm/lsu/memory_port.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// An SM's end of the crossbar: the injection queue of its request port and the arbiter of its reply port.
class CrossbarMemoryPort final : public MemoryPort {
  public:
    /// `requests` and `credits` have one channel per L2 slice, in order; credits take as long as requests. `name` is
    /// the SM's, for statistics. An SM's cycle has `ratio` network cycles of `clock`. `mapping` must outlive the port.
    CrossbarMemoryPort(std::string name, const CrossbarParameters& parameters, const ClockDomain& clock, Cycle ratio,
                       const AddressMapping& mapping, OutPort& requests, OutPort& credits);

    bool can_send(Cycle now) const override { return injection_.can_accept(network_cycle(now)); }
    Cycle next_send(Cycle now) const override { return own_cycle(injection_.next_acceptance(network_cycle(now))); }
    void send(GpuMessage type, const std::byte* payload, std::size_t payload_bytes, Cycle now) override;

    void receive(const MessageHeader& message, Cycle now) override;
    const MessageHeader* next_reply(Cycle now) override;
    [[gnu::hot]] Cycle next_reply_cycle(Cycle now) const override {
        return own_cycle(ejection_.next_event(network_cycle(now)));
    }

    bool drained() const override { return injection_.empty() && ejection_.empty(); }
    void audit(Audit& audit, std::uint32_t requester) const override;

    void visit_statistics(StatisticsVisitor& visitor) const override;
    void fields(StateArchive& archive) override { archive& injection_& ejection_; }

  private:
    friend struct AuditSabotage;

    /// The network's cycle at an edge of the SM's clock: ratio * n, because a clock's n-th edge is floor(n / f).
    Cycle network_cycle(Cycle own) const { return ratio_ == 1 ? own : own * ratio_; }
    /// The SM's first cycle that is not before the network's.
    Cycle own_cycle(Cycle network) const {
        return ratio_ == 1 || network == kCycleInfinity ? network : (network + ratio_ - 1) / ratio_;
    }

    std::string name_;
    Cycle ratio_;
    const AddressMapping& mapping_;
    InjectionPort injection_;
    EjectionPort ejection_;
};

}  // namespace lookahead::gpu
