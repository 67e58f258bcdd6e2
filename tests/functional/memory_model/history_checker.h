#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lookahead::test {

/// One operation of a thread on a word, or a fence, as the program's own output shows it. Every written value is unique
/// and not 0, the words' initial value, so each read names its write.
struct Operation {
    enum class Kind : std::uint8_t { read, write, exchange, fence };

    Kind kind = Kind::fence;
    std::uint32_t location = 0;
    std::uint32_t read = 0;     ///< value, of reads and exchanges
    std::uint32_t written = 0;  ///< value, of writes and exchanges
};

/// Each thread's operations, in program order, and the final values of the words.
struct History {
    std::vector<std::vector<Operation>> threads;
    std::vector<std::uint32_t> final_values;  ///< by location
};

/// Checks a history against axioms of the PTX memory model, knowing nothing of the machine. Empty, or the axiom that is
/// broken with its place:
///
/// - Values: what is read was written to that word, or is 0.
/// - Coherence: there is one total order of the writes of each word such that in each thread's program order
///   CoWW: a write comes after the thread's earlier writes; CoRW: and after the writes that it has read;
///   CoWR: a read sees the thread's last write or a later one; CoRR: and no write older than those seen before;
///   and the word ends with the order's last write.
/// - Atomicity: an exchange's write comes right after the write that it has read.
/// - Causality: what precedes a fence of one thread, one of whose later writes another thread has read before a fence
///   of its own, is ordered before what follows that fence, through any number of threads.
std::string check_history(const History& history);

}  // namespace lookahead::test
