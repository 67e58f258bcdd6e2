#pragma once

#include <cstdint>
#include <string>

#include "core/param/parameters.h"

namespace lookahead::gpu {

struct AvcParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, sets, 64, {1, 4096, "set"},
                        {.help = "Sets of the affine vector cache.",
                         .source = "Collange and Kouyoumdjian, 2011, table 3: 64 in all three sizes"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, ways, 2, {1, 6, "line"},
        {.help = "Lines in a set; each takes the room of 128 bytes: sixteen vectors with their valid bits. With 64 "
                 "sets 1, 2 and 3 are 8, 16 and 24 KB, beside l1d.ways of 5, 4 and 3.",
         .source = "Collange and Kouyoumdjian, 2011, table 3: 16 KB of two ways is the operating point"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, granularity, 32, {16, 32, "lane"},
        {.help = "Lanes of a vector: 32, a warp, or 16, half of one. A line holds sixteen vectors in either case.",
         .source =
             "Collange and Kouyoumdjian, 2011, section 3.2: 32; 16 is what it proposes for blocks of 16 x 16 threads"});
    LOOKAHEAD_PARAMETER(std::int64_t, latency, 1, {0, 64, "cycle"},
                        {.help = "That every load from private memory takes longer, affine or not.",
                         .source = "Collange and Kouyoumdjian, 2011, section 5.3: 1"});
    LOOKAHEAD_PARAMETER(bool, encoder, true,
                        {.help = "False: nothing is encoded, so that all is left to L1D, and the latency stays.",
                         .source = "no property of the paper's machine: a baseline"});
    LOOKAHEAD_PARAMETER(std::string, layout, "warp_major", {"warp_major", "word_major"},
                        {.help = "What shares a line: neighbouring words of a warp, or one word of neighbouring warps.",
                         .source = "estimate: the paper's lines have 16 vectors and it does not say of what; tags are "
                                   "made from addresses, and in these a warp's words are neighbours"});
    LOOKAHEAD_PARAMETER(
        std::string, partial_writes, "word_masks", {"word_masks", "read_modify_write"},
        {.help = "What a store of some lanes does: it leaves a vector with some words valid, or it must make an affine "
                 "vector together with the words that it leaves.",
         .source = "Collange and Kouyoumdjian, 2011, section 4.2: word masks; the other is what it tried first"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
