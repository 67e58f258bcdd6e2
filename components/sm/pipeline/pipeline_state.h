#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/isa/launch.h"
#include "components/isa/warp_exchange.h"
#include "components/protocols/launch.h"
#include "components/sm/constant/constant_cache.h"
#include "components/sm/context_states.h"
#include "components/sm/counters.h"
#include "components/sm/instruction_counters.h"
#include "components/sm/occupancy.h"
#include "components/sm/parameters.h"
#include "components/sm/pipeline/decoded_kernel.h"
#include "components/sm/pipeline/dependence_counters.h"
#include "components/sm/pipeline/issue_extension.h"
#include "components/sm/pipeline/recorded_warps.h"
#include "components/sm/pipeline/stream_set.h"
#include "components/sm/register_file.h"
#include "components/sm/timing_wheel.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// A wait of more cycles than this counts as one for a long-latency operation (Kim et al., HPCA 2016, section 3:
/// "greater than 100 cycles").
inline constexpr std::uint64_t kLongWaitCycles = 100;

/// How long warps wait for memory, and how many of a scheduler's `memory_wait` cycles lie in a long wait of one of its
/// warps. A wait lasts from entering to leaving blocked_by_memory; its length is in cycles of launches, each of which a
/// scheduler charges to one cause.
///
/// A cycle within several long waits counts once. Counting only when a long wait ends is exact: it counts from the
/// begin of the oldest wait that is long by then, without cycles counted before. A wait that is not long yet began
/// within the cycles of the one that ends.
class MemoryWaits {
  public:
    MemoryWaits(unsigned contexts, unsigned schedulers, SmCounters& counters);

    /// The context waits for memory, from now on or already before.
    void begin(unsigned context) {
        Wait& wait = waits_[context];
        if (wait.begin == kNone) { wait = {counters_.cycles, memory_wait_cycles(scheduler_of_[context])}; }
    }
    void end(unsigned context) {
        ++counters_.memory_waits;
        if (is_long(waits_[context])) {
            ++counters_.long_waits;
            count(context);
        }
        waits_[context].begin = kNone;
    }
    bool waits(unsigned context) const { return waits_[context].begin != kNone; }
    unsigned under_way() const;

    /// Sets the counters to which the schedulers charge cycles; they must outlive this object.
    void observe(const std::vector<SchedulerCounters>& schedulers) { schedulers_ = &schedulers; }

    void fields(StateArchive& archive);

  private:
    static constexpr std::uint64_t kNone = UINT64_MAX;

    struct Wait {
        std::uint64_t begin = kNone;  ///< in cycles of launches
        std::uint64_t charged = 0;    ///< the scheduler's memory_wait cycles at that time
    };

    bool is_long(const Wait& wait) const { return counters_.cycles - wait.begin > kLongWaitCycles; }
    void count(unsigned context);
    std::uint64_t memory_wait_cycles(unsigned scheduler) const {
        return (*schedulers_)[scheduler][SchedulerCycle::memory_wait];
    }

    SmCounters& counters_;
    std::vector<Wait> waits_;                 ///< by context
    std::vector<std::uint8_t> scheduler_of_;  ///< by context
    std::vector<std::uint64_t> counted_;      ///< by scheduler: memory_wait cycles below this are decided
    const std::vector<SchedulerCounters>* schedulers_ = nullptr;
};

struct LaunchState {
    bool active = false;  ///< from KernelBegin until SmDrained is sent
    bool ending = false;  ///< KernelEnd has come
    LaunchFields fields{};
    std::vector<std::byte> parameters;
    std::uint64_t first_warp_instruction = 0;  ///< the SM's counts when the launch began
    std::uint64_t first_thread_instruction = 0;
    // Derived from the above:
    Occupancy occupancy;
    std::uint64_t code = 0;  ///< address of the kernel's first instruction
    std::vector<isa::Row> constants;
};

class ExtensionStreams;

/// An event that a stage sends through the timing wheel, packed into 64 bits.
struct PipelineEvent {
    enum class Kind : std::uint8_t {
        write_back,
        operands_read,  ///< `detail`: the read barrier
        stall_ended,
        fetched,
        branch_resolved,
        barrier_released,
        extension,
        stream_fetched,  ///< this and the next: of ExtensionStreams
        stream_resumed,
    };

    Kind kind;
    std::uint16_t index;     ///< context or stream
    std::uint32_t detail;    ///< pc for write_back; instructions for fetched; a reduction's result for barrier_released
    std::uint8_t owner = 0;  ///< number of the extension, or of the set of streams

    std::uint64_t packed() const {
        return static_cast<std::uint64_t>(kind) | std::uint64_t{index} << 8 | std::uint64_t{owner} << 24 |
               std::uint64_t{detail} << 32;
    }
    static PipelineEvent unpacked(std::uint64_t word) {
        return {static_cast<Kind>(word & 0xff), static_cast<std::uint16_t>(word >> 8),
                static_cast<std::uint32_t>(word >> 32), static_cast<std::uint8_t>(word >> 24)};
    }
};

