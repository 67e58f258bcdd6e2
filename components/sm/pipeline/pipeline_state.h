#pragma once

#include <cstdint>
#include <vector>

#include "components/isa/warp_exchange.h"
#include "components/sm/constant/constant_cache.h"
#include "components/sm/context_states.h"
#include "components/sm/counters.h"
#include "components/sm/parameters.h"
#include "components/sm/pipeline/decoded_kernel.h"
#include "components/sm/pipeline/issue_extension.h"
#include "components/sm/pipeline/launch_state.h"
#include "components/sm/pipeline/register_map.h"
#include "components/sm/pipeline/scoreboard.h"
#include "components/sm/pipeline/stream_context.h"
#include "components/sm/register_file.h"
#include "components/sm/timing_wheel.h"

namespace lookahead::gpu {

/// Something that a stage hands on through the timing wheel, packed into 64 bits.
struct PipelineEvent {
    enum class Kind : std::uint8_t { write_back, fetched, branch_resolved, barrier_released, extension };

    Kind kind;
    std::uint16_t index;   ///< context
    std::uint32_t detail;  ///< pc for write_back; instructions for fetched; a reduction's result for barrier_released

    std::uint64_t packed() const {
        return static_cast<std::uint64_t>(kind) | std::uint64_t{index} << 8 | std::uint64_t{detail} << 32;
    }
    static PipelineEvent unpacked(std::uint64_t word) {
        return {static_cast<Kind>(word & 0xff), static_cast<std::uint16_t>(word >> 8),
                static_cast<std::uint32_t>(word >> 32)};
    }
};

/// The latches between an SM's stages. The stages hold references to it and own what only they need.
struct PipelineState {
    PipelineState(const SmParameters& sm, const TimingParameters& timing, isa::SimtModel simt_model,
                  const ConstantCacheParameters& constant_cache);

    /// Finds out again what the context's next instruction waits for. Called whenever that may have changed and the
    /// context is neither at a barrier, a fence or a branch, nor exited or vacant.
    void classify(unsigned context) {
        if (attended.has(context) && extension->classify(context)) [[unlikely]] {
            return;
        }
        const StreamContext& stream = contexts[context];
        if (stream.buffered == 0) {
            states.set(context, ContextState::fetching);
            return;
        }
        const std::uint32_t pc = stream.stack.pc();
        const std::uint64_t* needs = kernel->needs(pc);
        if (!scoreboard.blocks(context, needs)) {
            if (!constants.hold((*kernel)[pc].constant_lines)) [[unlikely]] {
                constants.want((*kernel)[pc].constant_lines, context);
                states.set(context, ContextState::blocked_by_memory);
                return;
            }
            const auto unit = static_cast<std::uint8_t>((*kernel)[pc].unit);
            const auto first = static_cast<std::uint8_t>(ContextState::ready_sp);
            states.set(context, static_cast<ContextState>(first + unit));
        } else if (scoreboard.blocks_for_memory(context, needs)) {
            states.set(context, ContextState::blocked_by_memory);
        } else {
            states.set(context, ContextState::blocked_by_pipeline);
        }
    }

    /// Drops what the context has fetched.
    void flush(unsigned context) {
        if (contexts[context].buffered > 0) {
            contexts[context].buffered = 0;
            ++counters.flushes;
        }
    }

    const SmParameters parameters;
    const TimingParameters timing;
    const isa::SimtModel simt;
    const std::uint32_t spin_limit;  ///< of a warp, see ExecuteStage::watch_spinning
    std::vector<StreamContext> contexts;
    std::vector<isa::WarpExchange> exchanges;  ///< by context; none with simt = stack
    ContextStates states;
    Scoreboard scoreboard;
    RegisterMap map;
    RegisterFile registers;
    TimingWheel wheel;
    ConstantCache constants;
    LaunchState launch;
    const DecodedKernel* kernel = nullptr;    ///< of the launch; null between kernels
    const isa::ModuleImage* image = nullptr;  ///< of the run: texts of failed assertions
    SmCounters counters;
    IssueExtension* extension = nullptr;  ///< null with sm.issue_extension = none
    ContextMask attended = 0;             ///< contexts of which the extension wants to hear
    Cycle now = 0;                        ///< the cycle that is being stepped
};

}  // namespace lookahead::gpu
