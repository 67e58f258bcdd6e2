#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "components/memory_partition/l2_cache.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"
#include "core/time/time.h"

namespace lookahead::gpu {

struct FarCopyCounters {
    LOOKAHEAD_COUNTER(requests, "request", "Requests of SMs in the other half of the GPU.");
    LOOKAHEAD_COUNTER(hits, "request", "Part of requests: reads that found a copy of the line in their SM's half.");
    LOOKAHEAD_ALL_DECLARED;
};

/// The times of an L2 cache of two halves (l2.far_latency). A line belongs to one half, which has its bytes and serves
/// all requests to it, so that a write is visible to all SMs at once. An answer to an SM in the other half takes
/// longer, unless that half has a copy of the line: its first read leaves one there, a write of any SM removes it.
/// Source: Jia and Van Sandt, "Dissecting the Ampere GPU Architecture through Microbenchmarking", GTC 2021 (S33322).
///
/// The half of a line is the parity of its address, as GPUs hash addresses; so a slice has lines of both halves here. A
/// copy takes a line of its own set, in place of a line of the other half, and gives way to lines: on an H100 PCIe all
/// SMs together read up to 37 of the 50 MB at the full bandwidth (gpu-benches), which lines and copies would not fit
/// into.
///
/// A copy comes when the first answer does: until then it shortens another one only so far that it comes with it.
class FarCopies {
  public:
    /// `channel`: the slice's. `latency`: cycles that an answer to the other half takes longer; 0: L2 is one.
    FarCopies(L2Cache& lines, unsigned channel, Cycle latency)
        : lines_(lines), channel_(channel), latency_(latency), near_from_(latency > 0 ? lines.size() : 0) {
        if (latency > 0) { lines.expect_copies(); }
    }

    bool enabled() const { return latency_ > 0; }

    /// The cycles that the answer to a read takes longer, which requester `source` makes of the line in cycle `now`.
    Cycle read(std::uint32_t line, unsigned source, Cycle now) {
        if (!is_far(line, source)) { return 0; }
        ++counters_.requests;
        if (const std::uint32_t copy = lines_.copy_of(line); copy != L2Cache::kNoLine) {
            ++counters_.hits;
            lines_.touch_copy(copy);
            return std::max<Cycle>(0, near_from_[copy] - now);
        }
        leave_copy(line, now + latency_);
        return latency_;
    }
    /// The same for a write or an atomic.
    Cycle write(std::uint32_t line, unsigned source) {
        if (!enabled()) { return 0; }
        lines_.drop_copy(line);
        if (!is_far(line, source)) { return 0; }
        ++counters_.requests;
        return latency_;
    }

    const FarCopyCounters& counters() const { return counters_; }
    void fields(StateArchive& archive) {
        if (enabled()) { archive& near_from_& counters_; }
    }

  private:
    /// Neighbouring SMs are in different halves, as CTAs go to one processing cluster after another.
    bool is_far(std::uint32_t line, unsigned source) const {
        return enabled() && (std::popcount(channel_) + std::popcount(lines_.local_address(line)) + source) % 2 != 0;
    }

    /// There is no copy if its place awaits a fill or is dirty.
    void leave_copy(std::uint32_t line, Cycle near_from) {
        const std::uint32_t place = lines_.victim_beside(line);
        if (place == L2Cache::kNoLine || place == line || lines_.dirty(place).any()) { return; }
        lines_.install_copy(place, line);
        near_from_[place] = near_from;
    }

    L2Cache& lines_;
    unsigned channel_;
    Cycle latency_;
    std::vector<Cycle> near_from_;  ///< of a copy: from this cycle on an answer takes no longer
    FarCopyCounters counters_;
};

}  // namespace lookahead::gpu
