#pragma once

#include <cstdint>

#include "components/sm/instruction_class.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Why an instruction is not pre-executed. Where several reasons apply, the first in this order counts.
enum class SkipReason : std::uint8_t {
    far,
    store,
    atomic,
    barrier,
    texture,
    ordered_load,
    clock,
    poisoned,
    scratchpad,
    constant,
    no_rename_entry,
    pre_load,
    count
};
inline constexpr std::size_t kSkipReasons = static_cast<std::size_t>(SkipReason::count);

/// Why pre-execution stops until its warp returns.
enum class HaltReason : std::uint8_t { poisoned_branch, far_branch, fence, exit, trap, simt_overflow, lanes, count };
inline constexpr std::size_t kHaltReasons = static_cast<std::size_t>(HaltReason::count);

struct PmodeCounters {
    LOOKAHEAD_COUNTER(switches, "switch", "Times that a warp began to pre-execute.");
    LOOKAHEAD_COUNTER(short_waits, "switch", "Part of switches: waits that were over within 100 cycles.");
    LOOKAHEAD_COUNTER(cycles, "warp cycle", "Cycles that warps spent in pre-execution.");
    LOOKAHEAD_COUNTER(executed, "instruction", "Instructions pre-executed: issued, pre-loads and branches included.");
    LOOKAHEAD_COUNTER(pre_loads, "instruction", "Part of executed: loads that brought their lines into L1.");
    LOOKAHEAD_COUNTER(predicated_off, "instruction",
                      "Part of executed: instructions whose guard was false in every lane.");
    LOOKAHEAD_COUNTERS(
        skipped, kSkipReasons, {"skipped_far", "instruction", "Skipped: too far from the blocked instruction."},
        {"skipped_store", "instruction", "Skipped: stores."},
        {"skipped_atomic", "instruction", "Skipped: atomics and reductions."},
        {"skipped_barrier", "instruction", "Skipped: barriers."},
        {"skipped_texture", "instruction", "Skipped: texture fetches."},
        {"skipped_ordered_load", "instruction", "Skipped: volatile, relaxed and acquire loads."},
        {"skipped_clock", "instruction", "Skipped: reads of clocks."},
        {"skipped_poisoned", "instruction", "Skipped: a source depends on the blocked load."},
        {"skipped_scratchpad", "instruction",
         "Skipped: scratchpad loads after a skipped store, atomic, ordered load or barrier, or out of bounds."},
        {"skipped_constant", "instruction", "Skipped: loads of constants that are out of bounds."},
        {"skipped_no_rename_entry", "instruction", "Skipped: a destination that cannot be renamed."},
        {"skipped_pre_load", "instruction", "Skipped: loads, where pmode.pre_loads is false."});
    LOOKAHEAD_COUNTERS(halted, kHaltReasons,
                       {"halted_poisoned_branch", "switch", "Stopped at a branch that depends on the blocked load."},
                       {"halted_far_branch", "switch",
                        "Stopped at a branch that is, or whose target is, too far away."},
                       {"halted_fence", "switch", "Stopped at a fence."},
                       {"halted_exit", "switch", "Stopped at an exit."},
                       {"halted_trap", "switch", "Stopped at a trap."},
                       {"halted_simt_overflow", "switch", "Stopped because the SIMT stack's copy was full."},
                       {"halted_lanes", "switch", "Stopped where lanes wait for others of their warp."});
    LOOKAHEAD_COUNTER(renamings, "instruction",
                      "Instructions that looked registers up in a rename table or wrote to one: all pre-executed, all "
                      "reused, and all others of warps with a renamed register.");
    LOOKAHEAD_COUNTER(pqueue_accesses, "access",
                      "P-queue: entries written, results marked as ready, heads read for comparison.");
    LOOKAHEAD_COUNTER(pqueue_full, "instruction", "Results without an entry, because the P-queue was full.");
    LOOKAHEAD_COUNTER(queued, "instruction", "Results that took an entry.");
    LOOKAHEAD_COUNTER(flushed, "instruction",
                      "Part of queued: entries that the next switch or the warp's end discarded.");
    LOOKAHEAD_COUNTER(reused, "instruction",
                      "Part of queued: results that were reused, all of short-latency instructions.");
    LOOKAHEAD_COUNTER(short_not_reused, "instruction",
                      "Short-latency instructions executed in normal mode although they had been pre-executed.");
    LOOKAHEAD_COUNTER(short_skipped, "instruction",
                      "Short-latency instructions executed in normal mode that pre-execution had skipped.");
    LOOKAHEAD_COUNTER(long_not_reused, "instruction", "Long-latency instructions that had been pre-loaded.");
    LOOKAHEAD_COUNTER(long_skipped, "instruction", "Long-latency instructions that pre-execution had skipped.");
    LOOKAHEAD_COUNTER(pool_cycles, "register cycle", "Registers of the pool, summed over the launches' cycles.");
    LOOKAHEAD_COUNTER(pool_used_cycles, "register cycle", "Part of pool_cycles: registers that held something.");
    LOOKAHEAD_COUNTER(skips, "instruction", "All skipped instructions: fetched and decoded for nothing.");
    LOOKAHEAD_COUNTER(
        repeated, "instruction",
        "Pre-executed instructions whose results have not been reused so far: the executions that pre-execution adds.");
    LOOKAHEAD_COUNTER(repeated_threads, "instruction", "Active lanes of the repeated instructions.");
    LOOKAHEAD_COUNTERS(
        repeated_by_class, kInstructionClasses,
        {"repeated_integer", "instruction", "Part of repeated: integer, logic, moves, conversions, predicates."},
        {"repeated_integer_min_max", "instruction", "Part of repeated: integer minimum and maximum."},
        {"repeated_integer_multiply", "instruction", "Part of repeated: integer multiplications."},
        {"repeated_integer_mad", "instruction", "Part of repeated: integer multiply-adds."},
        {"repeated_integer_divide", "instruction", "Part of repeated: integer divisions and remainders."},
        {"repeated_fp32_add", "instruction", "Part of repeated: fp32 and fp16 additions and comparisons."},
        {"repeated_fp32_min_max", "instruction", "Part of repeated: fp32 minimum and maximum."},
        {"repeated_fp32_multiply", "instruction", "Part of repeated: fp32 multiplications."},
        {"repeated_fp32_fma", "instruction", "Part of repeated: fp32 fused multiply-adds."},
        {"repeated_fp32_divide", "instruction", "Part of repeated: fp32 divisions and exact roots."},
        {"repeated_fp64_add", "instruction", "Part of repeated: fp64 additions, comparisons, conversions."},
        {"repeated_fp64_multiply", "instruction", "Part of repeated: fp64 multiplications."},
        {"repeated_fp64_fma", "instruction", "Part of repeated: fp64 fused multiply-adds."},
        {"repeated_fp64_divide", "instruction", "Part of repeated: fp64 divisions and roots."},
        {"repeated_special", "instruction", "Part of repeated: approximate special functions."},
        {"repeated_cross_lane", "instruction", "Part of repeated: shuffles and matches."},
        {"repeated_branch", "instruction", "Part of repeated: branches."},
        {"repeated_exit", "instruction", "Part of repeated: exits whose guard was false."},
        {"repeated_barrier", "instruction", "Part of repeated: barriers (none)."},
        {"repeated_fence", "instruction", "Part of repeated: fences (none)."},
        {"repeated_trap", "instruction", "Part of repeated: traps whose guard was false."},
        {"repeated_load_global", "instruction", "Part of repeated: pre-loads of global and generic addresses."},
        {"repeated_load_shared", "instruction", "Part of repeated: loads from shared memory."},
        {"repeated_load_local", "instruction", "Part of repeated: pre-loads of local memory."},
        {"repeated_load_constant", "instruction", "Part of repeated: loads of constant memory."},
        {"repeated_store_global", "instruction", "Part of repeated: stores (none)."},
        {"repeated_store_shared", "instruction", "Part of repeated: stores (none)."},
        {"repeated_store_local", "instruction", "Part of repeated: stores (none)."},
        {"repeated_atomic_global", "instruction", "Part of repeated: atomics (none)."},
        {"repeated_atomic_shared", "instruction", "Part of repeated: atomics (none)."},
        {"repeated_texture", "instruction", "Part of repeated: texture fetches (none)."});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
