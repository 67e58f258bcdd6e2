#pragma once

#include <cstdint>

#include "core/stats/statistics.h"

namespace lookahead::dac {

struct DacCounters {
    std::uint64_t runs = 0;
    std::uint64_t batch_ctas = 0;
    std::uint64_t instructions = 0;
    std::uint64_t enqueues = 0;
    std::uint64_t path_updates = 0;
    std::uint64_t atq_accesses = 0;
    std::uint64_t atq_full_cycles = 0;
    std::uint64_t pwpq_full_cycles = 0;
    std::uint64_t aeu_operations = 0;
    std::uint64_t address_records = 0;
    std::uint64_t raw_accesses = 0;
    std::uint64_t pwaq_accesses = 0;
    std::uint64_t pwpq_accesses = 0;
    std::uint64_t reports = 0;
    std::uint64_t report_accesses = 0;
    std::uint64_t report_wait_cycles = 0;
    std::uint64_t report_full_cycles = 0;
    std::uint64_t line_requests = 0;
    std::uint64_t locked_lines = 0;
    std::uint64_t unlocked_lines = 0;
    std::uint64_t unmapped_lines = 0;
    std::uint64_t lost_lines = 0;
    std::uint64_t lock_wait_cycles = 0;
    std::uint64_t barrier_wait_cycles = 0;
    std::uint64_t queue_wait_cycles = 0;
    std::uint64_t scalar_predicates = 0;
    std::uint64_t two_comparison_predicates = 0;
    std::uint64_t lane_predicates = 0;
    std::uint64_t peu_comparisons = 0;
    std::uint64_t dequeued_data = 0;
    std::uint64_t raw_data = 0;
    std::uint64_t dequeued_addresses = 0;
    std::uint64_t dequeued_predicates = 0;
    std::uint64_t queue_instructions = 0;
    std::uint64_t queue_threads = 0;
    std::uint64_t empty_queue_cycles = 0;
    std::uint64_t data_wait_cycles = 0;
    std::uint64_t unserved_cycles = 0;
};

}  // namespace lookahead::dac

