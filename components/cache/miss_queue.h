#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/isa/instruction.h"
#include "components/protocols/memory.h"
#include "core/error/error.h"
#include "core/stats/state_hasher.h"

namespace lookahead::gpu {

/// A request on its way from L1 to the network: a message's payload.
struct QueuedRequest {
    static constexpr std::size_t kMaximumBytes = sizeof(AtomicRequest) + isa::kWarpSize * sizeof(AtomicLane);

    std::uint64_t line;
    std::uint32_t bytes;
    GpuMessage type;
    alignas(8) std::byte payload[kMaximumBytes];
};

/// First in, first out, for reads, writes and atomics together: the requests of a line keep their order.
class MissQueue {
  public:
    explicit MissQueue(unsigned capacity) : slots_(capacity) {}

    bool full() const { return size_ == slots_.size(); }
    bool empty() const { return size_ == 0; }
    unsigned size() const { return size_; }

    /// The caller writes all bytes of the payload.
    std::byte* push(std::uint64_t line, GpuMessage type, std::size_t bytes) {
        LOOKAHEAD_DEBUG_ASSERT(!full(), "a request was pushed into a full miss queue");
        unsigned place = head_ + size_;
        place -= place >= slots_.size() ? static_cast<unsigned>(slots_.size()) : 0;
        QueuedRequest& slot = slots_[place];
        ++size_;
        slot.line = line;
        slot.type = type;
        slot.bytes = static_cast<std::uint32_t>(bytes);
        return slot.payload;
    }

    const QueuedRequest& front() const { return slots_[head_]; }
    void pop() {
        head_ = head_ + 1 == slots_.size() ? 0 : head_ + 1;
        --size_;
    }

    void hash_state(StateHasher& hasher) const {
        hasher.add(size_);
        for_each([&](const QueuedRequest& request) {
            hasher.add(request.line);
            hasher.add_bytes(request.payload, request.bytes);
        });
    }

    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        archive& head_& size_;
        for (QueuedRequest& request : slots_) {
            archive& request.line& request.bytes& request.type;
            archive& reinterpret_cast<unsigned char(&)[QueuedRequest::kMaximumBytes]>(request.payload);
        }
    }

  private:
    template <class F>
    void for_each(F&& f) const {
        for (unsigned i = 0; i < size_; ++i) {
            f(slots_[(head_ + i) % slots_.size()]);
        }
    }

    unsigned head_ = 0;
    unsigned size_ = 0;
    std::vector<QueuedRequest> slots_;
};

}  // namespace lookahead::gpu
