#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "components/device/device.h"
#include "components/emulator/decoded_kernel.h"
#include "components/emulator/execution_counts.h"
#include "components/emulator/memory_unit.h"
#include "components/isa/simt_stack.h"

namespace lookahead {

/// A launch, and what of it all its CTAs share.
struct LaunchState {
    const isa::Kernel* kernel = nullptr;
    const isa::ModuleImage* image = nullptr;
    LaunchConfiguration configuration;
    std::vector<isa::Row> constants;
    std::vector<DecodedInstruction> code;
    std::vector<InstructionCount> counts;          ///< by instruction
    std::uint64_t executed = 0;                    ///< warp instructions of this and earlier launches; also the clock
    std::uint64_t instruction_limit = UINT64_MAX;  ///< for executed
};

/// Runs the CTAs of one launch, one after another: each warp to the next barrier, in turn.
class CtaRunner {
  public:
    CtaRunner(LaunchState& launch, MemoryUnit& memory);

    /// Throws ProgramError if the CTA misbehaves: an illegal address, a trap, a deadlock, too many instructions.
    void run(const isa::Dim3& ctaid);

  private:
    struct Warp {
        isa::SimtStack stack;
        std::uint32_t* frame = nullptr;
        isa::LaneMask predicates[kPredicateSlots] = {};
        std::uint32_t first_thread = 0;
        int barrier = kNotWaiting;
        std::uint32_t passed_barriers = 0;
        bool waits() const { return barrier != kNotWaiting; }
    };
    static constexpr int kNotWaiting = -1;

    void begin(const isa::Dim3& ctaid);
    /// Runs the warp until it exits, waits at a barrier, or has executed a long stretch (it may wait for another
    /// warp in a loop).
    void run_warp(Warp& warp);
    void execute(DecodedInstruction& decoded, Warp& warp, isa::LaneMask active);
    void read_special(const DecodedInstruction& decoded, const Warp& warp, isa::LaneMask active);
    [[noreturn]] void trap(const DecodedInstruction& decoded, const Warp& warp, isa::LaneMask active) const;
    void branch(const DecodedInstruction& decoded, Warp& warp, isa::LaneMask taken);
    void arrive(const DecodedInstruction& decoded, Warp& warp);
    /// Lets go the warps of a barrier that all warps which have not exited wait at. False: there is none.
    bool release_barrier();
    [[noreturn]] void report_deadlock() const;
    isa::WarpIdentity identity(const Warp& warp) const;
    ExecutionPlace place(const Warp& warp) const;

    LaunchState& launch_;
    MemoryUnit& memory_;
    isa::Dim3 ctaid_;
    std::vector<isa::Row> frames_;
    std::vector<Warp> warps_;
};

}  // namespace lookahead
