#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/sync/rank_messages.h"
#include "core/sync/routes.h"
#include "core/sync/source_lookahead.h"

namespace lookahead::test {

/// The messages of rank 0, for tests of the engine's parts without the engine. Two threads advance LPs.
struct RankBench {
    Model model;
    std::vector<int> ranks;  ///< by LP
    EngineStatistics statistics;
    int size = 1 + *std::ranges::max_element(ranks);
    SourceLookahead lookahead{model, ranks, 0, size};
    Routes routes{0, size, false};
    RankMessages messages{model, ranks, 0, lookahead, routes, 2, statistics};

    static MessageHeader header(LpId to, Time time, std::uint32_t channel = 0, std::uint16_t in_port = 0) {
        return {.time = time,
                .channel = channel,
                .sequence = 0,
                .destination = to,
                .in_port = in_port,
                .type = 0,
                .payload_words = 0};
    }
    /// Writes a message as an LP advanced by this thread.
    void write(std::size_t thread, const MessageHeader& message) { messages.router(thread).append(message); }

    RankBench(Model the_model, std::vector<int> rank_of_lp)
        : model(std::move(the_model)), ranks(std::move(rank_of_lp)) {}
};

}  // namespace lookahead::test
