#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "components/isa/lane_mask.h"
#include "components/isa/operand.h"
#include "components/isa/simt_state.h"
#include "components/sm/pipeline/decoded_kernel.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// A pre-executed instruction whose result can be reused. The paper's entry has one physical destination; here pairs
/// and vectors have several, and predicates are kept by value.
struct PQueueEntry {
    std::uint32_t pc = 0;
    std::uint32_t epoch = 0;  ///< control transfers between the blocked instruction and this one
    isa::LaneMask active = 0;
    bool ready = false;
    std::uint8_t words = 0;
    std::array<std::uint16_t, isa::kMostOperandRows> rows{};
    isa::LaneMask predicate = 0;
    isa::LaneMask predicate2 = 0;

    void fields(StateArchive& archive) { archive& pc& epoch& active& ready& words& rows& predicate& predicate2; }
};

/// The P-queue of a warp: written at the tail, taken from the head; a place is not reused until the queue is cleared.
class PQueue {
  public:
    void resize(unsigned capacity) { entries_.assign(capacity, {}); }
    bool empty() const { return head_ == tail_; }
    bool full() const { return tail_ == entries_.size(); }
    /// Appends the entry and returns its place.
    unsigned push(const PQueueEntry& entry) {
        entries_[tail_] = entry;
        return tail_++;
    }
    const PQueueEntry& head() const { return entries_[head_]; }
    PQueueEntry& operator[](unsigned place) { return entries_[place]; }
    void pop() { ++head_; }
    void clear() { head_ = tail_ = 0; }
    unsigned size() const { return tail_ - head_; }

    void for_each(auto&& f) const {
        for (unsigned place = head_; place < tail_; ++place) { f(entries_[place]); }
    }
    void fields(StateArchive& archive) { archive& head_& tail_& entries_; }

  private:
    std::uint32_t head_ = 0;
    std::uint32_t tail_ = 0;
    std::vector<PQueueEntry> entries_;
};

/// The state of a warp's pre-execution, for its two streams.
struct PreExecution {
    static constexpr unsigned kTracked = 256;  ///< instructions of a switch whose fate is counted

    bool scratchpad_stale = false;  ///< a skipped instruction may have written data that scratchpad loads read
    std::uint32_t blocked_pc = 0;   ///< the instruction at which the warp is, or was, blocked
    std::uint32_t epoch = 0;        ///< control transfers since the blocked instruction
    std::uint32_t episode = 0;      ///< number of the switch; changes with each switch, and when the warp ends
    Cycle entered = 0;
    std::vector<std::uint64_t> redefined;  ///< scoreboard bits that the stream has written, by executing or skipping
    // For the warp's own stream:
    PQueue queue;
    std::uint32_t own_epoch = 0;                ///< like `epoch`, counting the instructions issued since the return
    std::uint16_t renamed = 0;                  ///< registers of the warp that are in the pool
    bool exited = false;                        ///< all lanes have exited, but the registers are not released yet
    std::uint32_t processed = 0;                ///< instructions that the switch executed or skipped
    std::uint32_t own_processed = 0;            ///< how many of these the warp itself has passed since
    std::uint64_t skipped[kTracked / 64] = {};  ///< the skipped ones among them

    /// Whether the instruction at `pc` is more than `reach` bytes from the blocked one.
    bool is_far(std::uint32_t pc, std::int64_t reach) const {
        return std::abs(std::int64_t{pc} - std::int64_t{blocked_pc}) * isa::kInstructionBytes > reach;
    }
    /// Call it when the switch has executed or skipped an instruction.
    void note_processed(bool is_skipped) {
        if (is_skipped && processed < kTracked) { skipped[processed / 64] |= std::uint64_t{1} << processed % 64; }
        ++processed;
    }

    void fields(StateArchive& archive) {
        archive& scratchpad_stale& blocked_pc& epoch& episode& entered& redefined& queue& own_epoch& renamed& exited&
            processed& own_processed& skipped;
    }
};

/// Whether the instruction writes only some live lanes: it has a guard, or fewer lanes run than live.
bool is_partial(const isa::SimtState& stack, const DecodedInstruction& decoded);

}  // namespace lookahead::gpu
