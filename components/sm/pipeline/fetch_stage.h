#pragma once

#include <cstdint>
#include <vector>

#include "components/cache/read_only_cache.h"
#include "components/sm/lsu/load_store_unit.h"
#include "components/sm/pipeline/extension_streams.h"
#include "components/sm/pipeline/instruction_cache_parameters.h"
#include "components/sm/pipeline/pipeline_state.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Fetch and decode: one fetch a cycle for each group of warps, round robin over those whose instruction buffer is
/// empty. A fetch that hits the instruction cache brings the next instructions of the warp, as many as the buffer takes
/// and the line holds, fetch_latency cycles later. After a miss it does so from the cycle on in which it is the warp's
/// turn among those of its group whose line has come; they go before new fetches. Streams of extensions are fetched for
/// in cycles in which no own stream of their group's warps is, or before those where their priority is above the
/// warps'.
///
/// All warps are one group, or with sm.private_fetch those of each scheduler. Groups share the instruction cache, which
/// looks up a line for each of them in a cycle: a machine whose table gives each group a fetch a cycle gives it whether
/// the others fetch or not. Miss registers and the way to memory are the cache's: groups that miss one line in the same
/// cycle ask for it once, and of groups that miss different ones that goes first which asked for a line longer ago.
///
/// With l1i.prefetch_lines the SM has one stream buffer, which follows the line of the last fetch: the lines behind it,
/// up to the kernel's end, are asked for in cycles in which no fetch asks for one.
class FetchStage {
  public:
    FetchStage(PipelineState& state, LoadStoreUnit& memory, const InstructionCacheParameters& cache);

    /// Returns true if it asked memory for a line.
    bool cycle(Cycle now) {
        bool asked = fetch_for_group(first_, now);
        if (groups_.size() > 1) [[unlikely]] { asked = fetch_for_others(asked, now); }
        if (can_prefetch() && !asked) [[unlikely]] { asked = prefetch(now); }
        return asked;
    }
    /// True if a fetch would start in the next cycle.
    bool has_work() const {
        return (returned_ | wanting()) != 0 || (!state_.extension_streams.empty() && extensions_want()) ||
               can_prefetch();
    }

    /// The line of one of the cache's misses has come.
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

    /// Forgets where the round robins stand.
    void begin_kernel() {
        first_ = 0;
        for (Group& group : groups_) { group.last = 0; }
        stream_ = {};
        prefetch_refused_ = false;
    }

    /// Warps with a fetch or a miss under way.
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

    // These return true if they asked memory for a line.
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

    /// Lines that the stream buffer is still to ask for.
    struct LineStream {
        std::uint64_t next = 0, end = 0;
    };
    bool can_prefetch() const { return stream_.next != stream_.end && !prefetch_refused_; }
    bool prefetch(Cycle now);
    void follow(std::uint64_t line);
    bool fetch_for_extensions(std::uint32_t number, bool above, Cycle now, bool& asked);

    void start(unsigned context, Cycle now);
    /// How many instructions a fetch from `pc` on brings.
    std::uint32_t fetched_from(std::uint32_t pc) const;
    std::uint64_t address_of(std::uint32_t pc) const {
        return state_.launch.code + std::uint64_t{pc} * isa::kInstructionBytes;
    }

    PipelineState& state_;
    LoadStoreUnit& memory_;
    bool cached_;
    ReadOnlyCache cache_;
    ContextMask under_way_ = 0;  ///< contexts with a fetch or a miss under way
    ContextMask returned_ = 0;   ///< of these, those whose line has come
    ContextMask refused_ = 0;    ///< contexts for which the cache had no room; they try again when a line has come
    std::vector<Group> groups_;
    std::uint32_t first_ = 0;       ///< the group that is asked first
    std::uint64_t prefetch_bytes_;  ///< how far ahead the stream buffer goes
    LineStream stream_;
    bool prefetch_refused_ = false;  ///< the cache had no room; it tries again when a line has come
};

}  // namespace lookahead::gpu