/// The latches between an SM's stages, which hold references to them; state that only one stage uses is in that stage.
struct PipelineState {
    PipelineState(const SmParameters& sm, const TimingParameters& timing, isa::SimtModel simt_model,
                  const ConstantCacheParameters& constant_cache);

    /// Determines again what the context's next instruction waits for. Call it whenever that may have changed and the
    /// context is neither at a barrier, fence or branch, nor exited or vacant.
    [[gnu::hot]] void classify(unsigned context) {
        if (attended.has(context) && extensions->classify(context)) [[unlikely]] {
            if (warps.states.of(context) == ContextState::blocked_by_memory) { memory_waits.begin(context); }
            return;
        }
        const Stream& stream = warps.streams[context];
        const std::uint32_t pc = stream.stack.pc();
        ContextState state = ContextState::fetching;
        if (stream.buffered != 0) {
            const bool stalls = kernel->by_control_words() && dependences.issue_from(context) > now;
            state = stalls ? ContextState::stalled : waits_for(warps, context, pc, kernel->needs(pc));
        }
        pause(context, state);
        profile.reach(context, pc);
        if (state == ContextState::blocked_by_memory) { memory_waits.begin(context); }
    }

    /// A warp issues the instruction at `pc` for these lanes.
    void count_issue(std::uint32_t pc, isa::LaneMask active) {
        const auto lanes = static_cast<unsigned>(std::popcount(active));
        ++counters.warp_instructions;
        ++counters.by_class[static_cast<unsigned>((*kernel)[pc].instruction_class)];
        counters.thread_instructions += lanes;
        profile.issued(pc, lanes);
    }

    /// The context's warp is in this state from now on, at the instruction that its stack has reached.
    void enter(unsigned context, ContextState state) {
        pause(context, state);
        profile.reach(context, warps.streams[context].stack.pc());
    }
    /// The same while it is still at the instruction that it has issued, or has none left.
    void pause(unsigned context, ContextState state) {
        profile.leave(context, warps.states.of(context), now);
        warps.states.set(context, state);
    }

    /// The context's wait may have ended, because the instruction at `pc` has written a result. All ends of waits for
    /// memory go through this function or the next one.
    [[gnu::hot]] void wake(unsigned context, std::uint32_t pc) {
        const ContextState waited_for = warps.states.of(context);
        if (waited_for == ContextState::blocked_by_memory || waited_for == ContextState::blocked_by_pipeline) {
            profile.ended_by(pc, context, now);
        }
        wake(context);
    }
    [[gnu::hot]] void wake(unsigned context) {
        const ContextState waited_for = warps.states.of(context);
        if (!ContextStates::is_blocked(waited_for)) { return; }
        classify(context);
        if (waited_for == ContextState::blocked_by_memory &&
            warps.states.of(context) != ContextState::blocked_by_memory) {
            memory_waits.end(context);
        }
    }

    /// What a stream's fetched instruction at `pc`, which needs the registers and predicates `needs`, waits for: these,
    /// lines of constants, or its unit. The constant cache records `number` as the context that waits; the streams of
    /// extensions are all judged again when a line comes (ExtensionStreams::renew_waiting).
    ContextState waits_for(const StreamSet& set, unsigned number, std::uint32_t pc, const std::uint64_t* needs) {
        if (!set.scoreboard.blocks(number, needs)) {
            if (!constants.hold((*kernel)[pc].constant_lines)) [[unlikely]] {
                constants.want((*kernel)[pc].constant_lines, number);
                return ContextState::blocked_by_constants;
            }
            return ready_for((*kernel)[pc].unit);
        }
        return set.scoreboard.blocks_for_memory(number, needs) ? ContextState::blocked_by_memory
                                                               : ContextState::blocked_by_pipeline;
    }

    /// Drops the context's fetched instructions.
    void flush(unsigned context) {
        if (warps.streams[context].buffered > 0) {
            warps.streams[context].buffered = 0;
            ++counters.flushes;
        }
    }

    const SmParameters parameters;
    const TimingParameters timing;
    const isa::SimtModel simt;
    const std::uint32_t spin_limit;            ///< sm.spin_limit, see ExecuteStage::watch_spinning
    StreamSet warps;                           ///< the warps' own streams, by context
    std::vector<isa::WarpExchange> exchanges;  ///< by context; empty with simt = stack
    RegisterFile registers;
    TimingWheel wheel;
    ConstantCache constants;
    SmCounters counters;
    InstructionProfile profile;
    MemoryWaits memory_waits;
    DependenceCounters dependences;  ///< of warps that issue by control words
    RecordedWarps recorded;          ///< for kernels with a recording
    LaunchState launch;
    const DecodedKernel* kernel = nullptr;             ///< of the launch; null between kernels
    const isa::ModuleImage* image = nullptr;           ///< of the run: texts of failed assertions
    Extensions* extensions = nullptr;                  ///< null with sm.issue_extension = none
    std::vector<ExtensionStreams*> extension_streams;  ///< by number
    ContextMask attended = 0;                          ///< contexts that some extension attends
    Cycle now = 0;                                     ///< the cycle being stepped
    /// An extension has work for the load/store unit in this cycle; not part of the state.
    bool memory_wanted = false;
};

}  // namespace lookahead::gpu
