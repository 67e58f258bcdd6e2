#pragma once

#include <cstddef>
#include <cstdint>

#include "components/dram/memory_image.h"
#include "components/protocols/memory.h"
#include "components/sm/lsu/memory_port.h"
#include "components/sm/multiprocessor/held_messages.h"
#include "core/message/message.h"
#include "core/state/state_archive.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu {

/// Global memory that answers every request when it is made: no caches, no network, no limits. Requests are performed
/// in the order of the calls.
class PerfectMemory {
  public:
    /// Performs a ReadRequest, WriteRequest or AtomicRequest and appends the reply.
    void perform(GpuMessage type, const std::byte* payload, HeldMessages& replies);

    void write(std::uint64_t address, const std::byte* bytes, std::size_t count) {
        image_.write(address, bytes, count);
    }
    void fill(std::uint64_t address, std::byte value, std::size_t count) { image_.fill(address, value, count); }
    /// The bytes from `address` to the end of its page of MemoryImage.
    const std::byte* read(std::uint64_t address) const { return image_.read(address); }

    void audit(Audit& audit) const;
    void fields(StateArchive& archive) { archive& image_& reads_& writes_& atomics_& written_bytes_; }

  private:
    void read(const ReadRequest& request, HeldMessages& replies);
    void write(const WriteRequest& request, HeldMessages& replies);
    void atomic(const AtomicRequest& request, HeldMessages& replies);
    void acknowledge(std::uint32_t tag, HeldMessages& replies);

    MemoryImage image_;  // by address
    std::uint64_t reads_ = 0;
    std::uint64_t writes_ = 0;  // writes and reductions
    std::uint64_t atomics_ = 0;
    std::uint64_t written_bytes_ = 0;
};

/// An SM's port to a PerfectMemory: performs a request when it is sent; the reply is ready for the unit's next cycle.
class PerfectMemoryPort final : public MemoryPort {
  public:
    /// `memory` must outlive the port.
    explicit PerfectMemoryPort(PerfectMemory& memory) : memory_(memory) {}

    bool can_send(Cycle) const override { return true; }
    Cycle next_send(Cycle now) const override { return now + 1; }
    void send(GpuMessage type, const std::byte* payload, std::size_t, Cycle) override {
        memory_.perform(type, payload, replies_);
    }

    void receive(const MessageHeader& message, Cycle now) override;
    const MessageHeader* next_reply(Cycle now) override;
    Cycle next_reply_cycle(Cycle now) const override { return replies_.empty() ? kCycleInfinity : now + 1; }

    bool drained() const override { return replies_.empty(); }

    void fields(StateArchive& archive) override { archive& replies_; }

  private:
    PerfectMemory& memory_;
    HeldMessages replies_;
};

}  // namespace lookahead::gpu
