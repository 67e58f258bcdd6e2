#pragma once

#include "components/sm/pipeline/pipeline_state.h"

namespace lookahead::gpu {

/// Fetch and decode: one fetch a cycle, round robin over the warps whose instruction buffer is empty. A fetch brings
/// the next instructions of the warp, as many as the buffer takes, fetch_latency cycles later; a first-level
/// instruction cache would stand in `latency_of`.
class FetchStage {
  public:
    explicit FetchStage(PipelineState& state) : state_(state) {}

    void cycle(Cycle now) {
        const ContextMask wanting = this->wanting();
        if (wanting != 0) {
            fetch(next_of(wanting), now);
        }
    }
    /// True if a fetch would start in the next cycle.
    bool has_work() const { return wanting() != 0; }

    /// A fetch of `instructions` instructions is decoded.
    void fetched(unsigned context, unsigned instructions) {
        StreamContext& stream = state_.contexts[context];
        stream.fetching = false;
        under_way_ &= ~context_bit(context);
        stream.buffered = static_cast<std::uint8_t>(instructions);
        state_.classify(context);
    }

    /// Forgets where the round robin stands.
    void begin_kernel() { last_ = 0; }

    unsigned last() const { return last_; }
    /// After the contexts have been loaded.
    void restore(unsigned last);

  private:
    ContextMask wanting() const { return state_.states.in(ContextState::fetching) & ~under_way_; }

    unsigned next_of(ContextMask wanting) const {
        const ContextMask after = wanting & ~((context_bit(last_) << 1) - 1);
        return static_cast<unsigned>(std::countr_zero(after != 0 ? after : wanting));
    }

    void fetch(unsigned context, Cycle now);
    Cycle latency_of(std::uint32_t pc) const;

    PipelineState& state_;
    ContextMask under_way_ = 0;
    unsigned last_ = 0;
};

}  // namespace lookahead::gpu
