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

/// A request on its way from L1 to the network: the payload of a message.
struct QueuedRequest {
    static constexpr std::size_t kMaximumBytes = sizeof(AtomicRequest) + isa::kWarpSize * sizeof(AtomicLane);

    Cycle due = 0;  ///< cycle in which it may leave the pipeline
    std::uint64_t line;
    std::uint32_t bytes;
    GpuMessage type;
    alignas(8) std::byte payload[kMaximumBytes];

    void fields(StateArchive& archive) {
        archive& due& line& bytes& type;
        archive.plain(payload, bytes);
    }
};

/// A first-in, first-out queue of reads, writes and atomics together, so that requests to one line keep their order. A
/// pipeline of `latency` stages follows the queue and takes one request per cycle; with no stages, the first request
/// may leave at once.
class MissQueue {
  public:
    explicit MissQueue(unsigned capacity, unsigned latency = 0)
        : capacity_(capacity), latency_(latency), requests_(std::size_t{capacity} + latency) {}

    bool full() const { return room() == 0; }
    bool empty() const { return requests_.empty(); }
    unsigned size() const { return requests_.size(); }
    unsigned room() const { return capacity_ - (size() - piped_); }

    /// Appends a request and returns the place for its payload, whose bytes the caller must all write.
    std::byte* push(std::uint64_t line, GpuMessage type, std::size_t bytes) {
        LOOKAHEAD_DEBUG_ASSERT(!full(), "a request was pushed into a full miss queue");
        QueuedRequest& slot = requests_.push();
        slot.due = 0;
        slot.line = line;
        slot.type = type;
        slot.bytes = static_cast<std::uint32_t>(bytes);
        return slot.payload;
    }

    /// Moves the first waiting request into the pipeline if there is room; returns whether it did. Call it once a
    /// cycle.
    bool advance(Cycle now) {
        if (!can_advance()) { return false; }
        requests_[piped_++].due = now + latency_;
        return true;
    }
    bool can_advance() const { return piped_ < latency_ && piped_ < size(); }
    /// The first cycle >= `now` in which the first request may leave; kCycleInfinity if none may without an `advance`.
    Cycle next_departure(Cycle now) const {
        return piped_ > 0 ? std::max(now, front().due) : latency_ == 0 && !empty() ? now : kCycleInfinity;
    }

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
    unsigned piped_ = 0;  ///< requests in the pipeline: the first ones
    Ring<QueuedRequest> requests_;
};

}  // namespace lookahead::gpu
