#pragma once

#include <cstdint>
#include <vector>

#include "components/isa/instruction.h"
#include "components/isa/simt_model.h"
#include "components/isa/simt_stack.h"
#include "core/state/state_archive.h"

namespace lookahead::isa {

/// Which lanes of a warp run, and where, under either model. Without divergence both cost the same: one comparison per
/// instruction.
///
/// Under `convergence_barrier` the lanes are in paths, and one path runs. A divergent branch opens a convergence
/// barrier at its immediate post-dominator for its lanes; a path that gets there waits until all of these have come or
/// ended, and they go on as one (Diamos et al., US patent application 2016/0019066; Volta's BSSY and BSYNC). Waiting
/// there is only for speed, so a path that waits while another spins is released: see kPatience.
///
/// The running path changes only where it cannot go on (it waits or has ended), and at branches back in loops that may
/// wait for other lanes (Instruction::yields), not on stalls: NVIDIA's GPUs run a divergent path until it blocks or
/// yields (Damani et al., "GPU Subwarp Interleaving", HPCA 2022, section II). So which path runs depends on the
/// instructions alone, not on time: the emulator and the SMs run the paths in the same order.
class SimtState : private SimtStack {
  public:
    /// The weight of a path's branches back after which paths that wait at a convergence barrier are released. Plain
    /// branches count 1, yielding ones kYieldCost: 16 turns of a spinning loop, or 65536 of any loop. An estimate:
    /// enough to join the lanes of an ordinary loop with atomics, little compared with a lock's latency.
    static constexpr std::int32_t kPatience = 65536;
    static constexpr std::int32_t kYieldCost = 4096;

    enum class Arrival : std::uint8_t {
        alone,    ///< no lane is missing: nothing has changed
        resumed,  ///< the path waited here before, and all have come: no other change
        apart,    ///< the lanes wait or have waited; another path runs, or none
    };

    /// Lanes that have come together and need wait no longer (`held`: they wait at a CTA's barrier, see release()).
    struct Meeting {
        std::uint32_t pc;  ///< of one of their instructions
        LaneMask lanes;
        bool held;
    };

    SimtState() = default;

    /// Starts all lanes of `mask` at `pc`.
    void start(SimtModel model, std::uint32_t pc, LaneMask mask);

    using SimtStack::active;
    using SimtStack::for_each_later;  // on a stack
    using SimtStack::pc;
    SimtModel model() const { return model_; }
    /// Whether some path runs. If none does and not all have ended, the warp waits.
    bool runs() const { return top_.mask != 0; }
    bool done() const { return top_.mask == 0 && others_.empty(); }
    LaneMask alive() const {
        if (model_ == SimtModel::stack) { return SimtStack::alive(); }
        LaneMask lanes = top_.mask;
        for (const Path& path : others_) { lanes |= path.mask; }
        return lanes;
    }
    bool diverged() const { return alive() != top_.mask; }
    /// The number of paths, the running one included.
    std::size_t paths() const { return model_ == SimtModel::stack ? SimtStack::depth() : others_.size() + 1; }

    void advance() {
        ++top_.pc;
        reconverge();
    }

    /// Executes an open_barrier or a leave_barrier of the lanes, which goes on with the next instruction.
    void converge(LaneMask lanes, const Instruction& instruction) {
        if (instruction.operation == Operation::open_barrier) {
            open(instruction.target, instruction.mode);
        } else {
            leave(lanes, instruction.mode);
        }
        advance();
    }

    /// Lanes of `taken` (within active()) follow `branch`, the other active ones go on.
    void branch(LaneMask taken, const Instruction& branch) {
        const std::uint32_t from = top_.pc;
        if (model_ == SimtModel::stack) {
            SimtStack::branch(taken, branch.target, from + 1, branch.reconvergence);
        } else if (taken == 0 || taken == top_.mask || branch.target == from + 1) {
            top_.pc = taken != 0 ? branch.target : from + 1;
            reconverge();
        } else {
            split(taken, branch.target, from + 1, branch.reconvergence);
        }
        if (taken != 0 && branch.target <= from && (waiting_ != 0 || !others_.empty())) {
            branched_back(branch.yields);
        }
    }

    /// Lanes of `taken` (within active()) go to `target`; the other active ones stay. No lanes reconverge for it.
    void jump(LaneMask taken, std::uint32_t target) {
        const std::uint32_t from = top_.pc;
        if (taken == top_.mask) {
            top_.pc = target;
            reconverge();
        } else if (model_ == SimtModel::stack) {
            SimtStack::branch(taken, target, from, kNoTarget);
        } else {
            split(taken, target, from, kNoTarget);
        }
    }

    /// Native code's own barriers, without effect on a stack, where branches name their reconvergence points. Opens
    /// barrier `number` for the running lanes, which meet at `pc` (BSSY); lets lanes of `lanes` (within active()) go on
    /// without the others of it (BREAK).
    void open(std::uint32_t pc, std::uint8_t number);
    void leave(LaneMask lanes, std::uint8_t number);

