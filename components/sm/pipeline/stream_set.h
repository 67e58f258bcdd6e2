#pragma once

#include <vector>

#include "components/sm/context_states.h"
#include "components/sm/pipeline/register_map.h"
#include "components/sm/pipeline/scoreboard.h"
#include "components/sm/pipeline/stream.h"

namespace lookahead::gpu {

/// Instruction streams of one kind, by number: position, wait state, registers and predicates that await a write-back,
/// and the rows of registers. The warps' own streams are a set, numbered by the warps' slots; an extension has a set
/// for each kind of stream that it adds (ExtensionStreams).
struct StreamSet {
    explicit StreamSet(unsigned count) : streams(count), scoreboard(count), map(count) {}

    unsigned size() const { return static_cast<unsigned>(streams.size()); }
    /// Begins a launch of a kernel with so many scoreboard words and registers.
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
