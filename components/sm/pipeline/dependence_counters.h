#pragma once

#include <cstdint>
#include <vector>

#include "components/isa/issue_control.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// What the control words of native code count for every warp: its dependence counters, and its stall counter as the
/// cycle in which it reaches 0 (Huerta et al., "Dissecting and Modeling the Architecture of Modern GPU Cores", MICRO
/// 2025, section 4). Contexts are warps' slots.
class DependenceCounters {
  public:
    explicit DependenceCounters(unsigned contexts)
        : counts_(contexts * isa::IssueControl::kBarriers, 0), issue_from_(contexts, 0) {}

    /// A warp starts: its counters are 0.
    void start(unsigned context) {
        for (unsigned barrier = 0; barrier < isa::IssueControl::kBarriers; ++barrier) { count(context, barrier) = 0; }
        issue_from_[context] = 0;
    }
    void increase(unsigned context, unsigned barrier) { ++count(context, barrier); }
    /// Returns whether the counter has become 0.
    bool decrease(unsigned context, unsigned barrier) { return --count(context, barrier) == 0; }

    /// The first cycle in which the warp may issue again.
    Cycle issue_from(unsigned context) const { return issue_from_[context]; }
    void stall_until(unsigned context, Cycle cycle) { issue_from_[context] = cycle; }

    void fields(StateArchive& archive) { archive& counts_& issue_from_; }

  private:
    std::uint16_t& count(unsigned context, unsigned barrier) {
        return counts_[context * isa::IssueControl::kBarriers + barrier];
    }

    std::vector<std::uint16_t> counts_;  ///< by context and barrier
    std::vector<Cycle> issue_from_;      ///< by context
};

}  // namespace lookahead::gpu
