#pragma once

#include "core/stats/statistics.h"

namespace lookahead::dac {

struct DacCounters {
    LOOKAHEAD_COUNTER(runs, "run", "Times that the affine warp ran its stream: batches of CTAs.");
    LOOKAHEAD_COUNTER(batch_ctas, "CTA", "CTAs that it served, over all runs.");
    LOOKAHEAD_COUNTER(instructions, "instruction", "Instructions that the affine warp issued.");
    LOOKAHEAD_COUNTER(enqueues, "instruction", "Part of instructions: enqueues of tuples and predicates.");
    LOOKAHEAD_COUNTER(path_updates, "warp",
                      "Warps whose SIMT stack a branch of the affine warp had to write because it split their lanes.");
    LOOKAHEAD_COUNTER(atq_accesses, "access", "Affine tuple queue: entries written and read.");
    LOOKAHEAD_COUNTER(atq_full_cycles, "cycle",
                      "Cycles in which the affine warp waited to enqueue: the tuple queue was full.");
    LOOKAHEAD_COUNTER(pwpq_full_cycles, "cycle",
                      "Cycles in which the affine warp waited to enqueue: a warp's predicate queue was full.");
    LOOKAHEAD_COUNTER(aeu_operations, "operation",
                      "Additions of the address expansion unit: starting addresses, lines, adjustments.");
    LOOKAHEAD_COUNTER(address_records, "record", "Warp address records written: one line each.");
    LOOKAHEAD_COUNTER(raw_accesses, "access",
                      "Accesses that records cannot express, or that need more records than a warp's queue holds: "
                      "expanded on the SIMT lanes when they are dequeued.");
    LOOKAHEAD_COUNTER(pwaq_accesses, "access", "Per-warp address queues: entries written and read.");
    LOOKAHEAD_COUNTER(pwpq_accesses, "access", "Per-warp predicate queues: entries written and read.");
    LOOKAHEAD_COUNTER(reports, "instruction", "Branches whose lanes the warps reported to the affine warp.");
    LOOKAHEAD_COUNTER(report_accesses, "access", "Queues of these reports: entries written and read.");
    LOOKAHEAD_COUNTER(report_wait_cycles, "cycle",
                      "Cycles in which the affine warp waited at a branch for a warp's report.");
    LOOKAHEAD_COUNTER(
        report_full_cycles, "warp cycle",
        "Cycles in which warps could not report because the affine warp had not taken their last reports.");
    LOOKAHEAD_COUNTER(line_requests, "line", "Lines that the address expansion unit requested from L1.");
    LOOKAHEAD_COUNTER(locked_lines, "line", "Part of line_requests: lines that were locked.");
    LOOKAHEAD_COUNTER(
        unlocked_lines, "line",
        "Lines after the first of an access that could not be locked because their set had no lock left.");
    LOOKAHEAD_COUNTER(unmapped_lines, "line", "Lines that the unit did not request because they are in no allocation.");
    LOOKAHEAD_COUNTER(lost_lines, "line", "Locked lines that a store, an atomic or a fence dropped.");
    LOOKAHEAD_COUNTER(lock_wait_cycles, "cycle", "Cycles in which the address expansion unit waited for L1.");
    LOOKAHEAD_COUNTER(
        barrier_wait_cycles, "cycle",
        "Cycles in which the unit had work only for warps that had not passed a barrier, fence or atomic.");
    LOOKAHEAD_COUNTER(queue_wait_cycles, "cycle",
                      "Cycles in which the unit had work only for warps whose address queue was full.");
    LOOKAHEAD_COUNTER(scalar_predicates, "predicate", "Warp predicates computed by one comparison for the whole CTA.");
    LOOKAHEAD_COUNTER(two_comparison_predicates, "predicate",
                      "Warp predicates computed by comparisons of the warp's first and last thread.");
    LOOKAHEAD_COUNTER(lane_predicates, "predicate", "Warp predicates computed by comparisons on the SIMT lanes.");
    LOOKAHEAD_COUNTER(peu_comparisons, "comparison", "Comparisons made by the predicate expansion unit itself.");
    LOOKAHEAD_COUNTER(dequeued_data, "instruction", "Loads of warps whose address was dequeued.");
    LOOKAHEAD_COUNTER(raw_data, "instruction",
                      "Part of dequeued_data: loads that were expanded on the SIMT lanes, and not requested early.");
    LOOKAHEAD_COUNTER(dequeued_addresses, "instruction", "Other accesses of warps whose address was dequeued.");
    LOOKAHEAD_COUNTER(dequeued_predicates, "instruction", "Predicates of warps that were dequeued.");
    LOOKAHEAD_COUNTER(
        queue_instructions, "instruction",
        "Warp instructions that only took a predicate from its queue or reported one; also in sm.integer.");
    LOOKAHEAD_COUNTER(queue_threads, "instruction", "Threads of queue_instructions; also in sm.thread_instructions.");
    LOOKAHEAD_COUNTER(empty_queue_cycles, "warp cycle", "Cycles in which warps waited for something to dequeue.");
    LOOKAHEAD_COUNTER(data_wait_cycles, "warp cycle",
                      "Cycles in which warps waited for the lines of the load that they were to dequeue.");
    LOOKAHEAD_COUNTER(unserved_cycles, "CTA cycle",
                      "Cycles in which resident CTAs waited for the affine warp's next run.");
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::dac
