#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "components/isa/lane_mask.h"
#include "components/isa/operand.h"
#include "core/state/state_archive.h"

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

    template <class F>
    void for_each(F&& f) const {
        for (unsigned place = head_; place < tail_; ++place) { f(entries_[place]); }
    }
    void fields(StateArchive& archive) { archive& head_& tail_& entries_; }

  private:
    std::uint32_t head_ = 0;
    std::uint32_t tail_ = 0;
    std::vector<PQueueEntry> entries_;
};

}  // namespace lookahead::gpu
