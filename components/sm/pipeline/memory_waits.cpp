#include "components/sm/pipeline/memory_waits.h"

#include <algorithm>

#include "core/mutation/rule.h"

namespace lookahead::gpu {

MemoryWaits::MemoryWaits(unsigned contexts, unsigned schedulers, SmCounters& counters)
    : counters_(counters), waits_(contexts), counted_(schedulers, 0) {
    for (unsigned context = 0; context < contexts; ++context) {
        scheduler_of_.push_back(static_cast<std::uint8_t>(context % schedulers));
    }
}

bool MemoryWaits::is_long(const Wait& wait) const {
    return counters_.cycles - wait.begin > kLongWaitCycles;
}

unsigned MemoryWaits::under_way() const {
    return static_cast<unsigned>(std::ranges::count_if(waits_, [](const Wait& wait) { return wait.begin != kNone; }));
}

void MemoryWaits::count(unsigned context) {
    const unsigned scheduler = scheduler_of_[context];
    std::uint64_t from = waits_[context].charged;
    std::uint64_t& counted = counted_[scheduler];
    if (from > counted && LOOKAHEAD_RULE(older_waits_reach_further_back)) {
        for (std::size_t other = scheduler; other < waits_.size(); other += counted_.size()) {
            if (waits_[other].begin != kNone && is_long(waits_[other])) {
                from = std::min(from, waits_[other].charged);
            }
        }
    }
    from = std::max(from, counted);
    counted = memory_wait_cycles(scheduler);
    counters_.long_latency += counted - from;
}

/// Archives only the waits under way, usually few.
void MemoryWaits::fields(StateArchive& archive) {
    std::vector<std::uint64_t> open;
    for (std::uint64_t context = 0; context < waits_.size(); ++context) {
        if (waits_[context].begin != kNone) {
            open.insert(open.end(), {context, waits_[context].begin, waits_[context].charged});
        }
    }
    archive& open& counted_;
    if (archive.loading()) {
        std::ranges::fill(waits_, Wait{});
        for (std::size_t i = 0; i + 2 < open.size(); i += 3) { waits_.at(open[i]) = {open[i + 1], open[i + 2]}; }
    }
}

}  // namespace lookahead::gpu
