#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "components/sm/warp_scheduler/warp_view.h"
#include "core/param/configuration.h"

namespace lookahead::gpu {

/// A view whose time and whose loads a test sets by hand.
struct FakeWarpView final : WarpView {
    Cycle now() const override { return cycle; }
    ContextMask loads(ContextMask warps) const override { return warps & loading; }

    Cycle cycle = 0;
    ContextMask loading = 0;
};

/// A warp scheduler and the states of its warps, which a test sets by hand; each pick takes a cycle.
struct SchedulerBench {
    explicit SchedulerBench(const std::string& name, const std::string& toml = "", ContextMask own = ~ContextMask{0})
        : scheduler(make_variant<WarpScheduler>(name, Configuration::from_toml(toml, "test"),
                                                WarpSchedulerArguments{own, states, view})) {}

    /// Ready for the SP unit.
    void start(unsigned warp) {
        states.set(warp, ready_for(ExecutionUnit::sp));
        scheduler->started(warp);
    }
    void set(std::initializer_list<unsigned> warps, ContextState state) {
        for (const unsigned warp : warps) { states.set(warp, state); }
    }
    unsigned pick(ContextMask candidates) { return scheduler->pick(candidates, view.cycle++); }
    /// Of the warps that are ready for the SP unit.
    unsigned pick() { return pick(states.in(ready_for(ExecutionUnit::sp))); }

    ContextStates states;
    FakeWarpView view;
    std::unique_ptr<WarpScheduler> scheduler;
};

}  // namespace lookahead::gpu
