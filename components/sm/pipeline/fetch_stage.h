#pragma once

#include <cstdint>
#include <vector>

#include "components/cache/read_only_cache.h"
#include "components/sm/lsu/load_store_unit.h"
#include "components/sm/pipeline/extension_streams.h"
#include "components/sm/pipeline/pipeline_state.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// `l1i.*`: an SM's cache of instructions, in lines of kLineBytes. Defaults: GTX480.
struct InstructionCacheParameters : ReadOnlyCacheParameters {
    static constexpr std::string_view kTable = "GPGPU-Sim's GTX480 configuration";

    LOOKAHEAD_INHERITED_PARAMETER(enabled, {.help = "false: every access hits.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(sets, {1, 4096, "set"}, {.help = "Sets.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(ways, {1, 64, "line"}, {.help = "Lines of 128 bytes in a set.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(mshrs, {1, 64, "line"},
                                  {.help = "Lines that the cache can await.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(merges, {1, 128, "warp"},
                                  {.help = "Warps that can wait for the same line.", .source = kTable});
    LOOKAHEAD_PARAMETER(
        std::int64_t, prefetch_lines, 0, {0, 64, "line"},
        {.help = "Stream buffer: lines after a fetched line that are requested if they are absent, one per cycle, "
                 "while miss registers are free. 0: none.",
         .source = "Huerta et al., MICRO 2025, find stream buffers in front of recent GPUs' instruction caches"});
    LOOKAHEAD_ALL_DECLARED;
};

/// Fetch and decode: one fetch a cycle for each group of warps, round robin over the warps with an empty instruction
/// buffer. A fetch that hits the instruction cache delivers, fetch_latency cycles later, the warp's next instructions,
/// up to the size of the buffer and the end of the line. After a miss, the warp waits for its line and then for its
/// turn among the group's warps whose lines have come; these go before new fetches. Streams of extensions are fetched
/// for in cycles in which the group's warps fetch nothing, or before the warps if their priority is higher.
///
/// All warps are one group, or with sm.private_fetch the warps of each scheduler. The groups share the instruction
/// cache, which looks up a line for each of them in a cycle, so that each group has its fetch whether the others fetch
/// or not. They share its miss registers and its way to memory: groups that miss one line in the same cycle request it
/// once; if they miss different lines, the group whose last request is oldest goes first.
///
/// With l1i.prefetch_lines the SM has one stream buffer. It requests the lines after that of the last fetch, up to the
/// kernel's end, in cycles in which no fetch requests a line.
class FetchStage {
  public:
    FetchStage(PipelineState& state, LoadStoreUnit& memory, const InstructionCacheParameters& cache);

    /// Returns whether it requested a line from memory.
    bool cycle(Cycle now) {
        bool asked = fetch_for_group(first_, now);
        if (groups_.size() > 1) [[unlikely]] { asked = fetch_for_others(asked, now); }
        if (can_prefetch() && !asked) [[unlikely]] { asked = prefetch(now); }
        return asked;
    }
    /// Whether a fetch would start in the next cycle.
    bool has_work() const {
        return (returned_ | wanting()) != 0 || (!state_.extension_streams.empty() && extensions_want()) ||
               can_prefetch();
    }

    void line_came(unsigned miss) {
        returned_ |= cache_.fill(miss).readers;
        refused_ = {};
        prefetch_refused_ = false;
        for (ExtensionStreams* streams : state_.extension_streams) { streams->line_came(); }
    }

    /// A fetch of `instructions` instructions is decoded.
    void fetched(unsigned context, unsigned instructions) {
        Stream& stream = state_.warps.streams[context];
        stream.fetching = false;
        under_way_ &= ~context_bit(context);
        stream.buffered = static_cast<std::uint8_t>(instructions);
        state_.classify(context);
    }

    void begin_kernel() {
        first_ = 0;
        for (Group& group : groups_) { group.last = 0; }
        stream_ = {};
        prefetch_refused_ = false;
    }

    unsigned fetches_under_way() const { return under_way_.count(); }
    std::uint64_t misses_under_way() const { return cache_.misses_under_way(); }
    const ReadOnlyCacheCounters& cache_counters() const { return cache_.counters(); }
    ReadOnlyCacheCounters& cache_counters() { return cache_.counters(); }

    void fields(StateArchive& archive) {
        archive& under_way_& returned_& refused_& first_& cache_;
        for (Group& group : groups_) { archive& group.last; }
        archive& stream_.next& stream_.end& prefetch_refused_;
    }

  private:
    friend struct AuditSabotage;
    /// Warps that take turns.
    struct Group {
        ContextMask warps;
        std::uint32_t last = 0;
    };

    ContextMask wanting() const { return state_.warps.states.in(ContextState::fetching) & ~(under_way_ | refused_); }

    // These return whether they requested a line from memory.
    [[gnu::hot]] bool fetch_for_group(std::uint32_t number, Cycle now) {
        Group& group = groups_[number];
        bool asked = false;
        if (!state_.extension_streams.empty() && fetch_for_extensions(number, true, now, asked)) [[unlikely]] {
            return asked;
        }
        if (const ContextMask returned = returned_ & group.warps; returned != 0) {
            group.last = next_in_turn(returned, group.last);
            returned_ &= ~context_bit(group.last);
            start(group.last, now);
            return false;
        }
        if (const ContextMask wanting = this->wanting() & group.warps; wanting != 0) {
            group.last = next_in_turn(wanting, group.last);
            return fetch(group.last, now);
        }
        if (!state_.extension_streams.empty()) [[unlikely]] { fetch_for_extensions(number, false, now, asked); }
        return asked;
    }
    bool fetch_for_others(bool first_asked, Cycle now);
    bool fetch(unsigned context, Cycle now);
    bool extensions_want() const;

    /// Lines that the stream buffer has yet to request.
    struct LineStream {
        std::uint64_t next = 0, end = 0;
    };
    bool can_prefetch() const { return stream_.next != stream_.end && !prefetch_refused_; }
    bool prefetch(Cycle now);
    void follow(std::uint64_t line);
    bool fetch_for_extensions(std::uint32_t number, bool above, Cycle now, bool& asked);

    void start(unsigned context, Cycle now);
    /// The number of instructions that a fetch from `pc` delivers.
    std::uint32_t fetched_from(std::uint32_t pc) const;
    std::uint64_t address_of(std::uint32_t pc) const {
        return state_.launch.code + (std::uint64_t{pc} << state_.kernel->instruction_shift());
    }

    PipelineState& state_;
    LoadStoreUnit& memory_;
    bool cached_;
    ReadOnlyCache cache_;
    ContextMask under_way_ = 0;  ///< contexts with a fetch or a miss under way
    ContextMask returned_ = 0;   ///< those of them whose line has come
    ContextMask refused_ = 0;    ///< contexts for which the cache had no room; they try again when a line has come
    std::vector<Group> groups_;
    std::uint32_t first_ = 0;       ///< the group that is asked first
    std::uint64_t prefetch_bytes_;  ///< how far ahead the stream buffer goes
    LineStream stream_;
    bool prefetch_refused_ = false;  ///< the cache had no room; it tries again when a line has come
};

}  // namespace lookahead::gpu
