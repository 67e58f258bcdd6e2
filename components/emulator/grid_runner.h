#pragma once

#include <cstdint>
#include <deque>

#include "components/emulator/cta.h"
#include "components/emulator/memory_unit.h"

namespace lookahead {

/// Runs the CTAs of a launch: one after another, in the order of their numbers, and several at once, in turn, if they
/// wait for one another. A GPU runs many at once, and real programs rely on it: some CTAs wait for writes of others,
/// perhaps later ones. So when all running CTAs only seem to wait, as many more begin.
class GridRunner {
  public:
    GridRunner(LaunchState& launch, const FlatMemory& memory, const Allocator& allocator, AccessObserver* observer);

    /// Throws ProgramError if a CTA misbehaves: an illegal address, a trap, a deadlock, too many instructions, or if
    /// all CTAs repeat themselves for ever.
    void run();

  private:
    struct RunningCta {
        RunningCta(LaunchState& launch, const FlatMemory& memory, const Allocator& allocator, AccessObserver* observer)
            : unit(memory, allocator, observer), runner(launch, unit) {}
        MemoryUnit unit;
        CtaRunner runner;
    };

    void begin_ctas();
    void begin_next(CtaRunner& runner);
    void end_ctas();
    /// If all CTAs seem to wait: begins more, or reports a livelock.
    void consider_waiting();
    void widen();
    void look_for_livelock();

    LaunchState& launch_;
    const FlatMemory& memory_;
    const Allocator& allocator_;
    AccessObserver* observer_;
    const std::uint64_t ctas_;
    const bool may_wait_;  ///< the kernel has loops that may wait for other CTAs
    const bool sleeps_;    ///< its warps sleep
    std::uint64_t begun_ = 0;
    std::uint64_t together_;  ///< CTAs under way at once
    std::deque<RunningCta> running_;
    std::uint64_t long_run_;    ///< instructions of each warp, without an exit, after which a CTA may be waiting
    std::uint64_t long_quiet_;  ///< likewise, without a sign of progress, after which it may wait for ever
};

}  // namespace lookahead
