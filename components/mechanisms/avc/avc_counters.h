#pragma once

#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Counts of one SM's affine vector cache.
struct AvcCounters {
    LOOKAHEAD_COUNTER(accesses, "access", "Loads and stores of private memory, each time that they were performed.");
    LOOKAHEAD_COUNTER(load_hits, "access", "Loads that found all their words in it.");
    LOOKAHEAD_COUNTER(partial_hits, "access",
                      "Loads that found some of their words in it; the other lanes came again.");
    LOOKAHEAD_COUNTER(load_misses, "access", "Loads that it left to L1D.");
    LOOKAHEAD_COUNTER(affine_stores, "access", "Stores that it took whole.");
    LOOKAHEAD_COUNTER(generic_stores, "access", "Stores that went to L1D.");
    LOOKAHEAD_COUNTER(added_words, "access", "Stores, vector by vector, that only added words to an equal vector.");
    LOOKAHEAD_COUNTER(store_conflicts, "vector", "Vectors that made room for a store of other words to them.");
    LOOKAHEAD_COUNTER(fill_conflicts, "vector", "Vectors that were evicted by a fill of their other words.");
    LOOKAHEAD_COUNTER(affine_fills, "line", "Fills that it took.");
    LOOKAHEAD_COUNTER(generic_fills, "line", "Fills that L1D installed: their words were not affine.");
    LOOKAHEAD_COUNTER(refused_fills, "line",
                      "Affine fills that L1D installed because the line to evict could not leave.");
    LOOKAHEAD_COUNTER(evictions, "line", "Lines, of sixteen vectors, that made room for others.");
    LOOKAHEAD_COUNTER(evicted_vectors, "vector", "Vectors with valid words in them.");
    LOOKAHEAD_COUNTER(write_backs, "line",
                      "Lines of 128 bytes whose words went to L2, in addition to the dirty lines of L1D.");
    LOOKAHEAD_COUNTER(merged_evictions, "line", "Lines that L1D evicted and that took its words along.");
    LOOKAHEAD_COUNTER(dirtied_words, "word", "Words that came to be newer in it than in L1D and L2.");
    LOOKAHEAD_COUNTER(written_back_words, "word", "Part of dirtied_words: words that went to L2.");
    LOOKAHEAD_COUNTER(superseded_words, "word",
                      "Part of dirtied_words: words that L1D took over, or got newer values of.");
    LOOKAHEAD_COUNTER(discarded_words, "word", "Part of dirtied_words: words of threads that had ended.");
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
