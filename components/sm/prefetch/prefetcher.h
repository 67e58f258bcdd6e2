#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "components/cache/l1_events.h"
#include "components/isa/kernel.h"
#include "components/isa/load_trace.h"
#include "components/sm/lsu/launch_on_sm.h"
#include "components/sm/warp_scheduler/warp_hint.h"
#include "core/component/slot.h"
#include "core/time/time.h"

namespace lookahead {
class StateArchive;
class StatisticsVisitor;
}  // namespace lookahead

namespace lookahead::gpu {

/// Loads that prefetchers see: weak ones from global memory.
inline bool is_prefetchable(const isa::Instruction& instruction) {
    return isa::is_load(instruction.operation) && instruction.order == isa::Order::weak &&
           (instruction.space == isa::Space::global || instruction.space == isa::Space::generic);
}

/// A warp's weak load from global memory, in the cycle in which it makes its first access to L1. Each element of a
/// vector load whose elements have addresses of their own is a load.
struct ObservedLoad {
    std::uint32_t pc;       ///< index in the kernel's code
    std::uint16_t context;  ///< stream context: the warp's number on the SM
    std::uint16_t cta_slot;
    std::uint16_t warp_in_cta;
    std::span<const std::uint64_t>
        lines;  ///< addresses of its accesses, coalesced, in the order in which they are made
};

/// What became of a prefetch that had gone to memory. Each has exactly one fate.
enum class PrefetchFate : std::uint8_t {
    useful,         ///< a demand load found the line
    late,           ///< a demand load came while the line was under way
    early_evicted,  ///< another line took its place before it was used
    unused,         ///< the kernel ended, or a store, a fence or a generation took it, before it was used
};

/// No warp in particular.
inline constexpr std::uint16_t kNoContext = 0xffff;

struct PrefetchRequest {
    std::uint64_t line = 0;
    std::uint32_t pc = 0;                ///< of the load for which it is
    std::uint16_t context = kNoContext;  ///< the warp for whose load it is
};

/// What the SM offers to its prefetcher.
class PrefetchPort {
  public:
    virtual ~PrefetchPort() = default;
    /// Queues a prefetch of the line. Duplicates (present, under way or queued), lines without an allocation and
    /// requests that find the queue full are dropped and counted. True if it was queued; a demand load that misses on
    /// the line first takes it from the queue again.
    virtual bool prefetch(const PrefetchRequest& request) = 0;
    /// To the warp's scheduler.
    virtual void hint(WarpHint hint, std::uint16_t context) = 0;
};

/// Slot "sm.prefetcher": decides which lines are fetched into L1 before a load asks for them. The SM's prefetch unit
/// (prefetch_unit.h) queues, filters and sends the requests and keeps the accounts; the variant only chooses.
///
/// Contract:
/// - hooks are called in simulated order; `now` does not fall. No hook is called in a cycle in which nothing happens.
/// - `on_load` comes once for a load, before its accesses; `on_access` for each demand access, after its outcome (hit,
///   merge or miss) is settled, but in the middle of L1's work: it may call the port, and changes nothing else.
/// - the variant's choice depends on its own state and what the hooks told it, on nothing else.
/// - CTAs start after `begin_launch` and end before `end_launch`; a slot's CTA ends before the next one starts in it.
/// - all state is in `fields`. `begin_launch` is called before it is loaded when a checkpoint was taken in a
///   launch.
class Prefetcher {
  public:
    virtual ~Prefetcher() = default;

    /// Requests are sent only while the load/store unit has no instruction; else whenever L1 has no demand access.
    virtual bool only_when_idle() const { return false; }

    virtual void begin_launch(const LaunchOnSm&) {}
    virtual void end_launch() {}
    virtual void cta_started(unsigned /*slot*/, std::uint64_t /*cta*/) {}
    virtual void cta_ended(unsigned) {}
    virtual void on_load(const ObservedLoad&, Cycle) {}
    virtual void on_access(const L1Event&, Cycle) {}
    /// The line of a prefetch came; `context` is that of the request.
    virtual void on_fill(std::uint16_t, Cycle) {}
    virtual void on_fate(PrefetchFate, Cycle) {}

    virtual void fields(StateArchive& archive) = 0;
    /// Its own, beside those of the prefetch unit; `component` is the SM's name.
    virtual void visit_statistics(StatisticsVisitor&, std::string_view) const {}
};

/// What a prefetcher is built from. All references outlive it.
struct PrefetcherArguments {
    const Configuration& configuration;
    PrefetchPort& port;
    unsigned contexts = 0;                   ///< stream contexts of the SM
    const isa::KnownLoads* loads = nullptr;  ///< what the run will load; null: nobody can know
};

}  // namespace lookahead::gpu

template <>
struct lookahead::SlotTraits<lookahead::gpu::Prefetcher> {
    static constexpr std::string_view name = "sm.prefetcher";
    static constexpr std::string_view default_variant = "none";
    static constexpr std::string_view description = "Chooses lines to fetch into L1 before loads ask for them.";
    using Arguments = std::tuple<const lookahead::gpu::PrefetcherArguments&>;
};
