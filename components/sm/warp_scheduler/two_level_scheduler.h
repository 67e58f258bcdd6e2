#pragma once

#include <string>

#include "components/sm/warp_scheduler/two_level_queues.h"
#include "components/sm/warp_scheduler/warp_ages.h"
#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/param/parameters.h"

namespace lookahead::gpu {

struct TwoLevelParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, ready_warps, 8, {1, gpu::kMaximumContexts, "warp"},
                        {.help = "Places of each scheduler's ready queue; only warps in it may issue.",
                         .source = "Koo et al. (CAPS), table of the configuration: 8 ready warps"});
    LOOKAHEAD_PARAMETER(
        std::string, order, "oldest", {"oldest", "rr"},
        {.help = "Which of the ready queue's warps issues: the one that started first, or each in turn.",
         .source = "Koo et al. (CAPS), section V.A: the two-level scheduler chooses the oldest ready warp; Narasiman "
                   "et al.: in turn"});
    LOOKAHEAD_ALL_DECLARED;
};

/// Two-level active scheduling: only the warps of a small ready queue may issue, the oldest first or in turn. A warp
/// whose next instruction waits for memory, a fence or a barrier goes to the end of the pending queue; its place goes
/// to the warp that has been pending longest among those that wait for none of these. Waits for an arithmetic result or
/// a fetch are short and cost no place.
///
/// Barriers count as long waits, because otherwise warps of a CTA could hold all places while they wait for a pending
/// one. The queues are updated when the scheduler is asked, hence only in cycles in which one of its warps could issue:
/// a warp whose wait ends before that keeps its place.
class TwoLevelScheduler : public WarpScheduler {
  public:
    using Parameters = TwoLevelParameters;

    TwoLevelScheduler(const Parameters& parameters, const WarpSchedulerArguments& arguments)
        : queues_(arguments.states, static_cast<unsigned>(parameters.ready_warps)),
          in_turn_(parameters.order == "rr") {}

    unsigned pick(ContextMask candidates, Cycle) override {
        queues_.update();
        return pick_ready(candidates);
    }
    void started(unsigned warp) override {
        ages_.started(warp);
        queues_.append(warp);
    }
    void exited(unsigned warp) override { queues_.remove(warp); }

    void fields(StateArchive& archive) override { archive& queues_& ages_& last_; }

  protected:
    unsigned pick_ready(ContextMask candidates) {
        candidates &= queues_.ready();
        if (candidates == 0) { return kHoldBack; }
        last_ = in_turn_ ? next_in_turn(candidates, last_) : ages_.oldest_of(candidates);
        return last_;
    }

    TwoLevelQueues queues_;
    WarpAges ages_;
    bool in_turn_;
    std::uint32_t last_ = kMaximumContexts - 1;
};

}  // namespace lookahead::gpu
