#include "components/sm/pipeline/fetch_stage.h"

#include <algorithm>
#include <utility>

#include "components/sm/pipeline/issue_stage.h"
#include "core/param/parameter_registry.h"

namespace lookahead::gpu {

FetchStage::FetchStage(PipelineState& state, LoadStoreUnit& memory, const InstructionCacheParameters& cache)
    : state_(state),
      memory_(memory),
      cached_(cache.enabled),
      cache_(cache),
      prefetch_bytes_(static_cast<std::uint64_t>(cache.prefetch_lines) * kLineBytes) {
    const unsigned groups = state.parameters.private_fetch ? static_cast<unsigned>(state.parameters.schedulers) : 1;
    for (unsigned group = 0; group < groups; ++group) {
        groups_.push_back({warps_of_scheduler(group, groups, static_cast<unsigned>(state.parameters.max_warps))});
    }
}

/// Fetches for the groups after the first. `first_asked`: the first has requested a line from memory.
bool FetchStage::fetch_for_others(bool first_asked, Cycle now) {
    const auto count = static_cast<std::uint32_t>(groups_.size());
    const auto after = [count](std::uint32_t group) { return group + 1 == count ? 0 : group + 1; };
    bool asked = first_asked;
    std::uint32_t next_first = first_asked ? after(first_) : first_;
    for (std::uint32_t group = after(first_); group != first_; group = after(group)) {
        if (fetch_for_group(group, now)) {
            asked = true;
            next_first = after(group);
        }
    }
    first_ = next_first;
    return asked;
}

[[gnu::hot]] bool FetchStage::fetch(unsigned context, Cycle now) {
    if (!cached_) {
        start(context, now);
        return false;
    }
    const std::uint64_t line = line_of(address_of(state_.warps.streams[context].stack.pc()));
    if (prefetch_bytes_ != 0) { follow(line); }
    const ReadOnlyCache::Answer answer = cache_.access(line, context, memory_.can_request_line());
    if (answer == ReadOnlyCache::Answer::hit) {
        start(context, now);
    } else if (answer == ReadOnlyCache::Answer::refused) {
        refused_ |= context_bit(context);
    } else {
        under_way_ |= context_bit(context);
        state_.warps.streams[context].fetching = true;
    }
    if (answer != ReadOnlyCache::Answer::missed) { return false; }
    memory_.request_line(line, kAllSectors, cache_.last_miss(), now);
    return true;
}

/// Starts the stream after the line of a fetch, unless the fetch is of one of the stream's lines.
void FetchStage::follow(std::uint64_t line) {
    const std::uint64_t end_of_code =
        (address_of(state_.kernel->size()) + kLineBytes - 1) & ~std::uint64_t{kLineBytes - 1};
    const std::uint64_t first = line + kLineBytes;
    const std::uint64_t end = std::min(first + prefetch_bytes_, end_of_code);
    const bool goes_on = first <= stream_.next && stream_.next <= end;
    stream_ = {goes_on ? stream_.next : std::min(first, end), end};
}

/// Requests the stream's next missing line. Returns whether it asked memory.
bool FetchStage::prefetch(Cycle now) {
    const auto answer = cache_.prefetch(stream_.next, memory_.can_request_line());
    if (answer == ReadOnlyCache::Answer::refused) {
        prefetch_refused_ = !cache_.can_miss();
        return false;
    }
    const std::uint64_t line = std::exchange(stream_.next, stream_.next + kLineBytes);
    if (answer != ReadOnlyCache::Answer::missed) { return false; }
    memory_.request_line(line, kAllSectors, cache_.last_miss(), now);
    return true;
}

[[gnu::hot]] std::uint32_t FetchStage::fetched_from(std::uint32_t pc) const {
    const std::uint32_t size = state_.kernel->size();
    LOOKAHEAD_ASSERT(pc < size, "kernel {} runs past its end", state_.kernel->kernel().name);
    const auto instructions = std::min(static_cast<std::uint32_t>(state_.parameters.instruction_buffer), size - pc);
    if (!cached_) { return instructions; }
    const auto in_line = static_cast<std::uint32_t>(kLineBytes - address_of(pc) % kLineBytes);
    return std::min(instructions, in_line >> state_.kernel->instruction_shift());
}

bool FetchStage::extensions_want() const {
    return std::any_of(state_.extension_streams.begin(), state_.extension_streams.end(),
                       [](const ExtensionStreams* streams) { return streams->wants_fetch() != 0; });
}

/// Fetches for one stream of the group's sets that are above the warps' (`above`), or of the others. Returns false if
/// none wants a fetch. `asked`: a line was requested from memory.
bool FetchStage::fetch_for_extensions(std::uint32_t number, bool above, Cycle now, bool& asked) {
    for (ExtensionStreams* streams : state_.extension_streams) {
        ContextMask wanting = streams->wants_fetch();
        wanting &= groups_.size() > 1 ? streams->of_scheduler(number) : ~ContextMask{};
        const bool goes_first = streams->priority() == IssuePriority::above;
        if (wanting == 0 || goes_first != above) { continue; }
        Group& group = groups_[number];
        const unsigned stream = next_in_turn(wanting, group.last);
        const std::uint32_t pc = (*streams)[stream].stack.pc();
        const std::uint64_t line = line_of(address_of(pc));
        const auto answer = cached_ ? cache_.ask(line, memory_.can_request_line()) : ReadOnlyCache::Answer::hit;
        group.last = stream;
        if (answer == ReadOnlyCache::Answer::hit) {
            ++state_.counters.fetches;
            streams->fetch_begun(stream, fetched_from(pc), now);
            return true;
        }
        streams->fetch_refused(stream);
        asked = answer == ReadOnlyCache::Answer::missed;
        if (asked) { memory_.request_line(line, kAllSectors, cache_.last_miss(), now); }
        return true;
    }
    return false;
}

/// The instructions are present; they will be decoded fetch_latency cycles later.
[[gnu::hot]] void FetchStage::start(unsigned context, Cycle now) {
    Stream& stream = state_.warps.streams[context];
    const std::uint32_t instructions = fetched_from(stream.stack.pc());
    stream.fetching = true;
    under_way_ |= context_bit(context);
    ++state_.counters.fetches;
    const PipelineEvent event{PipelineEvent::Kind::fetched, static_cast<std::uint16_t>(context), instructions};
    state_.wheel.schedule(now, now + state_.parameters.fetch_latency, event.packed());
}

LOOKAHEAD_REGISTER_PARAMETERS(InstructionCacheParameters, "l1i", "Instruction cache of an SM.")

}  // namespace lookahead::gpu