    /// Lanes of `mask` (within active()) end; the other active ones go on to the next instruction.
    void exit(LaneMask mask);

    /// Lanes of `lanes` (within active()) execute an instruction that all living lanes of `members` must execute
    /// together; lanes of `later` will do so after them, and the other active ones continue after it. Instructions meet
    /// if `key` and members are equal. A path that resumes is at its instruction again. With `hold`, lanes that have
    /// met wait on for release().
    Arrival meet(LaneMask lanes, LaneMask members, std::uint64_t key, LaneMask later = 0, bool hold = false);
    /// The meetings since the last call, for the caller to execute; then call forget_meetings().
    const std::vector<Meeting>& meetings() const { return meetings_; }
    void forget_meetings() { meetings_.clear(); }
    /// Resumes the held lanes, if any, at their instructions.
    void release();
    /// Whether lanes are held.
    bool holds() const;

    /// `stack`: how many times in a row the running lanes have branched back at one place of a loop that may wait for
    /// other lanes, while some of the warp wait for them.
    std::uint32_t spins() const { return spins_; }

    /// Calls visit(pc, lanes, members) for each path that waits for lanes of the warp; no members at CTA barriers.
    void for_each_waiting(auto visit) const {
        for (const Path& path : others_) {
            if (path.wait == Wait::meeting || path.wait == Wait::held) { visit(path.pc, path.mask, path.members); }
        }
    }

    void fields(StateArchive& archive) {
        SimtStack::fields(archive);
        archive& model_& credit_& spins_& spin_pc_& spin_lanes_& top_barrier_& resumed_;
        archive& others_& barriers_;
    }
    /// All state that determines the paths' future: without spins().
    void path_fields(StateArchive& archive) {
        SimtStack::fields(archive);
        archive& credit_& top_barrier_& resumed_& others_& barriers_;
    }

  private:
    static constexpr std::uint16_t kNoBarrier = 0xffff;

    enum class Wait : std::uint8_t {
        none,
        resumed,      ///< it can run: its meeting is complete, its instruction not yet executed
        convergence,  ///< at its convergence barrier
        meeting,      ///< for lanes of the warp
        held,         ///< all have come; they wait for release()
    };

    /// A path that does not run.
    struct Path {
        std::uint32_t pc = 0;
        LaneMask mask = 0;
        std::uint16_t barrier = kNoBarrier;
        Wait wait = Wait::none;
        bool old = false;   ///< it waited at its convergence barrier before the patience last ended
        bool hold = false;  ///< of its meeting
        LaneMask members = 0;
        std::uint64_t key = 0;

        bool waits_at(std::uint16_t at) const { return wait == Wait::convergence && barrier == at; }
        void fields(StateArchive& archive) { archive& pc& mask& barrier& wait& old& hold& members& key; }
    };
    /// A convergence barrier: lanes `members` meet at `pc`. A place without members is free.
    struct Barrier {
        std::uint32_t pc = 0;
        LaneMask members = 0;
        std::uint16_t parent = kNoBarrier;  ///< the barrier that encloses it
        std::uint8_t number = 0;            ///< of native code's barrier register

        void fields(StateArchive& archive) { archive& pc& members& parent& number; }
    };

    void reconverge() {
        if (top_.pc != top_.reconvergence) { return; }
        if (model_ == SimtModel::stack) {
            merge();
        } else {
            arrive();
        }
    }
    std::uint32_t pc_of(std::uint16_t barrier) const {
        return barrier == kNoBarrier ? kNoTarget : barriers_[barrier].pc;
    }
    static bool can_run(const Path& path) { return path.wait <= Wait::resumed; }

    void split(LaneMask taken, std::uint32_t target, std::uint32_t fallthrough, std::uint32_t reconvergence);
    std::uint16_t open_barrier(std::uint32_t pc, LaneMask members);
    std::uint16_t with_members(std::uint16_t barrier, LaneMask lanes) const;
    void take_out(std::uint16_t barrier);
    void arrive();
    void complete(std::uint16_t barrier);
    LaneMask waiting_at(std::uint16_t barrier) const;
    void leave(Path& path);
    void remove_from_barriers(LaneMask lanes);
    void run(const Path& path);
    void run_next();
    void put_aside(Wait wait);
    void branched_back(bool yields);
    bool join(std::uint64_t key, LaneMask members);
    void merge_equal_paths();

    SimtModel model_ = SimtModel::stack;
    bool resumed_ = false;  ///< the running path is at an instruction where it has met others
    std::uint16_t top_barrier_ = kNoBarrier;
    std::int32_t credit_ = kPatience;
    std::uint32_t spins_ = 0;
    std::uint32_t spin_pc_ = 0;
    LaneMask spin_lanes_ = 0;
    std::vector<Path> others_;  ///< the last one runs next
    std::vector<Barrier> barriers_;
    std::vector<Meeting> meetings_;  ///< empty between instructions
};

}  // namespace lookahead::isa
