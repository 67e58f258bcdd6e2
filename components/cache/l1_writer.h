#pragma once

#include <cstddef>
#include <cstdint>

#include "components/cache/l1_companion.h"
#include "components/cache/l1_counters.h"
#include "components/cache/l1_lines.h"
#include "components/cache/miss_queue.h"

namespace lookahead::gpu {

/// Tag of a write of dirty bytes, whose acknowledgement has no waiter.
inline constexpr std::uint32_t kWriteBackTag = ~std::uint32_t{0};

/// Sends stored bytes and evicted dirty bytes to L2. Each message takes one place in the miss queue, which the caller
/// must have checked.
class L1Writer {
  public:
    L1Writer(L1Lines& lines, MissQueue& queue, L1Counters& counters)
        : lines_(lines), queue_(queue), counters_(counters) {}

    /// Adds the companion of local memory, which sees evicted dirty bytes.
    void join(L1Companion& companion) { companion_ = &companion; }

    void write(std::uint64_t line, const ByteMask& mask, const std::byte* bytes, std::uint32_t tag);
    /// Writes the way's dirty bytes unchanged.
    void write_dirty(std::uint32_t way);
    /// The same for a line that makes room: the companion may take dirty bytes and add its own.
    void evict_dirty(std::uint32_t way);
    /// Writes the companion's bytes of the line and the way's other dirty bytes; sends no message if there are none.
    void write_together(std::uint32_t way, const ByteMask& own, const std::byte* bytes);

  private:
    void count_written(std::uint32_t way, unsigned written);

    L1Lines& lines_;
    MissQueue& queue_;
    L1Counters& counters_;
    L1Companion* companion_ = nullptr;
};

}  // namespace lookahead::gpu
