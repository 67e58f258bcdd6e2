#pragma once

#include "components/isa/handlers.h"
#include "components/isa/instruction.h"
#include "components/isa/simt_state.h"

namespace lookahead::isa {

/// What the executor of an instruction has to do.
enum class Action : std::uint8_t {
    alu,
    special_register,
    memory,  ///< texture fetches too
    fence,
    branch,
    computed_branch,  ///< to the address in source[0]
    convergence,      ///< opens or leaves a convergence barrier
    exit,
    barrier,
    trap,
    meeting,    ///< lanes named by its member mask execute an alu instruction, or none, together
    converged,  ///< the same on a stack: the running lanes are all that can meet
    queue,      ///< enqueues or dequeues only
    recorded,   ///< of a recording: takes its time, and values do not count
    recorded_branch,
    nothing
};

/// The predicates of a warp as decoded instructions number them: P0..P6, the constant PT, one that stands for "none"
/// (written where a result goes nowhere, never read), and UP0..UP6.
inline constexpr unsigned kPredicateSlots = kFirstUniformPredicate + kPredicateRegisters;
inline constexpr std::uint8_t kUnusedPredicate = 8;

struct DecodedPredicate {
    std::uint8_t slot = kUnusedPredicate;
    LaneMask flip = 0;  ///< mask to xor its value with

    LaneMask value(const LaneMask* predicates) const { return predicates[slot] ^ flip; }
};

/// What executing an instruction takes, looked up once; the emulator and the SMs add what they need.
struct DecodedInstruction {
    AluHandler handler = nullptr;
    const Instruction* instruction = nullptr;
    Action action = Action::nothing;
    bool guarded = false;
    bool modified = false;     ///< its sources have modifiers that the handler does not apply, or it is uniform
    std::uint8_t members = 0;  ///< the source with the member mask
    std::uint8_t destination_predicate = kUnusedPredicate;
    std::uint8_t destination_predicate2 = kUnusedPredicate;
    DecodedPredicate guard;
    DecodedPredicate source_predicate;
    DecodedPredicate source_predicate2;

    /// The active lanes whose guard holds.
    LaneMask guarded_lanes(LaneMask active, const LaneMask* predicates) const {
        return guarded ? active & guard.value(predicates) : active;
    }
    /// The lanes where a branch's condition besides its guard holds.
    LaneMask branch_condition(const LaneMask* predicates) const {
        return source_predicate.slot == kUnusedPredicate ? kFullMask : source_predicate.value(predicates);
    }
};

/// Decodes an instruction, which must outlive the result. `handler` is null for an operation that should have one and
/// has none (lacks_handler).
DecodedInstruction decode(const Instruction& instruction, SimtModel simt);

/// Executes an ALU instruction whose `modified` is set.
void execute_modified(const DecodedInstruction& decoded, OperandRows& rows, LaneMask active);
/// Executes an ALU instruction for the lanes of `active`.
inline void execute(const DecodedInstruction& decoded, OperandRows& rows, LaneMask active) {
    if (decoded.modified) [[unlikely]] { return execute_modified(decoded, rows, active); }
    decoded.handler(rows, active, *decoded.instruction);
}

/// Whether the instruction needs a handler and has none: `execute` must not be called for it.
bool lacks_handler(const DecodedInstruction& decoded);

}  // namespace lookahead::isa
