#include "components/interconnect/crossbar/crossbar_parameters.h"

#include <algorithm>

#include "components/interconnect/crossbar/packet_size.h"

namespace lookahead::gpu {

unsigned credits_per_path(const CrossbarParameters& parameters) {
    const FlitCounter flits(parameters.flit_bytes);
    const std::int64_t entries = parameters.input_entries * flits(kPacketHeaderBytes + kLineBytes);
    // The largest packet must fit beside the most credits that a batch holds back.
    const std::int64_t largest = flits(kLargestPacketBytes);
    const std::int64_t round_trip =
        parameters.request_latency + parameters.reply_latency + parameters.further_round_trip;
    return static_cast<unsigned>(std::max(entries, largest) + round_trip + parameters.credit_batch);
}

}  // namespace lookahead::gpu
