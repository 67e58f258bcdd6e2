#pragma once

#include <cstdint>

#include "components/sm/instruction_class.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// The outcome of one scheduler's cycle. If several apply, the first in this order (from `issued` to `barrier`) counts,
/// because it is closest to issue.
enum class SchedulerCycle : std::uint8_t {
    issued,
    extension_issued,  ///< an issue source other than the warps' streams issued
    slot_held,         ///< an issued instruction still holds the slot while its operands are staged
    held_back,         ///< the scheduler issued none of the ready warps
    memory_unit_full,  ///< the load/store unit refused a ready memory instruction
    unit_full,         ///< a ready instruction found its SP, SFU or DP unit busy
    memory_wait,       ///< a source or destination awaits memory
    constant_wait,     ///< lines of constants are missing
    fence,             ///< a fence awaits its acknowledgements
    short_latency,     ///< a source or destination awaits a pipeline
    buffer_empty,      ///< fetch, decode, or an unresolved branch
    barrier,
    no_instruction_left,  ///< its warps have exited, or the CTAs have no warps for it
    no_cta,
    count,
};
inline constexpr unsigned kSchedulerCycleCauses = static_cast<unsigned>(SchedulerCycle::count);

struct SmCounters {
    LOOKAHEAD_COUNTER(cycles, "cycle", "Cycles from a kernel's start to its end on the SM.");
    LOOKAHEAD_COUNTER(active_cycles, "cycle", "Cycles with at least one resident CTA.");
    LOOKAHEAD_COUNTER(warp_cycles, "warp cycle", "Warps that have not exited, summed over the cycles.");
    LOOKAHEAD_COUNTER(cta_cycles, "CTA cycle",
                      "Resident CTAs, which hold their registers and shared memory, summed over the cycles.");
    LOOKAHEAD_COUNTER(warp_instructions, "instruction", "Warp instructions issued.");
    LOOKAHEAD_COUNTER(thread_instructions, "instruction",
                      "Active lanes whose guard holds, summed over the warp instructions.");
    LOOKAHEAD_COUNTER(predicated_off, "instruction", "Warp instructions whose guard was false in every active lane.");
    LOOKAHEAD_COUNTERS(by_class, kInstructionClasses,
                       {"integer", "instruction", "Issued: integer, logic, moves, conversions and predicates."},
                       {"integer_min_max", "instruction", "Issued: integer minimum and maximum."},
                       {"integer_multiply", "instruction", "Issued: integer multiplications."},
                       {"integer_mad", "instruction", "Issued: integer multiply-adds."},
                       {"integer_divide", "instruction", "Issued: integer divisions and remainders."},
                       {"fp32_add", "instruction", "Issued: fp32 and fp16 additions and comparisons."},
                       {"fp32_min_max", "instruction", "Issued: fp32 minimum and maximum."},
                       {"fp32_multiply", "instruction", "Issued: fp32 multiplications."},
                       {"fp32_fma", "instruction", "Issued: fp32 fused multiply-adds."},
                       {"fp32_divide", "instruction", "Issued: fp32 divisions and exact roots."},
                       {"fp64_add", "instruction", "Issued: fp64 additions, comparisons and conversions."},
                       {"fp64_multiply", "instruction", "Issued: fp64 multiplications."},
                       {"fp64_fma", "instruction", "Issued: fp64 fused multiply-adds."},
                       {"fp64_divide", "instruction", "Issued: fp64 divisions and roots."},
                       {"special", "instruction", "Issued: approximate special functions."},
                       {"cross_lane", "instruction", "Issued: shuffles and matches."},
                       {"branch_instructions", "instruction", "Issued: branches."},
                       {"exit_instructions", "instruction", "Issued: exits."},
                       {"barrier_instructions", "instruction", "Issued: barrier arrivals."},
                       {"fence_instructions", "instruction", "Issued: memory fences."},
                       {"trap_instructions", "instruction", "Issued: traps."},
                       {"load_global", "instruction", "Issued: loads from global and generic addresses."},
                       {"load_shared", "instruction", "Issued: loads from shared memory."},
                       {"load_local", "instruction", "Issued: loads from local memory."},
                       {"load_constant", "instruction", "Issued: loads from constant memory."},
                       {"store_global", "instruction", "Issued: stores to global and generic addresses."},
                       {"store_shared", "instruction", "Issued: stores to shared memory."},
                       {"store_local", "instruction", "Issued: stores to local memory."},
                       {"atomic_global", "instruction",
                        "Issued: atomics and reductions on global and generic addresses."},
                       {"atomic_shared", "instruction", "Issued: atomics and reductions on shared memory."},
                       {"texture", "instruction", "Issued: texture fetches."});
    LOOKAHEAD_COUNTER(fetches, "fetch", "Instruction fetches.");
    LOOKAHEAD_COUNTER(flushes, "flush", "Instruction buffers emptied by a change of control flow.");
    LOOKAHEAD_COUNTER(branches, "branch", "Branches with at least one active lane.");
    LOOKAHEAD_COUNTER(divergent_branches, "branch", "Branches that some active lanes took and others did not.");
    LOOKAHEAD_COUNTER(barriers, "barrier", "Barriers completed by all warps of a CTA.");
    LOOKAHEAD_COUNTER(memory_waits, "wait",
                      "Times that a warp's next instruction waited for a register that memory writes.");
    LOOKAHEAD_COUNTER(long_waits, "wait", "Part of memory_waits: waits of more than 100 cycles.");
    LOOKAHEAD_COUNTER(long_latency, "scheduler cycle",
                      "Scheduler cycles of memory_wait within a wait of more than 100 cycles of one of the scheduler's "
                      "warps; counted when the wait ends.");
    LOOKAHEAD_COUNTER(ctas, "CTA", "CTAs completed.");
    LOOKAHEAD_COUNTER(launches, "kernel", "Kernels begun.");
    LOOKAHEAD_ALL_DECLARED;
};

