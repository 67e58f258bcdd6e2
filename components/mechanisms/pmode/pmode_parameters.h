#pragma once

#include <cstdint>

#include "core/param/parameters.h"

namespace lookahead::gpu {

struct PmodeParameters {
    static constexpr std::string_view kPaper = "Kim et al., HPCA 2016";

    LOOKAHEAD_PARAMETER(std::int64_t, pqueue_entries, 8, {0, 64, "instruction"},
                        {.help = "Pre-executed instructions of a warp whose results are kept for reuse; 0: none is "
                                 "reused, pre-execution only brings lines into L1.",
                         .source = "Kim et al., HPCA 2016, section 5.1: 8 entries"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, registers, 128, {0, 1024, "warp register"},
        {.help =
             "The last warp registers of the file; those that the kernel does not occupy hold pre-executed results.",
         .source = "Kim et al., HPCA 2016, section 5: the last 128 of 1024"});
    LOOKAHEAD_PARAMETER(std::int64_t, rename_entries, 63, {1, 255, "register"},
                        {.help = "Registers of a thread, from 0 on, that can be renamed.",
                         .source = "Kim et al., HPCA 2016, section 5.1: 63 entries"});
    LOOKAHEAD_PARAMETER(std::int64_t, reach, 512, {8, 1 << 20, "byte"},
                        {.help = "Instructions farther than this from the blocked one are not pre-executed.",
                         .source = "Kim et al., HPCA 2016, section 5.1: 512 bytes, an offset of 10 bits"});
    LOOKAHEAD_PARAMETER(std::int64_t, simt_entries, 8, {1, 64, "entry"},
                        {.help = "Entries of the SIMT stack's copy; a warp that diverges further stops pre-executing.",
                         .source = "Kim et al., HPCA 2016, section 5: 8 entries"});
    LOOKAHEAD_PARAMETER(std::int64_t, switch_cycles, 1, {0, 64, "cycle"},
                        {.help = "From the stall that begins pre-execution to the first cycle in which it goes on.",
                         .source = "estimate: scoreboard and SIMT stack are copied in one cycle, as one register is "
                                   "written; the paper charges a latency and does not give it"});
    LOOKAHEAD_PARAMETER(bool, one_buffer, true,
                        {.help = "Both streams of a warp share its instruction buffer, so that the blocked instruction "
                                 "is fetched again at the return; false: pre-execution has a buffer of its own.",
                         .source = "Kim et al., HPCA 2016, sections 1, 4 and 5.1: N-mode restarts fetching at the "
                                   "blocked instruction; section 5.2 releases it for execution instead"});
    LOOKAHEAD_PARAMETER(bool, pre_loads, true,
                        {.help = "Loads of global and local memory bring their lines into L1; false: they are skipped, "
                                 "and all that pre-execution gives is reuse. To tell the two apart.",
                         .source = "Kim et al., HPCA 2016, section 5.1: they do"});
    LOOKAHEAD_PARAMETER(bool, check, false,
                        {.help = "Checks the invariants of the renaming registers in every cycle, and each reused "
                                 "value by executing its instruction again. For tests: slow.",
                         .source = "no property of a machine"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
