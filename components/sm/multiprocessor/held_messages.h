#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/message/message.h"
#include "core/state/state_archive.h"
#include "core/time/clock_domain.h"

namespace lookahead::gpu {

/// Copies of messages that came before the horizon but whose clock edge is not before it: they wait for the next
/// window.
class HeldMessages {
  public:
    bool empty() const { return first_ == words_.size(); }

    void push(const MessageHeader& message) {
        if (empty()) {
            words_.clear();
            first_ = 0;
        }
        const std::size_t at = words_.size();
        words_.resize(at + message.total_bytes() / 8);
        std::memcpy(words_.data() + at, &message, message.total_bytes());
    }
    /// Valid until the next push.
    const MessageHeader& front() const { return *reinterpret_cast<const MessageHeader*>(words_.data() + first_); }
    /// The clock edge at which the first message arrives, as a cycle; kCycleInfinity when there is none.
    Cycle first_arrival(const ClockDomain& clock) const {
        return empty() ? kCycleInfinity : clock.cycle_at_or_after(front().time);
    }
    void pop() { first_ += front().total_bytes() / 8; }

    /// Drops the popped messages, which are no part of the state.
    void fields(StateArchive& archive) {
        words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
        archive& words_;
    }

  private:
    std::size_t first_ = 0;
    std::vector<std::uint64_t> words_;
};

}  // namespace lookahead::gpu
