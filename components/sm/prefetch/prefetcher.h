#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>

#include "components/cache/l1_events.h"
#include "components/isa/instruction_form.h"
#include "components/isa/load_trace.h"
#include "components/sm/lsu/launch_on_sm.h"
#include "components/sm/warp_scheduler/warp_hint.h"
#include "core/component/slot.h"
#include "core/time/time.h"

namespace lookahead {
class StateArchive;
}  // namespace lookahead

namespace lookahead::gpu {

/// Whether prefetchers see the load: weak loads from global memory.
inline bool is_prefetchable(const isa::InstructionForm& instruction) {
    return isa::is_load(instruction.operation) && instruction.order == isa::Order::weak &&
           (instruction.space == isa::Space::global || instruction.space == isa::Space::generic);
}

/// A warp's weak load from global memory, in the cycle of its first access to L1. If the elements of a vector load have
/// addresses of their own, each element is a load.
struct ObservedLoad {
    std::uint32_t pc;       ///< index in the kernel's code
    std::uint16_t context;  ///< stream context: the warp's number on the SM
    std::uint16_t cta_slot;
    std::uint16_t warp_in_cta;
    std::span<const std::uint64_t> lines;  ///< coalesced addresses of its accesses, in their order
};

/// The fate of a prefetch sent to memory; each has exactly one.
enum class PrefetchFate : std::uint8_t {
    useful,         ///< a demand load found the line
    late,           ///< a demand load came while the line was under way
    early_evicted,  ///< another line took its place before it was used
    unused,         ///< it was not used before the kernel ended, or before a store, a fence or a generation removed it
};

/// No warp in particular.
inline constexpr std::uint16_t kNoContext = 0xffff;

struct PrefetchRequest {
    std::uint64_t line = 0;
    std::uint32_t pc = 0;                ///< the load for which it is made
    std::uint16_t context = kNoContext;  ///< the warp of that load
};

/// The SM's services to its prefetcher.
class PrefetchPort {
  public:
    virtual ~PrefetchPort() = default;
    /// Queues a prefetch of the line and returns true. Drops and counts duplicates (present, under way or queued),
    /// unallocated lines, and requests that find the queue full. A demand load that misses on the line first removes
    /// the request from the queue.
    virtual bool prefetch(const PrefetchRequest& request) = 0;
    /// Passes a hint to the scheduler of the context's warp.
    virtual void hint(WarpHint hint, std::uint16_t context) = 0;
};

/// Arguments for a prefetcher's construction. All references outlive it.
struct PrefetcherArguments {
    const Configuration& configuration;
    PrefetchPort& port;
    unsigned contexts = 0;                   ///< stream contexts of the SM
    const isa::KnownLoads* loads = nullptr;  ///< the loads of the run; null: unknown
};

/// Slot "sm.prefetcher": chooses lines to fetch into L1 before a load asks for them. The SM's prefetch unit
/// (prefetch_unit.h) queues, filters and sends the requests and keeps the statistics.
///
/// Contract:
/// - hooks are called in simulated order; `now` does not fall. Idle cycles call no hook.
/// - `on_load` comes once per load, before its accesses; `on_access` comes for each demand access when its outcome
/// (hit, merge or miss) is settled, but in the middle of L1's work: it may call the port, and changes nothing else.
/// - choices depend only on the variant's own state and the hooks' arguments.
/// - CTAs start after `begin_launch` and end before `end_launch`; a slot's CTA ends before the next one starts in it.
/// - `fields` has all state. If a checkpoint was taken during a launch, `begin_launch` is called before the state is
/// loaded.
class Prefetcher {
  public:
    static constexpr SlotDeclaration kSlot{"sm.prefetcher", "none",
                                           "Chooses lines to fetch into L1 before loads ask for them."};
    using Arguments = std::tuple<const PrefetcherArguments&>;

    virtual ~Prefetcher() = default;

    /// Whether requests wait until the load/store unit has no instruction, not only until L1 has no demand access.
    virtual bool only_when_idle() const { return false; }

    virtual void begin_launch(const LaunchOnSm&) {}
    virtual void end_launch() {}
    virtual void cta_started(unsigned /*slot*/, std::uint64_t /*cta*/) {}
    virtual void cta_ended(unsigned) {}
    virtual void on_load(const ObservedLoad&, Cycle) {}
    virtual void on_access(const L1Event&, Cycle) {}
    /// The line of a prefetch has come; `context` is that of the request.
    virtual void on_fill(std::uint16_t, Cycle) {}
    virtual void on_fate(PrefetchFate, Cycle) {}

    virtual void fields(StateArchive& archive) = 0;
    /// Visits the variant's own statistics, beside those of the prefetch unit; `component` is the SM's name.
    virtual void visit_statistics(StatisticsVisitor&, std::string_view) const {}
};

}  // namespace lookahead::gpu
