#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "components/device/device.h"
#include "components/emulator/decoded_kernel.h"
#include "components/emulator/execution_counts.h"
#include "components/emulator/instruction_observer.h"
#include "components/emulator/memory_unit.h"
#include "components/emulator/queue_source.h"
#include "components/isa/cta_barrier.h"
#include "components/isa/simt_state.h"
#include "components/isa/warp_exchange.h"

namespace lookahead {

/// The state of a launch that all its CTAs share.
struct LaunchState {
    const isa::Kernel* kernel = nullptr;
    const isa::ModuleImage* image = nullptr;
    LaunchConfiguration configuration;
    std::uint64_t number = 0;  ///< launches of the device before this one
    isa::SimtModel simt = isa::SimtModel::stack;
    std::vector<isa::Row> constants;
    std::vector<EmulatedInstruction> code;
    std::vector<InstructionCount> counts;          ///< by instruction
    std::uint64_t executed = 0;                    ///< warp instructions of this and earlier launches; also the clock
    std::uint64_t instruction_limit = UINT64_MAX;  ///< the greatest allowed value of `executed`
    InstructionObserver* observer = nullptr;
    QueueSource* queues = nullptr;  ///< of a kernel that dequeues
};

/// Runs CTAs of one launch, one after another: the warps in turn.
class CtaRunner {
  public:
    CtaRunner(LaunchState& launch, MemoryUnit& memory);

    void begin(const isa::Dim3& ctaid);
    /// Runs each warp until it exits, waits at a barrier, or has executed `stretch` instructions. When no warp has
    /// exited for `watched_after` instructions, memory is watched: a change is a sign of progress. Throws ProgramError
    /// if the CTA misbehaves: an illegal address, a trap, a deadlock, too many instructions.
    void run_round(std::uint64_t stretch, std::uint64_t watched_after);
    bool done() const { return live_warps_ == 0; }

    /// Instructions that a warp has run, on average, since a warp last exited.
    std::uint64_t uninterrupted() const { return uninterrupted_; }
    /// Those of them that were watched since a byte of global or shared memory was last changed.
    std::uint64_t quiet() const { return quiet_; }
    /// Sets both numbers to 0.
    void restart_patience() { uninterrupted_ = quiet_ = 0; }

    /// If the CTA's warps repeat themselves for ever unless another CTA changes memory, returns a sentence that says
    /// so; otherwise nothing (cta_livelock.cpp).
    std::optional<std::string> find_livelock();

  private:
    struct Warp {
        isa::SimtState simt;
        std::uint32_t* frame = nullptr;
        isa::LaneMask predicates[isa::kPredicateSlots] = {};
        std::uint32_t first_thread = 0;
        int barrier = kNotWaiting;
        std::uint32_t passed_barriers = 0;
        isa::WarpExchange* exchange = nullptr;  ///< with convergence barriers
        bool waits() const { return barrier != kNotWaiting; }
    };
    static constexpr int kNotWaiting = -1;

    /// Runs the warps in turn, one instruction each, so that they keep up with one another as on a GPU; programs that
    /// lack a barrier rely on it.
    void run_warps(std::uint64_t stretch);
    void find_ready_warps();
    [[noreturn]] void report_limit(const Warp& warp) const;
    void step(Warp& warp);
    void run_one(Warp& warp);
    bool has_what_it_dequeues(const Warp& warp) const;
    void execute(EmulatedInstruction& decoded, Warp& warp, isa::LaneMask active);
    void compute(const EmulatedInstruction& decoded, Warp& warp, isa::LaneMask active);
    void read_special(const EmulatedInstruction& decoded, const Warp& warp, isa::LaneMask active);
    [[noreturn]] void trap(const EmulatedInstruction& decoded, const Warp& warp, isa::LaneMask active) const;
    void computed_branch(const EmulatedInstruction& decoded, Warp& warp, isa::LaneMask active);
    void exit(Warp& warp, isa::LaneMask active);
    void dequeue(const EmulatedInstruction& decoded, Warp& warp, isa::LaneMask active);
    void dequeue_branch(const EmulatedInstruction& decoded, Warp& warp);
    void dequeue_address(const EmulatedInstruction& decoded, Warp& warp, isa::LaneMask active);

    // Lanes that wait for one another (cta_meeting.cpp).
    void meet(const EmulatedInstruction& decoded, Warp& warp, isa::LaneMask active);
    void require_members(const EmulatedInstruction& decoded, const Warp& warp, isa::LaneMask active) const;
    void settle_meetings(Warp& warp);
    void barrier(const EmulatedInstruction& decoded, Warp& warp, isa::LaneMask active);
    void arrive(const isa::BarrierArrival& arrival, Warp& warp, isa::LaneMask lanes, isa::LaneMask predicates);
    isa::BarrierArrival arrival_of(const EmulatedInstruction& decoded, const Warp& warp, isa::LaneMask active) const;
    void complete_barrier(unsigned number);
    void release(Warp& warp, std::uint32_t result);
    void check_runs(const Warp& warp) const;
    [[noreturn]] void report_deadlock() const;

    bool repeats(Warp& warp);
    std::uint64_t state_of(Warp& warp) const;

    isa::WarpIdentity identity(const Warp& warp) const;
    ExecutionPlace place(const Warp& warp) const { return place(warp, warp.simt.pc()); }
    ExecutionPlace place(const Warp& warp, std::uint32_t pc) const;
    /// "kernel k, CTA (0, 0, 0)".
    std::string describe_cta() const;
    /// "k.ptx:12 (PC 0x58)".
    std::string describe_pc(std::uint32_t pc) const;

    LaunchState& launch_;
    MemoryUnit& memory_;
    isa::Dim3 ctaid_;
    std::vector<isa::Row> frames_;
    std::vector<Warp> warps_;
    std::vector<Warp*> ready_warps_;  ///< those that can run
    bool ready_changed_ = false;      ///< since they were found
    std::vector<isa::WarpExchange> exchanges_;
    std::array<isa::CtaBarrier, isa::kBarriersPerCta> barriers_;
    std::uint32_t live_warps_ = 0;
    std::uint64_t uninterrupted_ = 0;
    std::uint64_t quiet_ = 0;
    bool clock_read_ = false;
};

/// The rows of an instruction's operands in the warp's frame, and the values of its predicates.
inline isa::OperandRows operand_rows(const EmulatedInstruction& decoded, std::uint32_t* frame,
                                     const isa::LaneMask* predicates) {
    isa::OperandRows rows;
    const auto fill = [frame](auto& places, std::uint32_t first, unsigned count) {
        for (unsigned i = 0; i < 2; ++i) { places[i] = frame + first + i * isa::kWarpSize; }
        for (unsigned i = 2; i < count; ++i) { places[i] = frame + first + i * isa::kWarpSize; }
    };
    fill(rows.destination, decoded.destination, decoded.instruction->destination_rows);
    for (unsigned s = 0; s < 3; ++s) { fill(rows.source[s], decoded.source[s], decoded.instruction->source[s].rows); }
    rows.source_predicate = decoded.source_predicate.value(predicates);
    rows.source_predicate2 = decoded.source_predicate2.value(predicates);
    rows.destination_predicate = predicates[decoded.destination_predicate];
    rows.destination_predicate2 = predicates[decoded.destination_predicate2];
    return rows;
}

}  // namespace lookahead
