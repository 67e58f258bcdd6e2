#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/isa/simt_state.h"
#include "components/mechanisms/pmode/p_queue.h"
#include "components/sm/pipeline/decoded_kernel.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// What a warp's pre-execution has done beyond its stream, and has left for the warp's own.
struct PreExecution {
    static constexpr unsigned kTracked = 256;  ///< instructions of a switch whose fate is remembered, for statistics

    bool scratchpad_stale = false;  ///< a skipped instruction may have written what scratchpad loads read
    std::uint32_t blocked_pc = 0;   ///< of the instruction at which the warp is, or was, blocked
    std::uint32_t epoch = 0;        ///< control transfers since the blocked instruction
    std::uint32_t episode = 0;      ///< number of the switch; changes with each, and when the warp ends
    Cycle entered = 0;
    std::vector<std::uint64_t> redefined;  ///< scoreboard bits of what the stream has written, executed or skipped
    // The warp's own stream's:
    PQueue queue;
    std::uint32_t own_epoch = 0;                ///< as `epoch`, of the instructions that have issued since the return
    std::uint16_t renamed = 0;                  ///< registers that are in the pool
    bool exited = false;                        ///< its lanes have exited, its registers are not given back yet
    std::uint32_t processed = 0;                ///< instructions that the switch executed or skipped
    std::uint32_t own_processed = 0;            ///< of these, how many the warp has come past since
    std::uint64_t skipped[kTracked / 64] = {};  ///< which of them were skipped

    void fields(StateArchive& archive) {
        archive& scratchpad_stale& blocked_pc& epoch& episode& entered& redefined& queue& own_epoch& renamed& exited&
            processed& own_processed& skipped;
    }
};

/// The instruction leaves some lanes of what it writes as they were: by a guard, or since fewer lanes run than live.
bool is_partial(const isa::SimtState& stack, const DecodedInstruction& decoded);

}  // namespace lookahead::gpu
