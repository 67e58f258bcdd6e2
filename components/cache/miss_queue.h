#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "components/isa/lane_mask.h"
#include "components/protocols/memory.h"
#include "core/bits/ring.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// A request on its way from L1 to the network: a message's payload.
struct QueuedRequest {
    static constexpr std::size_t kMaximumBytes = sizeof(AtomicRequest) + isa::kWarpSize * sizeof(AtomicLane);

    Cycle due = 0;  ///< in the pipeline: when it may leave
    std::uint64_t line;
    std::uint32_t bytes;
    GpuMessage type;
    alignas(8) std::byte payload[kMaximumBytes];

    void fields(StateArchive& archive) {
        archive& due& line& bytes& type;
        archive.plain(payload, bytes);
    }
};

/// First in, first out, for reads, writes and atomics together: the requests of a line keep their order. Behind the
/// queue is a pipeline of `latency` stages, into which one request goes in a cycle; without stages, the queue's first
/// one may leave at once.
class MissQueue {
  public:
    explicit MissQueue(unsigned capacity, unsigned latency = 0)
        : capacity_(capacity), latency_(latency), requests_(std::size_t{capacity} + latency) {}

    bool full() const { return room() == 0; }
    bool empty() const { return requests_.empty(); }
    unsigned size() const { return requests_.size(); }
    unsigned room() const { return capacity_ - (size() - piped_); }

    /// The caller writes all bytes of the payload.
    std::byte* push(std::uint64_t line, GpuMessage type, std::size_t bytes) {
        LOOKAHEAD_DEBUG_ASSERT(!full(), "a request was pushed into a full miss queue");
        QueuedRequest& slot = requests_.push();
        slot.due = 0;
        slot.line = line;
        slot.type = type;
        slot.bytes = static_cast<std::uint32_t>(bytes);
        return slot.payload;
    }

    /// The pipeline takes the first one that waits for it, if there is room. Returns true if it did. Once a cycle.
    bool advance(Cycle now) {
        if (!can_advance()) { return false; }
        requests_[piped_++].due = now + latency_;
        return true;
    }
    bool can_advance() const { return piped_ < latency_ && piped_ < size(); }
    /// The first cycle, from `now` on, in which the first one may leave; kCycleInfinity when there is none that may
    /// without an `advance`.
    Cycle next_departure(Cycle now) const {
        return piped_ > 0 ? std::max(now, front().due) : latency_ == 0 && !empty() ? now : kCycleInfinity;
    }

    /// The payload of the request that was pushed last.
    std::byte* last_payload() { return requests_[size() - 1].payload; }
    const QueuedRequest& front() const { return requests_.front(); }
    void pop() {
        requests_.pop();
        piped_ -= piped_ > 0 ? 1 : 0;
    }

    void fields(StateArchive& archive) {
        archive& piped_;
        requests_.fields(archive, [&](QueuedRequest& request) { archive& request; });
    }

  private:
    unsigned capacity_;
    Cycle latency_;
    unsigned piped_ = 0;  ///< the first ones, which are in the pipeline
    Ring<QueuedRequest> requests_;
};

}  // namespace lookahead::gpu
