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
                                 "have there; at least one a warp.",
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
        {.help = "When the affine warp issues, against the other warps of its scheduler. Every warp waits for what it "
                 "enqueues, so it goes first.",
         .source = "estimate: the paper issues it as the other warps, and does not say in which order"});
    LOOKAHEAD_PARAMETER(
        std::string, batch, "patient", {"drain", "rolling", "patient"},
        {.help = "When the affine warp serves CTAs that came while it ran. drain: when all CTAs before have ended, so "
                 "that a batch fills the SM again; rolling: as soon as its last run has ended, for those that came "
                 "meanwhile, one by one if they come so; patient: when all before have ended, or when they have "
                 "waited, since they came or the last run ended, for as long as that run took.",
         .source = "Wang and Lin, ISCA 2017, section 4.1: once for each batch of concurrent warps; when one begins is "
                   "left open."});
    LOOKAHEAD_PARAMETER(
        std::string, expansion, "cta", {"tuple", "cta", "warp"},
        {.help = "Whose tuples keep their order in the expansion units. tuple: all, one tuple after the other, so that "
                 "warps with full queues, or a barrier to pass, hold up all; cta: those of a CTA, each with a place of "
                 "its own in the tuple queue; warp: those of a warp, with a bit a warp in each entry.",
         .source =
             "Wang and Lin, ISCA 2017, section 4.2: an accumulated address a CTA lets the unit switch among CTAs, and "
             "blocks that have passed a barrier go on before others; the queue is read from its head (4.1)"});
    LOOKAHEAD_PARAMETER(std::string, address_order, "cta", {"tuple", "cta"},
                        {.help = "Which of the warps that may go on the address unit serves next. tuple: those of the "
                                 "oldest tuple, so that all CTAs advance together; cta: those of one CTA until none of "
                                 "them can go on, the CTAs of the oldest run first.",
                         .source = "Wang and Lin, ISCA 2017, section 4.2: an accumulated address a CTA is there to "
                                   "switch among CTAs where one would stall; the order is left open"});
    LOOKAHEAD_PARAMETER(std::string, full_queue_stops, "every", {"every", "own"},
                        {.help = "Which enqueues of the affine warp wait while a warp's predicate queue is full. "
                                 "every: all; own: those of predicates.",
                         .source = "Wang and Lin, ISCA 2017, section 4.1: if one of the PWPQs is full, the affine warp "
                                   "may not issue an enqueue; the kind is not said"});
    LOOKAHEAD_PARAMETER(
        bool, own_tag_port, false,
        {.help =
             "The address unit looks up L1's tags by a port of its own; false: in cycles in which no instruction does.",
         .source = "Wang and Lin, ISCA 2017, section 4.2: it sends requests to L1; a port is not mentioned"});
    LOOKAHEAD_PARAMETER(bool, addresses_pass_barriers, false,
                        {.help = "Only tuples whose lines are asked for wait until a warp has passed the barriers "
                                 "before them; false: all addresses.",
                         .source = "Wang and Lin, ISCA 2017, section 4.2: a barrier disables expansion, so that no "
                                   "early access conflicts with it, which enq.addr makes none of"});
    LOOKAHEAD_PARAMETER(std::int64_t, gather_cycles, 8, {0, 4096, "cycle"},
                        {.help = "A run begins when no CTA has come for so long, or no more have room, so that those "
                                 "which come together are one batch.",
                         .source = "estimate: an SM gets a launch's first CTAs one behind the other"});
    LOOKAHEAD_PARAMETER(bool, early_loads, true,
                        {.help = "enq.data asks for its lines when it is expanded and locks them; false: the load asks "
                                 "for them when it dequeues its address. To tell the two gains apart.",
                         .source = "Wang and Lin, ISCA 2017, section 4.2: they are asked for"});
    LOOKAHEAD_PARAMETER(
        bool, loads_await_lines, true,
        {.help = "A load dequeues its address when the lines that were asked for have come; false: when its address is "
                 "there, so that it waits for them as any load does.",
         .source = "Wang and Lin, ISCA 2017, section 4.1: a warp whose data is not yet available does not issue"});
    LOOKAHEAD_PARAMETER(std::string, decouple, "all", {"all", "accesses", "predicates"},
                        {.help = "What the pass decouples; one of them alone, to tell their gains apart.",
                         .source = "Wang and Lin, ISCA 2017, section 4.7: accesses and predicates"});
    LOOKAHEAD_PARAMETER(bool, shared_accesses, false,
                        {.help = "Accesses of shared memory take their addresses from the queue, as stores do; false: "
                                 "their warps compute them.",
                         .source = "Wang and Lin, ISCA 2017: sections 4.1 and 4.2 speak of global and local loads and "
                                   "of cache lines; section 4.7 names memory accesses without their space"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, divergent_conditions, 2, {0, 2, "condition"},
        {.help = "Divergent conditions that an operand may have where it is decoupled; none: no divergent tuples.",
         .source = "Wang and Lin, ISCA 2017, section 4.6: two, which are four tuples"});
    LOOKAHEAD_PARAMETER(
        bool, reports, false,
        {.help = "Where control depends on data, warps tell the affine warp which lanes take a branch, if it has "
                 "something to do behind it; false: what is under such control is not decoupled.",
         .source =
             "Wang and Lin, ISCA 2017, section 4.5: non-affine warps must provide bit-vectors for the affine warp"});
    LOOKAHEAD_PARAMETER(bool, check, false,
                        {.help = "Compares each tuple that is computed, and each address that is dequeued, with what "
                                 "its thread computes by itself. For tests: slow.",
                         .source = "no property of a machine"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::dac
