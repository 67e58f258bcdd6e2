#pragma once

#include <cstdint>

#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead {

/// Credit-based flow control over channels with latency. The receiver has a buffer for the flits of each sender;
/// the sender counts the free places and sends only into those; the receiver returns what it has freed by messages.
///
/// Latency on channels lengthens the round trip, in which a place is neither filled nor known to be free. A buffer
/// of `entries` in the modelled machine therefore gets bandwidth x round trip more, and with returns in batches of
/// b flits also the b - 1 that wait for their batch.
constexpr std::uint32_t credit_capacity(std::uint32_t entries, std::uint64_t flits, std::uint64_t cycles,
                                        std::uint64_t round_trip_cycles, std::uint32_t batch = 1) {
    // The bandwidth is `flits` in `cycles` cycles; a part of a flit needs a whole place.
    const std::uint64_t under_way = (flits * round_trip_cycles + cycles - 1) / cycles;
    return entries + static_cast<std::uint32_t>(under_way) + batch - 1;
}

/// The sender's side: the places that it knows to be free.
class CreditCounter {
  public:
    explicit CreditCounter(std::uint32_t capacity) : free_(capacity), capacity_(capacity) {}

    bool can_send(std::uint32_t flits) const { return flits <= free_; }
    std::uint32_t available() const { return free_; }
    std::uint32_t capacity() const { return capacity_; }
    bool all_returned() const { return free_ == capacity_; }

    void spend(std::uint32_t flits) {
        LOOKAHEAD_ASSERT(flits <= free_, "a sender spent credits that it does not have");
        free_ -= flits;
    }
    void refund(std::uint32_t flits) {
        LOOKAHEAD_ASSERT(flits <= capacity_ - free_, "a sender got more credits back than it had spent");
        free_ += flits;
    }

    void fields(StateArchive& archive) {
        archive& free_;
    }

  private:
    std::uint32_t free_;
    std::uint32_t capacity_;
};

/// The receiver's side: returns credits in batches, so that not every flit costs a message back.
class CreditReturn {
  public:
    explicit CreditReturn(std::uint32_t batch = 1) : batch_(batch) {}

    /// Counts places that became free. Gives the number of credits to send back now, or 0 to wait for more.
    std::uint32_t release(std::uint32_t flits) {
        held_ += flits;
        return held_ >= batch_ ? flush() : 0;
    }
    /// All that is held back, for the end of a kernel.
    std::uint32_t flush() {
        const std::uint32_t credits = held_;
        held_ = 0;
        return credits;
    }
    std::uint32_t held() const { return held_; }

    void fields(StateArchive& archive) {
        archive& held_;
    }

  private:
    std::uint32_t batch_;
    std::uint32_t held_ = 0;
};

}  // namespace lookahead
