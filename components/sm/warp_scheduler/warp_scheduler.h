#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "components/sm/context_states.h"
#include "components/sm/warp_scheduler/warp_hint.h"
#include "core/component/slot.h"
#include "core/time/time.h"

namespace lookahead {
class StateArchive;
}  // namespace lookahead

namespace lookahead::gpu {

/// What a warp scheduler may ask its SM, besides what each warp waits for. Answers are computed on request, so a
/// scheduler that does not ask pays nothing.
class WarpView {
  public:
    virtual ~WarpView() = default;

    /// The cycle being stepped, for events outside `pick` (WarpScheduler::l1_listener).
    virtual Cycle now() const = 0;
    /// Those of `warps` whose next instruction loads through L1D: from global or local memory or by a generic address,
    /// vector loads included. Atomics, textures, constants and shared memory do not count.
    virtual ContextMask loads(ContextMask warps) const = 0;
};

class L1Listener;

struct WarpSchedulerArguments {
    ContextMask warps = 0;        ///< warps of this scheduler
    const ContextStates& states;  ///< what each context waits for, kept up to date
    const WarpView& view;
};

/// Slot "sm.warp_scheduler": chooses which of a scheduler's ready warps issues. An SM has one object for each of its
/// schedulers.
///
/// Contract:
/// - `pick` is called at most once a cycle, in rising cycles, and only if there is a candidate. It returns one of
/// `candidates`, or kHoldBack to issue none of them; a scheduler that holds back is asked again in the next cycle.
/// - `candidates` are warps of its own whose next instruction is decoded, has its operands, and finds its unit free.
/// - `pick` may change the scheduler's own state only. Its result depends on that state, the candidates, the contexts'
/// states, the view and the time, never on the number of cycles without a call.
/// - `started` is called in the order of the warps' age, before the warp is ever a candidate; `exited` after its last
/// instruction; the same number may start again later.
class WarpScheduler {
  public:
    static constexpr SlotDeclaration kSlot{"sm.warp_scheduler", "gto", "Chooses which ready warp issues."};
    using Arguments = std::tuple<const WarpSchedulerArguments&>;

    static constexpr unsigned kHoldBack = ~0u;

    virtual ~WarpScheduler() = default;

    virtual unsigned pick(ContextMask candidates, Cycle now) = 0;
    virtual void started(unsigned warp) = 0;
    virtual void exited(unsigned warp) = 0;
    /// A launch begins on the SM, before its first CTA.
    virtual void launch_started() {}
    /// All schedulers of the SM are told of a CTA and its warps before the warps start, and when the CTA has retired.
    virtual void cta_started(ContextMask) {}
    virtual void cta_ended(ContextMask) {}
    /// A hint for one of its warps; another warp may have the number by now.
    virtual void hint(WarpHint, unsigned) {}

    /// A listener for all events of the SM's L1, of any scheduler's warps; null: none. Asked once, when the SM is
    /// built. The listener may change the scheduler's own state.
    virtual L1Listener* l1_listener() { return nullptr; }

    /// `component`: the scheduler's name.
    virtual void visit_statistics(StatisticsVisitor&, const std::string& /*component*/) const {}
    virtual void fields(StateArchive& archive) = 0;
};

}  // namespace lookahead::gpu
