#pragma once

#include <cstdint>

#include "components/cache/read_only_cache.h"
#include "core/param/parameters.h"

namespace lookahead::gpu {

/// `l1i.*`: an SM's cache of instructions, in lines of kLineBytes. Defaults: GTX480.
struct InstructionCacheParameters : ReadOnlyCacheParameters {
    static constexpr std::string_view kTable = "GPGPU-Sim's GTX480 configuration";

    LOOKAHEAD_INHERITED_PARAMETER(enabled, {.help = "false: every access hits.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(sets, {1, 4096, "set"}, {.help = "Sets.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(ways, {1, 64, "line"}, {.help = "Lines of 128 bytes in a set.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(mshrs, {1, 64, "line"}, {.help = "Lines that it can await.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(merges, {1, 128, "warp"},
                                  {.help = "Warps that can wait for the same line.", .source = kTable});
    LOOKAHEAD_PARAMETER(
        std::int64_t, prefetch_lines, 0, {0, 64, "line"},
        {.help = "A stream buffer's: lines behind a fetch's that are asked for when they are not there, one a cycle, "
                 "as far as miss registers go. 0: none.",
         .source = "Huerta et al., MICRO 2025, find stream buffers in front of recent GPUs' instruction caches"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
