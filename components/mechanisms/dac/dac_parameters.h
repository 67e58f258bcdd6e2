#pragma once

#include <cstdint>
#include <string>

#include "core/param/parameters.h"

namespace lookahead::dac {

struct DacParameters {
    static constexpr std::string_view kPaper = "Wang and Lin, ISCA 2017";

    LOOKAHEAD_PARAMETER(std::int64_t, atq_entries, 24, {1, 1024, "entry"},
                        {.help = "Affine tuple queue: tuples that wait for their expansion.",
                         .source = "Wang and Lin, ISCA 2017, table 1: 24 entries"});
    LOOKAHEAD_PARAMETER(std::int64_t, pwaq_entries, 192, {1, 1 << 14, "entry"},
                        {.help = "Per-warp address queues of an SM, dealt out evenly to the warps that a launch can "
                                 "have there; at least one per warp.",
                         .source = "Wang and Lin, ISCA 2017, table 1: 192 entries"});
    LOOKAHEAD_PARAMETER(std::int64_t, pwpq_entries, 192, {1, 1 << 14, "entry"},
                        {.help = "Per-warp predicate queues of an SM, dealt out in the same way.",
                         .source = "Wang and Lin, ISCA 2017, section 4.8: 192 entries"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, report_entries, 192, {1, 1 << 14, "entry"},
        {.help = "Bit vectors of branches that an SM's warps have reported and the affine warp has not taken, dealt "
                 "out in the same way.",
         .source = "estimate: as the predicate queues, whose bit vectors go the other way; section 4.5 names no size"});
    LOOKAHEAD_PARAMETER(
        std::string, priority, "above", {"above", "beside", "below"},
        {.help = "When the affine warp issues, relative to the other warps of its scheduler. Every warp waits for what "
                 "it enqueues, so it goes first.",
         .source = "estimate: the paper issues it like the other warps, and does not say in which order"});
    LOOKAHEAD_PARAMETER(
        std::string, batch, "patient", {"drain", "rolling", "patient"},
        {.help = "When the affine warp serves CTAs that arrived while it ran. drain: when all earlier CTAs have ended, "
                 "so that a batch fills the SM again; rolling: as soon as its last run has ended, for the CTAs that "
                 "arrived meanwhile, even one by one; patient: when all earlier CTAs have ended, or when the new CTAs "
                 "have waited for as long as the last run took, since they arrived or that run ended.",
         .source = "Wang and Lin, ISCA 2017, section 4.1: once for each batch of concurrent warps; when one begins is "
                   "left open."});
    LOOKAHEAD_PARAMETER(
        std::string, expansion, "cta", {"tuple", "cta", "warp"},
        {.help = "Which tuples keep their order in the expansion units. tuple: all, so that warps with full queues, or "
                 "a barrier to pass, hold up all others; cta: those of a CTA, with a place per CTA in the tuple queue; "
                 "warp: those of a warp, with a bit per warp in each entry.",
         .source =
             "Wang and Lin, ISCA 2017, section 4.2: an accumulated address per CTA lets the unit switch among CTAs, "
             "and blocks that have passed a barrier go on before others; the queue is read from its head (4.1)"});
    LOOKAHEAD_PARAMETER(std::string, address_order, "cta", {"tuple", "cta"},
                        {.help = "Which of the warps that can go on is served next by the address unit. tuple: those "
                                 "of the oldest tuple, so that all CTAs advance together; cta: those of one CTA until "
                                 "none of them can go on, the CTAs of the oldest run first.",
                         .source = "Wang and Lin, ISCA 2017, section 4.2: an accumulated address per CTA lets the unit "
                                   "switch among CTAs where one would stall; the order is left open"});
    LOOKAHEAD_PARAMETER(std::string, full_queue_stops, "every", {"every", "own"},
                        {.help = "Which enqueues of the affine warp wait while a warp's predicate queue is full. "
                                 "every: all; own: those of predicates.",
                         .source = "Wang and Lin, ISCA 2017, section 4.1: if one of the PWPQs is full, the affine warp "
                                   "may not issue an enqueue; the paper does not say of which kind"});
    LOOKAHEAD_PARAMETER(
        bool, own_tag_port, false,
        {.help = "The address unit looks up L1's tags through its own port; false: in cycles in which no instruction "
                 "looks them up.",
         .source = "Wang and Lin, ISCA 2017, section 4.2: it sends requests to L1; a port is not mentioned"});
    LOOKAHEAD_PARAMETER(bool, addresses_pass_barriers, false,
                        {.help = "Only tuples whose lines are requested wait until a warp has passed the barriers "
                                 "before them; false: all addresses wait.",
                         .source = "Wang and Lin, ISCA 2017, section 4.2: a barrier disables expansion, so that no "
                                   "early access conflicts with it; enq.addr makes no early access"});
    LOOKAHEAD_PARAMETER(std::int64_t, gather_cycles, 8, {0, 4096, "cycle"},
                        {.help = "A run begins when no CTA has arrived for this many cycles, or no more have room, so "
                                 "that CTAs that arrive together form one batch.",
                         .source = "estimate: an SM gets a launch's first CTAs one after the other"});
    LOOKAHEAD_PARAMETER(bool, early_loads, true,
                        {.help = "enq.data requests its lines when it is expanded and locks them; false: the load "
                                 "requests them when it dequeues its address. To tell the two gains apart.",
                         .source = "Wang and Lin, ISCA 2017, section 4.2: they are requested"});
    LOOKAHEAD_PARAMETER(
        bool, loads_await_lines, true,
        {.help = "A load dequeues its address when the requested lines have arrived; false: when its address is there, "
                 "so that it waits for the lines as any load does.",
         .source = "Wang and Lin, ISCA 2017, section 4.1: a warp whose data is not yet available does not issue"});
    LOOKAHEAD_PARAMETER(
        std::string, decouple, "all", {"all", "accesses", "predicates"},
        {.help = "What the pass decouples: all, or accesses or predicates alone, to tell the two gains apart.",
         .source = "Wang and Lin, ISCA 2017, section 4.7: accesses and predicates"});
    LOOKAHEAD_PARAMETER(bool, shared_accesses, false,
                        {.help = "Accesses to shared memory take their addresses from the queue, as stores do; false: "
                                 "their warps compute them.",
                         .source = "Wang and Lin, ISCA 2017: sections 4.1 and 4.2 speak of global and local loads and "
                                   "of cache lines; section 4.7 names memory accesses without their space"});
    LOOKAHEAD_PARAMETER(std::int64_t, divergent_conditions, 2, {0, 2, "condition"},
                        {.help = "Divergent conditions that a decoupled operand may have; 0: no divergent tuples.",
                         .source = "Wang and Lin, ISCA 2017, section 4.6: two, which are four tuples"});
    LOOKAHEAD_PARAMETER(
        bool, reports, false,
        {.help = "Where control depends on data, warps tell the affine warp which lanes take a branch, if the affine "
                 "warp has work after the branch; false: instructions under such control are not decoupled.",
         .source =
             "Wang and Lin, ISCA 2017, section 4.5: non-affine warps must provide bit-vectors for the affine warp"});
    LOOKAHEAD_PARAMETER(bool, check, false,
                        {.help = "Compares each tuple that is computed, and each address that is dequeued, with what "
                                 "its thread computes by itself. For tests: slow.",
                         .source = "no property of a machine"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::dac
