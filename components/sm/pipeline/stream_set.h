#pragma once

#include <vector>

#include "components/sm/context_states.h"
#include "components/sm/pipeline/register_map.h"
#include "components/sm/pipeline/scoreboard.h"
#include "components/sm/pipeline/stream.h"

namespace lookahead::gpu {

/// Instruction streams of one kind, by number: where each is, what it waits for, which of its registers and predicates
/// await a write-back, and the rows that its registers are. The warps' own are a set, numbered by the warps' places; an
/// extension has a set for each kind of stream that it adds (ExtensionStreams).
struct StreamSet {
    explicit StreamSet(unsigned count) : streams(count), scoreboard(count), map(count) {}

    unsigned size() const { return static_cast<unsigned>(streams.size()); }
    /// A launch begins whose kernel has so many scoreboard words and registers.
    void begin_launch(unsigned scoreboard_words, unsigned registers) {
        scoreboard.resize(scoreboard_words);
        map.resize(registers);
    }

    std::vector<Stream> streams;
    ContextStates states;
    Scoreboard scoreboard;
    RegisterMap map;
};

}  // namespace lookahead::gpu
