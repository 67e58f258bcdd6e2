#include "components/sm/pipeline/fetch_stage.h"

#include <algorithm>
#include <bit>
#include <string>

namespace lookahead::gpu {

/// Returns true if it asked memory for a line.
bool FetchStage::fetch(unsigned context, Cycle now) {
    last_ = context;
    if (!cached_) {
        start(context, now);
        return false;
    }
    const std::uint64_t line = address_of(state_.contexts[context].stack.pc()) & ~std::uint64_t{kLineBytes - 1};
    switch (cache_.access(line, context, memory_.can_request_line())) {
        case ReadOnlyCache::Answer::hit:
            start(context, now);
            return false;
        case ReadOnlyCache::Answer::refused:
            refused_ |= context_bit(context);
            return false;
        case ReadOnlyCache::Answer::merged:
            under_way_ |= context_bit(context);
            state_.contexts[context].fetching = true;
            return false;
        case ReadOnlyCache::Answer::missed:
            under_way_ |= context_bit(context);
            state_.contexts[context].fetching = true;
            memory_.request_line(line, kAllSectors, cache_.last_miss());
            return true;
    }
    return false;
}

std::uint32_t FetchStage::fetched_from(std::uint32_t pc) const {
    const std::uint32_t size = state_.kernel->size();
    LOOKAHEAD_ASSERT(pc < size, "kernel " + state_.kernel->kernel().name + " runs past its end");
    const auto instructions = std::min(static_cast<std::uint32_t>(state_.parameters.instruction_buffer), size - pc);
    if (!cached_) {
        return instructions;
    }
    const auto in_line = static_cast<std::uint32_t>(kLineBytes - address_of(pc) % kLineBytes);
    return std::min(instructions, in_line / isa::kInstructionBytes);
}

/// Returns true if it asked memory for a line.
bool FetchStage::fetch_for_extension(Cycle now) {
    const ContextMask wanting = extension_wanting();
    if (wanting == 0) {
        return false;
    }
    const unsigned context = next_in_turn(wanting, last_);
    const std::uint32_t pc = state_.extension->fetch_pc(context);
    const std::uint64_t line = address_of(pc) & ~std::uint64_t{kLineBytes - 1};
    const auto answer = cached_ ? cache_.ask(line, memory_.can_request_line()) : ReadOnlyCache::Answer::hit;
    last_ = context;
    if (answer == ReadOnlyCache::Answer::hit) {
        ++state_.counters.fetches;
        state_.extension->fetch_begun(context, fetched_from(pc), now);
        return false;
    }
    extension_refused_ |= context_bit(context);
    if (answer == ReadOnlyCache::Answer::missed) {
        memory_.request_line(line, kAllSectors, cache_.last_miss());
        return true;
    }
    return false;
}

/// The instructions are there; they are decoded fetch_latency cycles later.
void FetchStage::start(unsigned context, Cycle now) {
    StreamContext& stream = state_.contexts[context];
    const std::uint32_t instructions = fetched_from(stream.stack.pc());
    stream.fetching = true;
    under_way_ |= context_bit(context);
    last_ = context;
    ++state_.counters.fetches;
    const PipelineEvent event{PipelineEvent::Kind::fetched, static_cast<std::uint16_t>(context), instructions};
    state_.wheel.schedule(now, now + state_.parameters.fetch_latency, event.packed());
}

}  // namespace lookahead::gpu
