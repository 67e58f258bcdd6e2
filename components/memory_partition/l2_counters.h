#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// The reason why the request at the head of a slice's port waits.
enum class L2Stall : std::uint8_t { none, reply_port, mshrs, merges, set, miss_queue };
inline constexpr std::size_t kL2StallCauses = 5;

struct L2Counters {
    std::uint64_t reads = 0;
    std::uint64_t read_hits = 0;
    std::uint64_t writes = 0;
    std::uint64_t write_hits = 0;
    std::uint64_t atomics = 0;
    std::uint64_t atomic_hits = 0;
    std::uint64_t atomic_lanes = 0;
    std::uint64_t merges = 0;
    std::uint64_t fetches = 0;
    std::uint64_t fetched_sectors = 0;
    std::uint64_t partial_fetches = 0;
    std::uint64_t evictions = 0;
    std::uint64_t write_backs = 0;
    std::uint64_t written_sectors = 0;
    std::uint64_t host_bytes = 0;
    std::array<std::uint64_t, kL2StallCauses> stall_cycles{};  ///< by L2Stall, without none
};

}  // namespace lookahead::gpu

template <>
struct lookahead::StatisticsOf<lookahead::gpu::L2Counters> {
    using C = lookahead::gpu::L2Counters;
    static constexpr auto list = std::tuple{
        Counter<C>{"reads", "request", "Reads of a line or of sectors of one.", &C::reads},
        Counter<C>{"read_hits", "request", "Reads that found all their bytes in the slice.", &C::read_hits},
        Counter<C>{"writes", "request", "Writes to a line.", &C::writes},
        Counter<C>{"write_hits", "request", "Writes that found the line in the slice.", &C::write_hits},
        Counter<C>{"atomics", "request", "Atomic requests.", &C::atomics},
        Counter<C>{"atomic_hits", "request", "Atomic requests that found their bytes in the slice.", &C::atomic_hits},
        Counter<C>{"atomic_lanes", "operation", "Atomic operations, one a lane.", &C::atomic_lanes},
        Counter<C>{"merges", "request", "Requests that joined others in waiting for a line.", &C::merges},
        Counter<C>{"fetches", "request", "Fetches of a line, or of sectors of one, from DRAM.", &C::fetches},
        Counter<C>{"fetched_sectors", "sector", "Sectors of 32 bytes in the fetches.", &C::fetched_sectors},
        Counter<C>{"partial_fetches", "request",
                   "Fetches of lines whose requested bytes were missing while the slice held written bytes.",
                   &C::partial_fetches},
        Counter<C>{"evictions", "line", "Lines replaced.", &C::evictions},
        Counter<C>{"write_backs", "request", "Replaced lines that were written to DRAM.", &C::write_backs},
        Counter<C>{"written_sectors", "sector", "Sectors of 32 bytes in the write-backs.", &C::written_sectors},
        Counter<C>{"host_bytes", "byte", "Bytes that the host wrote, filled or read.", &C::host_bytes},
        CounterArray<C, lookahead::gpu::kL2StallCauses>{
            &C::stall_cycles,
            {{{"stall_reply_port", "cycle", "Cycles in which the next request waited for room in the reply port."},
              {"stall_mshrs", "cycle", "Cycles in which the next request waited for a miss register."},
              {"stall_merges", "cycle",
               "Cycles in which the next request waited because too many already waited for its line."},
              {"stall_set", "cycle", "Cycles in which the next request waited since its set awaited only fills."},
              {"stall_miss_queue", "cycle",
               "Cycles in which the next request waited for room in the queue to the DRAM."}}}}};
};