/// Statistics of one warp scheduler; its cycles sum to the SM's.
struct SchedulerCounters {
    LOOKAHEAD_COUNTERS(
        cycles, kSchedulerCycleCauses, {"issued", "cycle", "Cycles in which the scheduler issued an instruction."},
        {"extension_issued", "cycle", "Cycles in which an issue extension issued in the scheduler's place."},
        {"slot_held", "cycle", "Cycles in which an instruction issued earlier held the scheduler's issue slot."},
        {"held_back", "cycle", "Cycles in which the scheduler issued from none of its ready warps."},
        {"memory_unit_full", "cycle", "Cycles in which the load/store unit refused a ready instruction."},
        {"unit_full", "cycle", "Cycles in which a ready instruction found its SP, SFU or DP unit busy."},
        {"memory_wait", "cycle", "Cycles in which a warp waited for a register that memory writes."},
        {"constant_wait", "cycle", "Cycles in which a warp waited for a line of constants."},
        {"fence", "cycle", "Cycles in which a warp waited for a fence."},
        {"short_latency", "cycle", "Cycles in which a warp waited for a register that a pipeline writes."},
        {"buffer_empty", "cycle", "Cycles in which a warp waited for fetch, decode or a branch."},
        {"barrier", "cycle", "Cycles in which a warp waited at a barrier."},
        {"no_instruction_left", "cycle", "Cycles in which none of the scheduler's warps had instructions left."},
        {"no_cta", "cycle", "Cycles in which the SM had no CTA."});
    LOOKAHEAD_ALL_DECLARED;

    std::uint64_t& operator[](SchedulerCycle cause) { return cycles[static_cast<unsigned>(cause)]; }
    std::uint64_t operator[](SchedulerCycle cause) const { return cycles[static_cast<unsigned>(cause)]; }
};

}  // namespace lookahead::gpu
