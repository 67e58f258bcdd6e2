#pragma once

#include <cstdint>
#include <vector>

#include "components/sm/context_states.h"
#include "components/sm/counters.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Waits of more cycles than this are for a long-latency operation (Kim et al., HPCA 2016, section 3: "greater than 100
/// cycles").
inline constexpr std::uint64_t kLongWaitCycles = 100;

/// How long warps wait for memory, and which of a scheduler's `memory_wait` cycles lie in a long wait of one of its
/// warps. A wait is in blocked_by_memory from begin to end, and its length is that of the launches' cycles in between,
/// each of which a scheduler charges to one cause.
///
/// A cycle that lies in several long waits counts once. This is exact, although cycles are counted only where a long
/// wait ends: from the beginning of the oldest wait that has become long by then, and none again that was counted
/// before. A wait under way that is not long yet began within the cycles of the one that ends.
class MemoryWaits {
  public:
    MemoryWaits(unsigned contexts, unsigned schedulers, SmCounters& counters);

    /// The context waits for memory, since now or since before.
    void begin(unsigned context) {
        Wait& wait = waits_[context];
        if (wait.begin == kNone) { wait = {counters_.cycles, memory_wait_cycles(scheduler_of_[context])}; }
    }
    /// It waits for memory no more.
    void end(unsigned context) {
        ++counters_.memory_waits;
        if (is_long(waits_[context])) {
            ++counters_.long_waits;
            count(context);
        }
        waits_[context].begin = kNone;
    }
    bool waits(unsigned context) const { return waits_[context].begin != kNone; }
    unsigned under_way() const;

    /// Where the schedulers' cycles are charged; outlives this.
    void observe(const std::vector<SchedulerCounters>& schedulers) { schedulers_ = &schedulers; }

    void fields(StateArchive& archive);

  private:
    static constexpr std::uint64_t kNone = UINT64_MAX;

    struct Wait {
        std::uint64_t begin = kNone;  ///< launches' cycles
        std::uint64_t charged = 0;    ///< the scheduler's cycles of memory_wait at that time
    };

    bool is_long(const Wait& wait) const;
    void count(unsigned context);
    std::uint64_t memory_wait_cycles(unsigned scheduler) const {
        return (*schedulers_)[scheduler][SchedulerCycle::memory_wait];
    }

    SmCounters& counters_;
    std::vector<Wait> waits_;                 ///< by context
    std::vector<std::uint8_t> scheduler_of_;  ///< by context
    std::vector<std::uint64_t> counted_;      ///< by scheduler: up to this memory_wait cycle it is decided which count
    const std::vector<SchedulerCounters>* schedulers_ = nullptr;
};

}  // namespace lookahead::gpu