template <>
struct lookahead::StatisticsOf<lookahead::dac::DacCounters> {
    using C = lookahead::dac::DacCounters;
    static constexpr std::tuple list{
        Counter<C>{"runs", "run", "Times that the affine warp ran its stream: batches of CTAs.", &C::runs},
        Counter<C>{"batch_ctas", "CTA", "CTAs that it served, over all runs.", &C::batch_ctas},
        Counter<C>{"instructions", "instruction", "Instructions that the affine warp issued.", &C::instructions},
        Counter<C>{"enqueues", "instruction", "Of these, tuples and predicates that it enqueued.", &C::enqueues},
        Counter<C>{"path_updates", "warp",
                   "Warps whose own stack a branch of the affine warp had to write, as it parted their lanes.",
                   &C::path_updates},
        Counter<C>{"atq_accesses", "access", "Affine tuple queue: entries written and read.", &C::atq_accesses},
        Counter<C>{"atq_full_cycles", "cycle",
                   "Cycles in which the affine warp waited to enqueue: the tuple queue was full.", &C::atq_full_cycles},
        Counter<C>{"pwpq_full_cycles", "cycle", "The same because a warp's predicate queue was full.",
                   &C::pwpq_full_cycles},
        Counter<C>{"aeu_operations", "operation",
                   "Additions of the address expansion unit: starting addresses, lines, adjustments.",
                   &C::aeu_operations},
        Counter<C>{"address_records", "record", "Warp address records written: a line each.", &C::address_records},
        Counter<C>{"raw_accesses", "access",
                   "Accesses of which no record can tell the addresses, or not in as many as a warp's queue holds: "
                   "expanded on the SIMT lanes when they are dequeued.",
                   &C::raw_accesses},
        Counter<C>{"pwaq_accesses", "access", "Per-warp address queues: entries written and read.", &C::pwaq_accesses},
        Counter<C>{"reports", "instruction", "Branches of warps whose lanes they told the affine warp.", &C::reports},
        Counter<C>{"report_accesses", "access", "Queues of these reports: entries written and read.",
                   &C::report_accesses},
        Counter<C>{"report_wait_cycles", "cycle",
                   "Cycles in which the affine warp waited at a branch for a warp's report.", &C::report_wait_cycles},
        Counter<C>{"report_full_cycles", "warp cycle",
                   "Cycles in which warps could not report, as the affine warp had not taken their last reports.",
                   &C::report_full_cycles},
        Counter<C>{"pwpq_accesses", "access", "Per-warp predicate queues: entries written and read.",
                   &C::pwpq_accesses},
        Counter<C>{"line_requests", "line", "Lines that the address expansion unit asked L1 for.", &C::line_requests},
        Counter<C>{"locked_lines", "line", "Of these, lines that it locked.", &C::locked_lines},
        Counter<C>{"unlocked_lines", "line",
                   "Lines behind the first of an access that could not be locked, as their set's locks were out.",
                   &C::unlocked_lines},
        Counter<C>{"unmapped_lines", "line", "Lines that it did not ask for, as they are in no allocation.",
                   &C::unmapped_lines},
        Counter<C>{"lost_lines", "line", "Lines that a store, an atomic or a fence took from their lock.",
                   &C::lost_lines},
        Counter<C>{"lock_wait_cycles", "cycle", "Cycles in which the address expansion unit waited for L1.",
                   &C::lock_wait_cycles},
        Counter<C>{"barrier_wait_cycles", "cycle",
                   "Cycles in which it had nothing to do but for warps that had not passed a barrier, fence or atomic.",
                   &C::barrier_wait_cycles},
        Counter<C>{"queue_wait_cycles", "cycle",
                   "Cycles in which it had nothing to do but for warps whose address queue was full.",
                   &C::queue_wait_cycles},
        Counter<C>{"scalar_predicates", "predicate", "Predicates of warps that one comparison for the whole CTA made.",
                   &C::scalar_predicates},
        Counter<C>{"two_comparison_predicates", "predicate",
                   "Those that comparisons of the warp's first and last thread made.", &C::two_comparison_predicates},
        Counter<C>{"lane_predicates", "predicate", "Those that were compared on the SIMT lanes.", &C::lane_predicates},
        Counter<C>{"peu_comparisons", "comparison", "Comparisons that the predicate expansion unit made itself.",
                   &C::peu_comparisons},
        Counter<C>{"dequeued_data", "instruction", "Loads of warps whose address was dequeued.", &C::dequeued_data},
        Counter<C>{"raw_data", "instruction",
                   "Of these, loads that were expanded on the SIMT lanes: not asked for early.", &C::raw_data},
        Counter<C>{"dequeued_addresses", "instruction", "Other accesses of warps whose address was dequeued.",
                   &C::dequeued_addresses},
        Counter<C>{"dequeued_predicates", "instruction", "Predicates of warps that were dequeued.",
                   &C::dequeued_predicates},
        Counter<C>{"queue_instructions", "instruction",
                   "Instructions of warps that only took a predicate from its queue, or reported one: sm.integer has "
                   "them too.",
                   &C::queue_instructions},
        Counter<C>{"queue_threads", "instruction", "Threads of these: sm.thread_instructions has them too.",
                   &C::queue_threads},
        Counter<C>{"empty_queue_cycles", "warp cycle", "Cycles in which warps waited for something to dequeue.",
                   &C::empty_queue_cycles},
        Counter<C>{"data_wait_cycles", "warp cycle",
                   "Cycles in which warps waited for the lines of the load that they were to dequeue.",
                   &C::data_wait_cycles},
        Counter<C>{"unserved_cycles", "CTA cycle",
                   "Cycles in which resident CTAs waited for the affine warp's next run.", &C::unserved_cycles}};
};
