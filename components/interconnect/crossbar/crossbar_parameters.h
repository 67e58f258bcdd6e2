#pragma once

#include "core/param/parameters.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The crossbar between SMs and L2 slices: one network of requests and one of replies. All cycles are those of the
/// network's clock (gpu.memory_clock_ratio).
struct CrossbarParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, flit_bytes, 40, {8, 256, "byte"},
                        {.help = "Bytes of a flit; a port moves one flit per cycle.",
                         .source = "GPGPU-Sim's GTX480 configuration"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, atomic_lane_bytes, 8, {4, 8, "byte"},
        {.help = "Bytes of each lane in the packet of an atomic, and in the packet of its returned values.",
         .source = "8: a choice, an operand of 64 bits or two of 32. GPGPU-Sim sends the lanes' sector: 4 if each of "
                   "its words has a lane"});
    LOOKAHEAD_PARAMETER(Cycle, request_latency, 64, {1, 10000, "cycle"},
                        {.help = "Network cycles from SM to L2 slice without the serialisation of the packet: the "
                                 "crossbar's traversal and the first half of the L2's fixed pipeline.",
                         .source = "half of the GTX480 table's 120 fixed cycles before L2, and 4 cycles of crossbar"});
    LOOKAHEAD_PARAMETER(Cycle, reply_latency, 64, {1, 10000, "cycle"},
                        {.help = "Network cycles from L2 slice to SM without the serialisation of the packet: the "
                                 "crossbar's traversal and the second half of the L2's fixed pipeline.",
                         .source = "half of the GTX480 table's 120 fixed cycles before L2, and 4 cycles of crossbar"});
    LOOKAHEAD_PARAMETER(std::int64_t, input_entries, 8, {1, 1024, "packet"},
                        {.help = "Line-sized packets that a receiver can buffer for each sender, in addition to those "
                                 "for the credits' round trip.",
                         .source = "GPGPU-Sim's GTX480 configuration"});
    LOOKAHEAD_PARAMETER(std::int64_t, injection_flits, 32, {1, 4096, "flit"},
                        {.help = "A sender's queue: it accepts a packet while fewer flits than this wait in it.",
                         .source = "eight line-sized packets"});
    LOOKAHEAD_PARAMETER(std::int64_t, credit_batch, 16, {1, 1024, "flit"},
                        {.help = "Credits that a receiver gathers for a sender before it returns them in one message.",
                         .source = "a choice of the simulator: the buffers are larger by as much"});
    LOOKAHEAD_PARAMETER(std::int64_t, sender_flits, 0, {0, 1 << 20, "flit"},
                        {.help = "Flits that a sender may have under way to all receivers together, from the port to "
                                 "the return of their credits; 0: as many as their receivers' buffers take.",
                         .source = "0: buffers stand at the receivers, for each sender. BookSim's buffers stand at the "
                                   "crossbar's inputs, for all receivers together"});
    LOOKAHEAD_PARAMETER(std::int64_t, row_grants, 0, {0, 4096, "packet"},
                        {.help = "Maximum number of requests for the previous request's DRAM row that an L2 slice's "
                                 "arbiter takes out of turn; 0: round robin.",
                         .source = "Yuan et al., MICRO 2009: row-matching hold grant; the baseline has none"});
    LOOKAHEAD_ALL_DECLARED;
    Cycle further_round_trip = 0;  ///< cycles that the topology adds to the round trip; not a key
};

/// Buffer space, in flits, that a receiver keeps for each sender, and the sender's initial credits: `input_entries`
/// packets of a line, or the largest packet if it is larger; one flit per cycle for the round trip of a credit; and the
/// credits that a batch withholds. So one sender alone can keep a port busy in every cycle.
unsigned credits_per_path(const CrossbarParameters& parameters);

}  // namespace lookahead::gpu
