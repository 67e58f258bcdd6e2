#include "components/sm/pipeline/fetch_stage.h"

#include <algorithm>
#include <bit>
#include <string>

namespace lookahead::gpu {

void FetchStage::fetch(unsigned context, Cycle now) {
    StreamContext& stream = state_.contexts[context];
    const std::uint32_t pc = stream.stack.pc();
    const std::uint32_t size = state_.kernel->size();
    LOOKAHEAD_ASSERT(pc < size, "kernel " + state_.kernel->kernel().name + " runs past its end");
    const auto instructions = std::min(static_cast<std::uint32_t>(state_.parameters.instruction_buffer), size - pc);
    stream.fetching = true;
    under_way_ |= context_bit(context);
    last_ = context;
    ++state_.counters.fetches;
    const PipelineEvent event{PipelineEvent::Kind::fetched, static_cast<std::uint16_t>(context), instructions};
    state_.wheel.schedule(now, now + latency_of(pc), event.packed());
}

Cycle FetchStage::latency_of(std::uint32_t) const {
    return state_.parameters.fetch_latency;
}

void FetchStage::restore(unsigned last) {
    last_ = last;
    under_way_ = 0;
    for (unsigned context = 0; context < state_.contexts.size(); ++context) {
        if (state_.contexts[context].fetching) {
            under_way_ |= context_bit(context);
        }
    }
}

}  // namespace lookahead::gpu
