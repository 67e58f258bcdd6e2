#pragma once

#include <cstdint>
#include <vector>

#include "components/sm/context_states.h"
#include "components/sm/counters.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// A wait of more cycles is for a long-latency operation (Kim et al., HPCA 2016, section 3: "greater than 100 cycles").
inline constexpr std::uint64_t kLongWaitCycles = 100;

/// How long warps wait for memory, and how many of a scheduler's `memory_wait` cycles lie in a long wait of one of its
/// warps. A wait lasts from entering to leaving blocked_by_memory; its length is in cycles of launches, each of which a
/// scheduler charges to one cause.
///
/// A cycle within several long waits counts once. Counting only when a long wait ends is exact: it counts from the
/// begin of the oldest wait that is long by then, without cycles counted before. A wait that is not long yet began
/// within the cycles of the one that ends.
class MemoryWaits {
  public:
    MemoryWaits(unsigned contexts, unsigned schedulers, SmCounters& counters);

    /// The context waits for memory, from now on or already before.
    void begin(unsigned context) {
        Wait& wait = waits_[context];
        if (wait.begin == kNone) { wait = {counters_.cycles, memory_wait_cycles(scheduler_of_[context])}; }
    }
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

    /// Sets the counters to which the schedulers charge cycles; they must outlive this object.
    void observe(const std::vector<SchedulerCounters>& schedulers) { schedulers_ = &schedulers; }

    void fields(StateArchive& archive);

  private:
    static constexpr std::uint64_t kNone = UINT64_MAX;

    struct Wait {
        std::uint64_t begin = kNone;  ///< in cycles of launches
        std::uint64_t charged = 0;    ///< the scheduler's memory_wait cycles at that time
    };

    bool is_long(const Wait& wait) const;
    void count(unsigned context);
    std::uint64_t memory_wait_cycles(unsigned scheduler) const {
        return (*schedulers_)[scheduler][SchedulerCycle::memory_wait];
    }

    SmCounters& counters_;
    std::vector<Wait> waits_;                 ///< by context
    std::vector<std::uint8_t> scheduler_of_;  ///< by context
    std::vector<std::uint64_t> counted_;      ///< by scheduler: memory_wait cycles below this are decided
    const std::vector<SchedulerCounters>* schedulers_ = nullptr;
};

}  // namespace lookahead::gpu
