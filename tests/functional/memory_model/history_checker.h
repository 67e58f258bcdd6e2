#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lookahead::test {

/// A thread's operation on a word, or a fence, as the program's output shows it. Every written value is unique and not
/// 0, the words' initial value, so each read identifies its write.
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

/// Checks a history against axioms of the PTX memory model, independently of the machine. Returns an empty text, or the
/// broken axiom with its place:
///
/// - Values: every value read was written to that word, or is 0.
/// - Coherence: the writes of each word have a total order such that in each thread's program order
///   CoWW: a write follows the thread's earlier writes; CoRW: and the writes that it has read;
///   CoWR: a read sees the thread's last write or a later one; CoRR: and no write older than those seen before;
///   and the word ends with the order's last write.
/// - Atomicity: an exchange's write immediately follows the write that it has read.
/// - Causality: if a thread writes after a fence, and another thread reads this write before its own fence, everything
///   before the first fence is ordered before everything after the second, through any number of threads.
std::string check_history(const History& history);

}  // namespace lookahead::test
