#pragma once

#include <cstdint>

#include "core/stats/statistics.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The reason why the request at the head of a slice's port waits.
enum class L2Stall : std::uint8_t { none, reply_port, mshrs, merges, set, miss_queue };
inline constexpr std::size_t kL2StallCauses = 5;

struct L2Counters {
    LOOKAHEAD_COUNTER(reads, "request", "Reads of a line or of sectors of one.");
    LOOKAHEAD_COUNTER(read_hits, "request", "Reads that found all their bytes in the slice.");
    LOOKAHEAD_COUNTER(writes, "request", "Writes to a line.");
    LOOKAHEAD_COUNTER(write_hits, "request", "Writes that found the line in the slice.");
    LOOKAHEAD_COUNTER(atomics, "request", "Atomic requests.");
    LOOKAHEAD_COUNTER(atomic_hits, "request", "Atomic requests that found their bytes in the slice.");
    LOOKAHEAD_COUNTER(atomic_lanes, "operation", "Atomic operations, one per lane.");
    LOOKAHEAD_COUNTER(merges, "request", "Requests that joined others that waited for the same line.");
    LOOKAHEAD_COUNTER(fetches, "request", "Fetches of a line, or of sectors of one, from DRAM.");
    LOOKAHEAD_COUNTER(fetched_sectors, "sector", "Sectors of 32 bytes in the fetches.");
    LOOKAHEAD_COUNTER(partial_fetches, "request",
                      "Fetches of lines whose requested bytes were missing while the slice held written bytes.");
    LOOKAHEAD_COUNTER(evictions, "line", "Lines replaced.");
    LOOKAHEAD_COUNTER(write_backs, "request", "Evicted lines that were written to DRAM.");
    LOOKAHEAD_COUNTER(written_sectors, "sector", "Sectors of 32 bytes in the write-backs.");
    LOOKAHEAD_COUNTER(host_bytes, "byte", "Bytes that the host wrote, filled or read.");
    /// By L2Stall, without `none`.
    LOOKAHEAD_COUNTERS(
        stall_cycles, kL2StallCauses,
        {"stall_reply_port", "cycle", "Cycles in which the next request waited for room in the reply port."},
        {"stall_mshrs", "cycle", "Cycles in which the next request waited for a miss register."},
        {"stall_merges", "cycle",
         "Cycles in which the next request waited because too many already waited for its line."},
        {"stall_set", "cycle", "Cycles in which the next request waited because all lines of its set awaited fills."},
        {"stall_miss_queue", "cycle", "Cycles in which the next request waited for room in the queue to the DRAM."});
    LOOKAHEAD_ALL_DECLARED;
};

/// Measures since when the request at the head of the port waits, and why.
struct L2StallClock {
    L2Stall cause = L2Stall::none;
    Cycle since = 0;

    /// Records that the head of the port waits for `now_waits_for` in cycle `now`. If the cause has changed, counts the
    /// cycles of the previous one.
    void note(L2Stall now_waits_for, Cycle now, L2Counters& counters) {
        if (now_waits_for == cause) { return; }
        if (cause != L2Stall::none) {
            counters.stall_cycles[static_cast<std::size_t>(cause) - 1] += static_cast<std::uint64_t>(now - since);
        }
        cause = now_waits_for;
        since = now;
    }
    void fields(StateArchive& archive) { archive& cause& since; }
};

}  // namespace lookahead::gpu
