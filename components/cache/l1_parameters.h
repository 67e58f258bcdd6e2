#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/cache/set_index.h"
#include "core/param/parameters.h"

namespace lookahead::gpu {

/// The parameters `l1d.*`; the defaults are the GTX480's.
struct L1Parameters {
    static constexpr std::string_view kTable = "GPGPU-Sim's GTX480 configuration";

    LOOKAHEAD_PARAMETER(std::int64_t, sets, 32, {1, 1 << 16, "set"},
                        {.help = "Sets of L1D.",
                         .source = "GPGPU-Sim's GTX480 configuration: 16 KB. Mei and Chu, TPDS 2017, measure 32 sets "
                                   "of 4 lines of 128 bytes on Fermi"});
    LOOKAHEAD_PARAMETER(std::int64_t, ways, 4, {1, 64, "line"},
                        {.help = "Lines of 128 bytes in a set.",
                         .source = "GPGPU-Sim's GTX480 configuration; Mei and Chu, TPDS 2017"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, sector_bytes, 128, {32, 128, "byte"},
        {.help = "What a miss fetches: 128, the whole line; 32, only the sectors that it needs.",
         .source = "Wong et al., ISPASS 2010, find no sectors in the caches of that time; Jia et al., 2018, find 32 "
                   "bytes in Volta's L1"});
    LOOKAHEAD_PARAMETER(std::string, set_index, "fermi_hash", {"linear", "rotated", "fermi_hash"},
                        {.help = "How the set of an address is chosen. linear: the line number modulo the sets; "
                                 "rotated: the same, shifted by one set for each pass over all sets, so that lines one "
                                 "pass apart are in different sets; fermi_hash: Fermi's hash, for 32 or 64 sets.",
                         .source = "fermi_hash: Nugteren et al., HPCA 2014; rotated: spreads such distances as hashes "
                                   "do, for any number of sets"});
    LOOKAHEAD_PARAMETER(std::int64_t, mshrs, 64, {1, 4096, "entry"},
                        {.help = "Miss status holding registers: fills under way.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, merges, 8, {1, 64, "access"},
                        {.help = "Accesses that wait for one fill, the first included.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, miss_queue, 8, {1, 1024, "request"},
                        {.help = "Requests that can wait between L1D and the network.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, miss_latency, 0, {0, 1000, "cycle"},
                        {.help = "From the miss queue to the network, for misses, stores and atomics.",
                         .source = "no public figure. GPGPU-Sim's L1 looks its tags up at the end of its pipeline, so "
                                   "that misses take as long as hits there: 35"});
    LOOKAHEAD_PARAMETER(std::int64_t, hit_latency, 35, {1, 1000, "cycle"},
                        {.help = "From a load's last access to its completion.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, fill_latency, 2, {1, 1000, "cycle"},
                        {.help = "From a load's last fill to its completion.",
                         .source = "choice; there is no public figure"});
    LOOKAHEAD_PARAMETER(std::string, cached_loads, "all", {"all", "local"},
                        {.help = "Which demand loads allocate a line of L1D when they miss. local: only those of local "
                                 "memory; a load from global memory that misses goes to L2 by itself, joins no fill "
                                 "and installs no line, but can still hit a prefetched line.",
                         .source = "nvcc, -Xptxas -dlcm=ca or cg; L1 of compute capability 3.x serves local memory "
                                   "only (CUDA C Programming Guide 6.0, section G.4.2)"});
    LOOKAHEAD_PARAMETER(std::string, write_policy, "write_evict", {"write_evict", "write_through"},
                        {.help = "What a store to global memory does to the line's copy; it goes to L2 in either case.",
                         .source = kTable});
    LOOKAHEAD_PARAMETER(
        std::string, local_write_policy, "write_back",
        {"write_back", "write_back_fetch", "write_back_no_allocate", "write_through", "write_evict"},
        {.help = "What a store to local memory does. write_back: its bytes stay in L1 until their line is evicted; a "
                 "missing line is allocated but not fetched; write_back_fetch: the same, but a store to a part of a "
                 "missing line fetches the line; write_back_no_allocate: the bytes stay only if L1 already holds what "
                 "the store overwrites; the others as for global memory.",
         .source = "Micikevicius, \"Local Memory and Register Spilling\", NVIDIA 2011, of Fermi: a store writes a line "
                   "to L1, and the line is written to L2 when it is evicted. GPGPU-Sim's stock GTX 480 writes back "
                   "without allocation. write_back_fetch: \"conventional caches implement partial writes to a cache "
                   "block by ensuring the cache has ownership over the cache block considered and modifying the cached "
                   "copy\" (Collange and Kouyoumdjian, 2011, section 4.2)"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, merged_stores, 16, {0, 4096, "store"},
        {.help = "Stores that may be merged into fills under way (write_through, and stores to locked lines).",
         .source = "choice; Fermi's write_evict merges none"});
    LOOKAHEAD_PARAMETER(std::int64_t, speculative_mshrs, 64, {0, 4096, "entry"},
                        {.help = "MSHRs that accesses other than demand accesses may hold.",
                         .source = "choice: all of l1d.mshrs"});
    LOOKAHEAD_PARAMETER(std::int64_t, pinned_ways, 3, {0, 63, "line"},
                        {.help = "Lines of a set that may be pinned; one always stays unpinned.",
                         .source = "choice: as many as possible with four ways"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, prefetch_ways, 0, {0, 63, "line"},
        {.help = "Lines beside each set of L1D that only prefetches fill; a prefetched line stays there when it is "
                 "used. 0: prefetches go to L1D. 4 with 32 sets is a prefetch buffer of 16 KB.",
         .source = "Wang and Lin, ISCA 2017 (DAC), table of the configuration: a prefetch buffer of 16 KB per SM, for "
                   "many-thread-aware prefetching; building it from ways beside L1's is our choice"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, pending_ways, 0, {0, 63, "line"},
        {.help = "Tags beside each set's lines for fills under way: a line is evicted when the fill arrives, not when "
                 "it is requested. 0: a miss reserves one of its set's lines.",
         .source = "Khairy et al., ISCA 2020: Volta's L1 allocates a line when its fill arrives, so that its MSHRs and "
                   "not its sets bound the misses under way; earlier GPUs reserve lines"});
    LOOKAHEAD_PARAMETER(
        std::string, shared_sizes, {},
        {.help = "Where L1D and shared memory share one array, that of `ways`: the possible sizes of shared memory in "
                 "KB, ascending, as in \"0 8 16 32\". While a kernel runs, shared memory has the smallest size that "
                 "holds the kernel's resident CTAs, and L1D has the remaining ways. Empty: L1D has all of its ways.",
         .source = "CUDA C++ Programming Guide, compute capability 7.x and later: the driver chooses the split for "
                   "each kernel. Taking the smallest size is a choice; Nsight Compute shows more for small needs "
                   "(tests/validation/REAL_GPU.md)"});
    LOOKAHEAD_ALL_DECLARED;

    /// The number of tags of a set: for its lines, for prefetches, and for fills under way.
    std::int64_t tags_per_set() const { return ways + prefetch_ways + pending_ways; }
    SetIndexing indexing() const {
        return set_index == "linear"    ? SetIndexing::linear
               : set_index == "rotated" ? SetIndexing::rotated
                                        : SetIndexing::fermi_hash;
    }
    /// `shared_sizes` in bytes; empty: shared memory has no part of L1D's ways.
    std::vector<std::uint32_t> sizes_of_shared_memory() const;
    /// Throws ConfigurationError if the values do not fit each other.
    void check() const;
};

}  // namespace lookahead::gpu
