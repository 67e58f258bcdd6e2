#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/param/configuration.h"

namespace lookahead::gpu {

/// A view with time and loads set by a test.
struct FakeWarpView final : WarpView {
    Cycle now() const override { return cycle; }
    ContextMask loads(ContextMask warps) const override { return warps & loading; }

    Cycle cycle = 0;
    ContextMask loading = 0;
};

/// A warp scheduler with warp states set by a test; each pick takes a cycle.
struct SchedulerBench {
    explicit SchedulerBench(const std::string& name, const std::string& toml = "", ContextMask own = ~ContextMask{0})
        : scheduler(make_variant<WarpScheduler>(name, Configuration::from_toml(toml, "test"),
                                                WarpSchedulerArguments{own, states, view})) {}

    void start(unsigned warp) {
        states.set(warp, ready_for(ExecutionUnit::sp));
        scheduler->started(warp);
    }
    void set(std::initializer_list<unsigned> warps, ContextState state) {
        for (const unsigned warp : warps) { states.set(warp, state); }
    }
    unsigned pick(ContextMask candidates) { return scheduler->pick(candidates, view.cycle++); }
    /// Picks one of the warps that are ready for the SP unit.
    unsigned pick() { return pick(states.in(ready_for(ExecutionUnit::sp))); }

    ContextStates states;
    FakeWarpView view;
    std::unique_ptr<WarpScheduler> scheduler;
};

}  // namespace lookahead::gpu
