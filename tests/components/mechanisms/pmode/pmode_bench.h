#pragma once

#include "components/mechanisms/pmode/pmode.h"
#include "tests/components/sm/blocked_kernel.h"
#include "tests/components/sm/emulated_run.h"
#include "tests/support/execution_trace/traced_extension.h"

namespace lookahead::test {

using gpu::HaltReason;
using gpu::PmodeStep;
using gpu::SkipReason;
using Kind = gpu::PmodeStep::Kind;

/// With three registers for results.
struct PmodeKernel : BlockedKernel {
    const isa::Operand x = reg(), y = reg(), z = reg();
};

/// An SM with P-mode and checked invariants that records its warps' steps; they must execute the same as on the
/// functional emulator.
class PmodeBench : private gpu::PmodeObserver {
  public:
    struct Parts {
        bool collectors = false;  ///< without them instructions reach their units at once
        bool constants = false;   ///< a cache of the launch's constants; without it they are always present
    };
    explicit PmodeBench(const isa::Kernel& kernel, const std::string& keys = "", FakeMemory memory = {},
                        const std::string& sm = "", Parts parts = Parts(false, false))
        : harness(with_constants(kernel),
                  "[sm]\nissue_extension = \"traced+pmode\"\n" + sm + "[pmode]\ncheck = true\n" + keys, memory,
                  {parts.collectors ? "sm.operand_collectors=true" : "sm.operand_collectors=false", "l1i.enabled=false",
                   parts.constants ? "constant_cache.enabled=true" : "constant_cache.enabled=false"},
                  {0, 1}),  // this SM gets all the launch's CTAs
          kernel_(kernel),
          simt_(sm.find("convergence_barrier") == std::string::npos ? isa::SimtModel::stack
                                                                    : isa::SimtModel::convergence_barrier) {
        pmode().observe(*this);
        harness.fill_input(1024, [](unsigned i) { return 7 * i + 3; });
    }

    gpu::Pmode& pmode() { return dynamic_cast<gpu::Pmode&>(harness.sm().extensions()[1]); }
    const gpu::PmodeCounters& counters() { return pmode().counters(); }

    PmodeBench& run(isa::Dim3 block = {32, 1, 1}, isa::Dim3 grid = {1, 1, 1}) {
        const TestLaunch launch{.grid = grid, .block = block, .parameters = parameters};
        if (has_races) {
            harness.run_to_end(launch);
        } else {
            const std::vector<std::string> differences =
                EmulatedRun(kernel_, launch, harness.memory(), simt_).differences_of(harness, launch);
            LOOKAHEAD_ASSERT(differences.empty(), differences.front());
        }
        LOOKAHEAD_ASSERT(pmode().pool().free() == pmode().pool().size(), "renaming registers were lost");
        return *this;
    }

    /// The fate of the instruction in the warp's first switch; `fates` has all of them, in order.
    std::vector<PmodeStep> first_switch() const {
        std::vector<PmodeStep> inside_it;
        bool inside = false;
        for (const PmodeStep& step : steps) {
            if (step.context != 0) { continue; }
            if (step.kind == Kind::entered) {
                inside = true;
            } else if (step.kind == Kind::returned) {
                break;
            } else if (inside) {
                inside_it.push_back(step);
            }
        }
        return inside_it;
    }
    /// The fate of the instruction at `pc` in the first switch; `entered` if it was not reached.
    PmodeStep fate(std::uint32_t pc) const {
        for (const PmodeStep& step : first_switch()) {
            if (step.pc == pc) { return step; }
        }
        return {Kind::entered, 0, pc, 0};
    }
    bool executes(std::uint32_t pc) const { return fate(pc).kind == Kind::executed; }
    bool pre_loads(std::uint32_t pc) const { return fate(pc).kind == Kind::pre_loaded; }
    bool skips(std::uint32_t pc, SkipReason reason) const {
        return fate(pc).kind == Kind::skipped && fate(pc).skip == reason;
    }
    bool halts(std::uint32_t pc, HaltReason reason) const {
        return fate(pc).kind == Kind::halted && fate(pc).halt == reason;
    }
    /// How often warp 0 reused the instruction's result.
    unsigned reuses(std::uint32_t pc) const {
        unsigned count = 0;
        for (const PmodeStep& step : steps) {
            count += step.context == 0 && step.kind == Kind::reused && step.pc == pc;
        }
        return count;
    }
    SmHarness harness;
    std::vector<std::uint32_t> parameters = global_parameters();
    bool has_races = false;  ///< the emulator cannot predict the kernel's results
    std::vector<PmodeStep> steps;
    std::vector<Cycle> cycles;   ///< of the steps
    std::vector<unsigned> held;  ///< renaming registers in use at each step

    /// The index of the first step of that kind at `pc`.
    std::size_t find(Kind kind, std::uint32_t pc) const {
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (steps[i].kind == kind && steps[i].pc == pc) { return i; }
        }
        LOOKAHEAD_ASSERT(false, "no such step");
        return 0;
    }
    Cycle cycle(Kind kind, std::uint32_t pc) const { return cycles[find(kind, pc)]; }  ///< of that step

  private:
    static isa::KernelTable with_constants(const isa::Kernel& kernel) {
        isa::KernelTable kernels{kernel};
        kernels.image = constant_image();
        return kernels;
    }
    void step(const PmodeStep& step, Cycle now) override {
        steps.push_back(step);
        cycles.push_back(now);
        held.push_back(pmode().pool().size() - pmode().pool().free());
    }

    isa::Kernel kernel_;
    isa::SimtModel simt_;
};

/// A bench on which one warp has run the kernel.
struct PmodeRun : PmodeBench {
    explicit PmodeRun(const isa::Kernel& kernel, const std::string& keys = "", FakeMemory memory = {},
                      const std::string& sm = "", Parts parts = Parts(false, false))
        : PmodeBench(kernel, keys, memory, sm, parts) {
        run();
    }
};

}  // namespace lookahead::test
