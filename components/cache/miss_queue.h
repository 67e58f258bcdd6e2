#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/isa/lane_mask.h"
#include "components/protocols/memory.h"
#include "core/error/error.h"
#include "core/stats/state_hasher.h"
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
};

/// First in, first out, for reads, writes and atomics together: the requests of a line keep their order. Behind the
/// queue is a pipeline of `latency` stages, into which one request goes in a cycle; without stages, the queue's first
/// one may leave at once.
class MissQueue {
  public:
    explicit MissQueue(unsigned capacity, unsigned latency = 0)
        : capacity_(capacity), latency_(latency), slots_(capacity + latency) {}

    bool full() const { return room() == 0; }
    bool empty() const { return size_ == 0; }
    unsigned size() const { return size_; }
    unsigned room() const { return capacity_ - (size_ - piped_); }

    /// The caller writes all bytes of the payload.
    std::byte* push(std::uint64_t line, GpuMessage type, std::size_t bytes) {
        LOOKAHEAD_DEBUG_ASSERT(!full(), "a request was pushed into a full miss queue");
        QueuedRequest& slot = slots_[place_of(size_)];
        slot.due = 0;
        ++size_;
        slot.line = line;
        slot.type = type;
        slot.bytes = static_cast<std::uint32_t>(bytes);
        return slot.payload;
    }

    /// The pipeline takes the first one that waits for it, if there is room. Returns true if it did. Once a cycle.
    bool advance(Cycle now) {
        if (!can_advance()) {
            return false;
        }
        slots_[place_of(piped_++)].due = now + latency_;
        return true;
    }
    bool can_advance() const { return piped_ < latency_ && piped_ < size_; }
    /// The first cycle, from `now` on, in which the first one may leave; kCycleInfinity when there is none that may
    /// without an `advance`.
    Cycle next_departure(Cycle now) const {
        return piped_ > 0 ? std::max(now, front().due) : latency_ == 0 && size_ > 0 ? now : kCycleInfinity;
    }

    /// Of the request that was pushed last.
    std::byte* last_payload() { return slots_[place_of(size_ - 1)].payload; }
    const QueuedRequest& front() const { return slots_[head_]; }
    void pop() {
        head_ = head_ + 1 == slots_.size() ? 0 : head_ + 1;
        --size_;
        piped_ -= piped_ > 0 ? 1 : 0;
    }

    void hash_state(StateHasher& hasher) const {
        hasher.add(size_ | std::uint64_t{piped_} << 32);
        for_each([&](const QueuedRequest& request) {
            hasher.add(request.line);
            hasher.add(static_cast<std::uint64_t>(request.due));
            hasher.add_bytes(request.payload, request.bytes);
        });
    }

    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        archive& head_& size_& piped_;
        for (QueuedRequest& request : slots_) {
            archive& request.due& request.line& request.bytes& request.type;
            archive& reinterpret_cast<unsigned char(&)[QueuedRequest::kMaximumBytes]>(request.payload);
        }
    }

  private:
    unsigned place_of(unsigned i) const {
        const unsigned place = head_ + i;
        return place >= slots_.size() ? place - static_cast<unsigned>(slots_.size()) : place;
    }
    template <class F>
    void for_each(F&& f) const {
        for (unsigned i = 0; i < size_; ++i) {
            f(slots_[place_of(i)]);
        }
    }

    unsigned capacity_;
    Cycle latency_;
    unsigned head_ = 0;
    unsigned size_ = 0;
    unsigned piped_ = 0;  ///< the first ones, which are in the pipeline
    std::vector<QueuedRequest> slots_;
};

}  // namespace lookahead::gpu
