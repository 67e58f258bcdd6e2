#pragma once

#include "partitioning/placement/cluster.h"

namespace lookahead::test {

/// A cluster in which all costs are 0 except those that a test sets.
inline Cluster free_cluster(int ranks, int nodes, int threads) {
    return {.ranks = ranks,
            .nodes = nodes,
            .threads = threads,
            .latency_us = 0,
            .local_latency_us = 0,
            .packet_us = 0,
            .message_ns = 0,
            .message_bytes = 0,
            .process_ns = 0,
            .share_us = 0,
            .half_work = 1};
}

}  // namespace lookahead::test
