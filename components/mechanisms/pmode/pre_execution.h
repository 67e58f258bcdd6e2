#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "components/isa/simt_state.h"
#include "components/mechanisms/pmode/p_queue.h"
#include "components/sm/pipeline/decoded_kernel.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The state of a warp's pre-execution, for its two streams.
struct PreExecution {
    static constexpr unsigned kTracked = 256;  ///< instructions of a switch whose fate is counted

    bool scratchpad_stale = false;  ///< a skipped instruction may have written data that scratchpad loads read
    std::uint32_t blocked_pc = 0;   ///< the instruction at which the warp is, or was, blocked
    std::uint32_t epoch = 0;        ///< control transfers since the blocked instruction
    std::uint32_t episode = 0;      ///< number of the switch; changes with each switch, and when the warp ends
    Cycle entered = 0;
    std::vector<std::uint64_t> redefined;  ///< scoreboard bits that the stream has written, by executing or skipping
    // For the warp's own stream:
    PQueue queue;
    std::uint32_t own_epoch = 0;                ///< like `epoch`, counting the instructions issued since the return
    std::uint16_t renamed = 0;                  ///< registers of the warp that are in the pool
    bool exited = false;                        ///< all lanes have exited, but the registers are not released yet
    std::uint32_t processed = 0;                ///< instructions that the switch executed or skipped
    std::uint32_t own_processed = 0;            ///< how many of these the warp itself has passed since
    std::uint64_t skipped[kTracked / 64] = {};  ///< the skipped ones among them

    /// Whether the instruction at `pc` is more than `reach` bytes from the blocked one.
    bool is_far(std::uint32_t pc, std::int64_t reach) const {
        return std::abs(std::int64_t{pc} - std::int64_t{blocked_pc}) * isa::kInstructionBytes > reach;
    }
    /// The switch has executed or skipped an instruction.
    void note_processed(bool is_skipped) {
        if (is_skipped && processed < kTracked) { skipped[processed / 64] |= std::uint64_t{1} << processed % 64; }
        ++processed;
    }

    void fields(StateArchive& archive) {
        archive& scratchpad_stale& blocked_pc& epoch& episode& entered& redefined& queue& own_epoch& renamed& exited&
            processed& own_processed& skipped;
    }
};

/// Whether the instruction writes only some live lanes: it has a guard, or fewer lanes run than live.
bool is_partial(const isa::SimtState& stack, const DecodedInstruction& decoded);

}  // namespace lookahead::gpu
