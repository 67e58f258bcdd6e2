#pragma once

#include <cstdint>

#include "core/param/parameters.h"

namespace lookahead::gpu {

/// `coalescing.*`: parameters of the variant "coalescing".
struct CoalescingParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, queue, 8, {1, 256, "instruction"},
                        {.help = "Memory instructions between their issue and their last access, on their way through "
                                 "operand collection too (a latch, two collectors, a latch).",
                         .source = "choice: twice the four that operand collection holds; there is no public figure"});
    LOOKAHEAD_PARAMETER(std::int64_t, pending_loads, 256, {2, 65536, "instruction"},
                        {.help = "Loads and atomics between their first access and their completion. A vector load has "
                                 "an entry for itself and one for each element under way.",
                         .source = "choice; there is no public figure"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, overlap, 5, {0, 16, "element"},
        {.help = "Elements of a vector memory instruction that may be left when the next memory instruction issues. "
                 "16: all, so that each place of the queue has latches for the operands of a vector.",
         .source = "Crago et al., TACO 2018, section 8.8: the unit has latches for one instruction's operands, 138 "
                   "bytes a lane. 5: a choice; operands take five cycles from the issue to the unit "
                   "(sm.operand_collectors), so that elements in a cycle each follow without a gap"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, atomic_bytes, 128, {32, 128, "byte"},
        {.help = "Lanes of an atomic that go to memory together: 128, all that meet in a line; 32, those in one "
                 "sector, of which each takes a word of its own: further lanes of a word follow by themselves.",
         .source = "128: a slice performs the lanes of a request one after the other (l2.atomic_cycles). GPGPU-Sim "
                   "splits atomics so for compute capability 2.x"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, lines_per_cycle, 1, {1, 32, "line"},
        {.help = "Lines of a load that L1D looks up in a cycle. Above 1 a load holds L1D for as many cycles as the "
                 "most distinct words that it has in one of shared_memory.banks, if that is longer.",
         .source = "1: Fermi's load/store unit makes one access to L1 a cycle. tests/validation/REAL_GPU.md counts "
                   "lines and conflicts of an H200"});
    LOOKAHEAD_PARAMETER(bool, ctas_wait_for_stores, false,
                        {.help = "A CTA keeps its place until its stores have been acknowledged.",
                         .source = "a choice: what a store needs of the SM when its warp has ended is not public. "
                                   "GPGPU-Sim's warps end when their stores are acknowledged"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
