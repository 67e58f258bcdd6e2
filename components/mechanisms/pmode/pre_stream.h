#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/isa/simt_state.h"
#include "components/mechanisms/pmode/p_queue.h"
#include "components/sm/pipeline/decoded_kernel.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// What a warp's pre-execution waits for.
enum class PreState : std::uint8_t {
    none,  ///< the warp is in normal mode
    switching,
    fetching,
    branching,
    waiting,   ///< for a short-latency source, or a line of constants
    skipping,  ///< its next instruction is to be skipped
    halted,    ///< until the warp returns
    // Ready, by the unit that it needs, in the order of ExecutionUnit.
    ready_sp,
    ready_sfu,
    ready_dp,
    ready_integer,
    ready_memory,
    ready_control,
    count,
};

/// The pre-execution stream of a warp, and what it has left for the warp's own stream. Its registers' map, scoreboard
/// and poison are Pmode's, under the same number.
struct PreStream {
    static constexpr unsigned kTracked = 256;  ///< instructions of a switch whose fate is remembered, for statistics

    PreState state = PreState::none;
    isa::SimtState stack;
    isa::LaneMask predicates[kPredicateSlots] = {};
    std::uint8_t buffered = 0;      ///< instructions in the warp's buffer
    bool scratchpad_stale = false;  ///< a skipped instruction may have written what scratchpad loads read
    std::uint32_t blocked_pc = 0;   ///< of the instruction at which the warp is, or was, blocked
    std::uint32_t epoch = 0;        ///< control transfers since the blocked instruction
    std::uint32_t episode = 0;      ///< number of the switch; changes with each, and when the warp ends
    Cycle entered = 0;
    // Of the warp's own stream:
    PQueue queue;
    std::uint32_t own_epoch = 0;                ///< as `epoch`, of the instructions that have issued since the return
    std::uint16_t renamed = 0;                  ///< registers that are in the pool
    bool exited = false;                        ///< its lanes have exited, its registers are not given back yet
    std::uint32_t processed = 0;                ///< instructions that the switch executed or skipped
    std::uint32_t own_processed = 0;            ///< of these, how many the warp has come past since
    std::uint64_t skipped[kTracked / 64] = {};  ///< which of them were skipped

    void fields(StateArchive& archive) {
        archive& state& stack& predicates& buffered& scratchpad_stale& blocked_pc& epoch& episode& entered& queue&
            own_epoch& renamed& exited& processed& own_processed& skipped;
    }
};

/// The instruction leaves some lanes of what it writes as they were: by a guard, or since fewer lanes run than live.
inline bool is_partial(const isa::SimtState& stack, const DecodedInstruction& decoded) {
    return decoded.guarded || stack.active() != stack.alive();
}

/// Bit sets by context, as wide as the kernel's scoreboard.
class ContextBits {
  public:
    void resize(unsigned contexts, unsigned words) {
        words_ = words;
        bits_.assign(std::size_t{contexts} * words, 0);
    }
    std::uint64_t* of(unsigned context) { return bits_.data() + std::size_t{context} * words_; }
    const std::uint64_t* of(unsigned context) const { return bits_.data() + std::size_t{context} * words_; }
    bool holds(unsigned context, unsigned bit) const { return (of(context)[bit / 64] >> bit % 64 & 1) != 0; }
    bool overlaps(unsigned context, const std::uint64_t* set) const {
        const std::uint64_t* own = of(context);
        for (unsigned word = 0; word < words_; ++word) {
            if ((own[word] & set[word]) != 0) {
                return true;
            }
        }
        return false;
    }
    void add(unsigned context, const std::uint64_t* set) {
        for (unsigned word = 0; word < words_; ++word) {
            of(context)[word] |= set[word];
        }
    }
    void remove(unsigned context, const std::uint64_t* set) {
        for (unsigned word = 0; word < words_; ++word) {
            of(context)[word] &= ~set[word];
        }
    }
    void clear(unsigned context) { std::fill_n(of(context), words_, 0); }
    std::vector<std::uint64_t>& words() { return bits_; }
    const std::vector<std::uint64_t>& words() const { return bits_; }

  private:
    unsigned words_ = 1;
    std::vector<std::uint64_t> bits_;
};

}  // namespace lookahead::gpu
