#pragma once

#include <cstdint>
#include <vector>

#include "components/sm/context_states.h"
#include "core/state/state_archive.h"
#include "core/stats/count_tables.h"
#include "core/stats/statistics.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// What a warp's instruction waits for, from the end of the one before until it issues; or, for branches, fences and
/// barriers, until the warp may go on.
enum class InstructionWait : std::uint8_t {
    turn,
    memory_unit,
    memory,
    constants,
    fence,
    pipeline,
    fetch,
    branch,
    barrier,
    count,
    none = count,  ///< the warp is not there, or has exited
};
inline constexpr unsigned kInstructionWaits = static_cast<unsigned>(InstructionWait::count);

/// The counts of one instruction on one SM. A warp's cycle belongs to the instruction that it has reached.
struct InstructionCounters {
    LOOKAHEAD_COUNTER(issued, "instruction", "Times that a warp issued it.");
    LOOKAHEAD_COUNTER(lanes, "lane", "Active lanes whose guard held, summed over these.");
    LOOKAHEAD_COUNTERS(waits, kInstructionWaits,
                       {"turn", "warp cycle",
                        "Warps had all that it needs: they waited for a unit or for other warps, or it issued."},
                       {"memory_unit", "warp cycle", "The same, for the load/store unit."},
                       {"memory", "warp cycle", "A register was missing that memory writes."},
                       {"constants", "warp cycle", "A line of constants was missing."},
                       {"fence", "warp cycle", "A fence: earlier accesses had not ended."},
                       {"pipeline", "warp cycle",
                        "A register or predicate was missing that a pipeline writes, or a stall count ran."},
                       {"fetch", "warp cycle", "It had not been fetched and decoded."},
                       {"branch", "warp cycle", "A branch: its target was not known yet."},
                       {"barrier", "warp cycle", "A barrier: not all had arrived."});
    LOOKAHEAD_COUNTER(waited_for, "warp cycle",
                      "Cycles of `memory` and `pipeline`, of any instruction, that its result ended.");
    LOOKAHEAD_ALL_DECLARED;
};

/// The counts of all instructions that the warps of an SM execute, by kernel. Streams of extensions are not in them.
class InstructionProfile {
  public:
    explicit InstructionProfile(unsigned contexts) : warps_(contexts) {}

    void begin_launch(std::uint32_t kernel, std::uint32_t instructions) { counts_.choose(kernel, instructions); }

    void issued(std::uint32_t pc, unsigned lanes) {
        counts_.add(pc, kIssued, 1);
        counts_.add(pc, kLanes, lanes);
    }
    /// The warp in `context` has been in the state `left` until now.
    void leave(unsigned context, ContextState left, Cycle now) {
        Warp& warp = warps_[context];
        if (warp.since == now) { return; }
        if (const InstructionWait wait = kWaits[static_cast<unsigned>(left)]; wait != InstructionWait::none) {
            counts_.add(warp.pc, number_of(wait), static_cast<std::uint64_t>(now - warp.since));
        }
        warp.since = now;
    }
    /// The warp's last instruction has issued in this cycle, which is the last of the warp's.
    void exited(unsigned context) { counts_.add(warps_[context].pc, number_of(InstructionWait::turn), 1); }
    /// The warp has reached the instruction.
    void reach(unsigned context, std::uint32_t pc) {
        warps_[context].pc = pc;
        counts_.expect(pc);
    }
    /// A result of the instruction at `pc` ends the context's wait, or a part of it.
    void ended_by(std::uint32_t pc, unsigned context, Cycle now) {
        const Cycle since = warps_[context].since;
        if (now > since) { counts_.add(pc, kWaitedFor, static_cast<std::uint64_t>(now - since)); }
    }

    InstructionCounters totals() const { return counts_.totals(); }
    void visit(StatisticsVisitor& visitor) const { counts_.visit(visitor, "instruction"); }
    void fields(StateArchive& archive) { archive& counts_& warps_; }

  private:
    friend struct AuditSabotage;

    // Numbers of InstructionCounters in the order of declaration.
    static constexpr std::size_t kIssued = 0, kLanes = 1, kWaitedFor = 2 + kInstructionWaits;
    static constexpr std::size_t number_of(InstructionWait wait) { return 2 + static_cast<std::size_t>(wait); }

    struct Warp {
        Cycle since = 0;       ///< cycles before it are counted
        std::uint32_t pc = 0;  ///< of the instruction that it has reached

        void fields(StateArchive& archive) { archive& since& pc; }
    };

    static constexpr auto kWaits = [] {
        std::array<InstructionWait, static_cast<std::size_t>(ContextState::count)> waits;
        waits.fill(InstructionWait::turn);
        const auto set = [&](ContextState state, InstructionWait wait) { waits[static_cast<unsigned>(state)] = wait; };
        set(ContextState::vacant, InstructionWait::none);
        set(ContextState::exited, InstructionWait::none);
        set(ContextState::fetching, InstructionWait::fetch);
        set(ContextState::branching, InstructionWait::branch);
        set(ContextState::at_barrier, InstructionWait::barrier);
        set(ContextState::at_fence, InstructionWait::fence);
        set(ContextState::stalled, InstructionWait::pipeline);
        set(ContextState::blocked_by_memory, InstructionWait::memory);
        set(ContextState::blocked_by_constants, InstructionWait::constants);
        set(ContextState::blocked_by_pipeline, InstructionWait::pipeline);
        set(ready_for(ExecutionUnit::memory), InstructionWait::memory_unit);
        return waits;
    }();

    CountTables<InstructionCounters> counts_;
    std::vector<Warp> warps_;  ///< by context
};

}  // namespace lookahead::gpu
