#pragma once

#include "components/machine/perfect_memory.h"
#include "components/sm/lsu/memory_port.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// An SM's port to a PerfectMemory: performs a request when it is sent; the reply is ready for the unit's next cycle.
class PerfectMemoryPort final : public MemoryPort {
  public:
    /// `memory` must outlive the port.
    explicit PerfectMemoryPort(PerfectMemory& memory) : memory_(memory) {}

    bool can_send(Cycle) const override { return true; }
    Cycle next_send(Cycle now) const override { return now + 1; }
    void send(GpuMessage type, const std::byte* payload, std::size_t payload_bytes, Cycle now) override;

    void receive(const MessageHeader& message, Cycle now) override;
    const MessageHeader* next_reply(Cycle now) override;
    Cycle next_reply_cycle(Cycle now) const override { return replies_.empty() ? kCycleInfinity : now + 1; }

    bool drained() const override { return replies_.empty(); }

    void fields(StateArchive& archive) override;

  private:
    PerfectMemory& memory_;
    HeldMessages replies_;
};

}  // namespace lookahead::gpu
