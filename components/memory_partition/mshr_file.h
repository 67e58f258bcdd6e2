#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "components/protocols/memory.h"
#include "core/message/message.h"

namespace lookahead {
class StateArchive;
}

namespace lookahead::gpu {

/// Miss-status holding registers: the lines that a slice awaits, each with the sectors being fetched and the waiting
/// requests, in the order of arrival. The cache's line points to its register, so no search is needed.
class MshrFile {
  public:
    MshrFile(unsigned registers, unsigned merges);

    bool full() const { return free_registers_.empty(); }
    bool empty() const { return in_use_ == 0; }
    unsigned in_use() const { return in_use_; }
    /// Occupied registers and places for requests, for the audit.
    std::size_t held_registers() const { return registers_.size() - free_registers_.size(); }
    std::size_t held_requests() const { return waiters_.size() - free_waiters_.size(); }

    /// Allocates a register for a line of the cache; the file must not be full.
    std::uint16_t allocate(std::uint32_t line_index);
    std::uint32_t line_index(std::uint16_t mshr) const { return registers_[mshr].line_index; }
    bool can_merge(std::uint16_t mshr) const { return registers_[mshr].count < merges_; }
    /// Adds a copy of the request at the end.
    void append(std::uint16_t mshr, const MessageHeader& request, unsigned source);

    /// Sectors that were requested from the DRAM and have not come.
    SectorMask fetching(std::uint16_t mshr) const { return registers_[mshr].fetching; }
    void fetch(std::uint16_t mshr, SectorMask sectors) { registers_[mshr].fetching |= sectors; }
    void fetched(std::uint16_t mshr, SectorMask sectors) {
        registers_[mshr].fetching &= static_cast<SectorMask>(~sectors);
    }

    bool has_waiters(std::uint16_t mshr) const { return registers_[mshr].count > 0; }
    const MessageHeader& front(std::uint16_t mshr) const { return request(registers_[mshr].first); }
    unsigned front_source(std::uint16_t mshr) const { return waiters_[registers_[mshr].first].source; }
    /// Removes the first request.
    void pop(std::uint16_t mshr);
    /// Frees the register, which must have no waiters and fetch nothing.
    void release(std::uint16_t mshr);

    void fields(StateArchive& archive);

  private:
    friend struct AuditSabotage;
    static constexpr std::uint32_t kNone = ~0u;
    /// The largest request: an atomic of a whole warp.
    static constexpr std::size_t kSlotWords =
        (sizeof(MessageHeader) + sizeof(AtomicRequest) + isa::kWarpSize * sizeof(AtomicLane)) / 8;
    struct Register {
        std::uint32_t line_index = 0;
        std::uint32_t count = 0;
        std::uint32_t first = kNone;
        std::uint32_t last = kNone;
        SectorMask fetching = 0;
    };
    struct Waiter {
        std::uint32_t next = kNone;
        std::uint32_t source = 0;
    };

    const MessageHeader& request(std::uint32_t waiter) const {
        return *reinterpret_cast<const MessageHeader*>(slots_.get() + waiter * kSlotWords);
    }

    unsigned merges_;
    unsigned in_use_ = 0;
    std::vector<Register> registers_;
    std::vector<Waiter> waiters_;
    std::unique_ptr<std::uint64_t[]> slots_;  ///< the waiters' messages; most slots are never used
    // Last in, first out, so that few cache lines are touched when few are in use.
    std::vector<std::uint16_t> free_registers_;
    std::vector<std::uint32_t> free_waiters_;
};

}  // namespace lookahead::gpu
