#pragma once

#include <array>
#include <cstdint>

#include "components/protocols/memory.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Lines that caches of the SM other than L1D ask for: on their way to the network, and awaited.
class LineRequests {
  public:
    /// GPGPU-Sim's GTX480 configuration: miss queues of four entries.
    static constexpr unsigned kCapacity = 4;
    /// In a request's tag: the reply is not L1D's.
    static constexpr std::uint32_t kTag = std::uint32_t{1} << 31;

    bool full() const { return queued_ == kCapacity; }
    bool empty() const { return queued_ == 0; }
    /// True when none is queued or awaited.
    bool idle() const { return queued_ + awaited_ == 0; }

    void push(std::uint64_t line, SectorMask sectors, std::uint32_t reader, std::uint16_t sample) {
        queue_[(head_ + queued_) % kCapacity] = {
            .line = line, .tag = kTag | reader, .client = Client::demand, .sectors = sectors, .sample = sample};
        ++queued_;
    }
    const ReadRequest& front() const { return queue_[head_]; }
    /// The first one has left.
    void sent() {
        head_ = (head_ + 1) % kCapacity;
        --queued_;
        ++awaited_;
    }
    /// A reply with kTag has come. Returns its reader.
    std::uint32_t came(const ReadReply& reply) {
        --awaited_;
        return reply.tag & ~kTag;
    }

    void fields(StateArchive& archive) {
        archive& head_& queued_& awaited_;
        for (ReadRequest& request : queue_) {
            archive& request.line& request.tag& request.client& request.sectors& request.sample;
        }
    }

  private:
    std::array<ReadRequest, kCapacity> queue_{};
    std::uint32_t head_ = 0;
    std::uint32_t queued_ = 0;
    std::uint32_t awaited_ = 0;
};

}  // namespace lookahead::gpu
