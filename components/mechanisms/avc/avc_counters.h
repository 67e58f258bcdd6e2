#pragma once

#include <cstdint>

#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Counts of one SM's affine vector cache.
struct AvcCounters {
    std::uint64_t accesses = 0;
    std::uint64_t load_hits = 0;
    std::uint64_t partial_hits = 0;
    std::uint64_t load_misses = 0;
    std::uint64_t affine_stores = 0;
    std::uint64_t generic_stores = 0;
    std::uint64_t added_words = 0;
    std::uint64_t store_conflicts = 0;
    std::uint64_t fill_conflicts = 0;
    std::uint64_t affine_fills = 0;
    std::uint64_t generic_fills = 0;
    std::uint64_t refused_fills = 0;
    std::uint64_t evictions = 0;
    std::uint64_t evicted_vectors = 0;
    std::uint64_t write_backs = 0;
    std::uint64_t merged_evictions = 0;
    std::uint64_t dirtied_words = 0;
    std::uint64_t written_back_words = 0;
    std::uint64_t superseded_words = 0;
    std::uint64_t discarded_words = 0;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::StatisticsOf<lookahead::gpu::AvcCounters> {
    using C = lookahead::gpu::AvcCounters;
    static constexpr std::tuple list{
        Counter<C>{"accesses", "access", "Loads and stores of private memory, each time that they were performed.",
                   &C::accesses},
        Counter<C>{"load_hits", "access", "Loads of which it had all words.", &C::load_hits},
        Counter<C>{"partial_hits", "access", "Loads of which it had some; the other lanes came again.",
                   &C::partial_hits},
        Counter<C>{"load_misses", "access", "Loads that it left to L1D.", &C::load_misses},
        Counter<C>{"affine_stores", "access", "Stores that it took whole.", &C::affine_stores},
        Counter<C>{"generic_stores", "access", "Stores that went to L1D.", &C::generic_stores},
        Counter<C>{"added_words", "access", "Stores, vector by vector, that only added words to an equal vector.",
                   &C::added_words},
        Counter<C>{"store_conflicts", "vector", "Vectors that made room for a store of other words to them.",
                   &C::store_conflicts},
        Counter<C>{"fill_conflicts", "vector", "Vectors that made room for a fill of other words of them.",
                   &C::fill_conflicts},
        Counter<C>{"affine_fills", "line", "Fills that it took.", &C::affine_fills},
        Counter<C>{"generic_fills", "line", "Fills that L1D installed: their words were not affine.",
                   &C::generic_fills},
        Counter<C>{"refused_fills", "line", "Affine fills that L1D installed: what was to make room could not leave.",
                   &C::refused_fills},
        Counter<C>{"evictions", "line", "Lines, of sixteen vectors, that made room for others.", &C::evictions},
        Counter<C>{"evicted_vectors", "vector", "Vectors with valid words in them.", &C::evicted_vectors},
        Counter<C>{"write_backs", "line",
                   "Lines of 128 bytes of which L2 got words from it, L1D's dirty ones beside "
                   "them.",
                   &C::write_backs},
        Counter<C>{"merged_evictions", "line", "Lines that L1D evicted and that took its words along.",
                   &C::merged_evictions},
        Counter<C>{"dirtied_words", "word", "Words that came to be newer in it than in L1D and L2.", &C::dirtied_words},
        Counter<C>{"written_back_words", "word", "Of them, those that went to L2.", &C::written_back_words},
        Counter<C>{"superseded_words", "word", "Of them, those that L1D got a newer value of, or took over.",
                   &C::superseded_words},
        Counter<C>{"discarded_words", "word", "Of them, those of threads that had ended.", &C::discarded_words}};
};
