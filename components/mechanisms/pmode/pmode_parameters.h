#pragma once

#include <cstdint>

#include "core/param/parameters.h"

namespace lookahead::gpu {

struct PmodeParameters {
    std::int64_t pqueue_entries = 8;
    std::int64_t registers = 128;
    std::int64_t rename_entries = 63;
    std::int64_t reach = 512;
    std::int64_t simt_entries = 8;
    std::int64_t switch_cycles = 1;
    bool one_buffer = true;
    bool pre_loads = true;
    bool check = false;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::ParametersOf<lookahead::gpu::PmodeParameters> {
    using P = lookahead::gpu::PmodeParameters;
    static constexpr std::string_view kPaper = "Kim et al., HPCA 2016";
    inline static const auto list = parameter_list<P>(
        integer("pqueue_entries", &P::pqueue_entries, {0, 64, "instruction"},
                {.help = "Pre-executed instructions of a warp whose results are kept for reuse; 0: none is reused, "
                         "pre-execution only brings lines into L1.",
                 .source = "Kim et al., HPCA 2016, section 5.1: 8 entries"}),
        integer("registers", &P::registers, {0, 1024, "warp register"},
                {.help = "The last warp registers of the file, of which those that the kernel does not occupy take "
                         "pre-executed results.",
                 .source = "Kim et al., HPCA 2016, section 5: the last 128 of 1024"}),
        integer("rename_entries", &P::rename_entries, {1, 255, "register"},
                {.help = "Registers of a thread, from 0 on, that can be renamed.",
                 .source = "Kim et al., HPCA 2016, section 5.1: 63 entries"}),
        integer("reach", &P::reach, {8, 1 << 20, "byte"},
                {.help = "Instructions farther than this from the blocked one are not pre-executed.",
                 .source = "Kim et al., HPCA 2016, section 5.1: 512 bytes, an offset of 10 bits"}),
        integer("simt_entries", &P::simt_entries, {1, 64, "entry"},
                {.help = "Entries of the SIMT stack's copy; a warp that diverges further stops pre-executing.",
                 .source = "Kim et al., HPCA 2016, section 5: 8 entries"}),
        integer("switch_cycles", &P::switch_cycles, {0, 64, "cycle"},
                {.help = "From the stall that begins pre-execution to the first cycle in which it goes on.",
                 .source = "estimate: scoreboard and SIMT stack are copied in one cycle, as one register is written; "
                           "the paper charges a latency and does not give it"}),
        boolean("one_buffer", &P::one_buffer,
                {.help = "Both streams of a warp share its instruction buffer, so that the blocked instruction is "
                         "fetched again at the return; false: pre-execution has a buffer of its own.",
                 .source = "Kim et al., HPCA 2016, sections 1, 4 and 5.1: N-mode restarts fetching at the blocked "
                           "instruction; section 5.2 releases it for execution instead"}),
        boolean("pre_loads", &P::pre_loads,
                {.help = "Loads of global and local memory bring their lines into L1; false: they are skipped, and all "
                         "that pre-execution gives is reuse. To tell the two apart.",
                 .source = "Kim et al., HPCA 2016, section 5.1: they do"}),
        boolean("check", &P::check,
                {.help = "Checks the invariants of the renaming registers in every cycle, and each reused value by "
                         "executing its instruction again. For tests: slow.",
                 .source = "no property of a machine"}));
};
