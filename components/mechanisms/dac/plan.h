#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "components/isa/modes.h"
#include "components/mechanisms/dac/classes.h"

namespace lookahead::dac {

// Section 4.8. The divergent condition register file has the same storage as the stack, hence as many bit vectors.
inline constexpr unsigned kStackDepth = 8;
inline constexpr unsigned kConditionRegisters = 8;

/// Why a whole kernel is not decoupled; `none`: it may be.
struct KernelRefusal {
    Reason reason = Reason::none;
    std::uint32_t found = 0;  ///< stack entries or divergent conditions that it would need
};

/// What the pass does with an instruction.
struct Step {
    bool candidate = false;               ///< an access, or it sets a predicate
    Reason stays = Reason::none;          ///< why a candidate is not decoupled
    std::optional<isa::QueueMode> queue;  ///< decoupled: what it takes from the queue
    bool affine = false;                  ///< the affine stream executes it (decoupled: computes the entry)
    bool marker = false;                  ///< barrier, fence or atomic at which expansion stops
    bool reports = false;                 ///< branch before which warps report their lanes' predicate
    std::uint8_t conditions = 0;          ///< divergent conditions of the enqueued operand
};

/// What the pass may do: the parameters dac.decouple, dac.shared_accesses, dac.divergent_conditions and dac.reports.
struct Choices {
    bool accesses = true;
    bool shared = false;  ///< accesses of shared memory, too
    bool predicates = true;
    std::size_t conditions = kMostConditions;
    bool reports = false;  ///< see Classes
};

/// Which candidates of a kernel are decoupled, and which other instructions the affine stream needs (sections 4.5 to
/// 4.7).
class Plan {
  public:
    Plan(const finaliser::VirtualKernel& kernel, const finaliser::Flow& flow, const Choices& choices);

    const Step& at(finaliser::Position position) const { return steps_[position.block][position.index]; }
    bool decouples() const { return decouples_; }
    const KernelRefusal& refusal() const { return refusal_; }
    /// Whether the kernel's own stream keeps the instruction, if only to take its result from a queue.
    bool stays(finaliser::Position position) const { return stays_[position.block][position.index]; }
    const finaliser::Values& values() const { return values_; }
    const Classes& classes() const { return classes_; }

  private:
    Step& at(finaliser::Position position) { return steps_[position.block][position.index]; }
    void for_each(auto visit) const;
    void find_candidates();
    Reason why_not(finaliser::Position position) const;
    Reason why_no_access(finaliser::Position position) const;
    std::vector<Class> enqueued(finaliser::Position position) const;
    void hide_behind_barriers();
    void drop_unread();
    void refuse_spinning();
    void refuse_parted_barriers();
    bool has_barrier(const finaliser::BitSet& blocks) const;
    bool dequeues(const finaliser::BitSet& blocks) const;
    void find_affine();
    bool has_queued_access_behind(finaliser::Position marker) const;
    void need(finaliser::Position position);
    void need_value(finaliser::ValueId id);
    void check_limits();
    void refuse(Reason reason, std::uint32_t found);
    unsigned stack_entries(std::uint32_t block) const;

    const finaliser::VirtualKernel& kernel_;
    const finaliser::Flow& flow_;
    const Choices choices_;
    finaliser::Values values_;
    Classes classes_;
    std::vector<std::vector<Step>> steps_;
    std::vector<std::vector<bool>> stays_;
    std::vector<finaliser::Position> open_;
    std::vector<bool> seen_;  ///< by value
    bool decouples_ = false;
    KernelRefusal refusal_;
};

/// Whether expansion stops at the instruction until a warp has passed it: barriers, fences, atomics and ordered
/// accesses, except those of shared memory.
bool stops_expansion(const isa::InstructionForm& instruction);

/// By block and instruction: whether an instruction that must stay needs it, directly or through others. Unlike
/// liveness, this also finds code that feeds only itself from one round of a loop to the next, such as the old address
/// of a decoupled access.
std::vector<std::vector<bool>> needed_instructions(const finaliser::VirtualKernel& kernel, const finaliser::Flow& flow);

/// Removes the instructions that are not needed.
void remove_unread(finaliser::VirtualKernel& kernel);

}  // namespace lookahead::dac
