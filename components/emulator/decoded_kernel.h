#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "components/device/device.h"
#include "components/isa/handlers.h"
#include "components/isa/kernel.h"
#include "components/isa/launch.h"
#include "components/isa/simt_state.h"

namespace lookahead {

/// The interpreter's action for an instruction.
enum class Action : std::uint8_t {
    alu,
    read_special,
    load,
    store,
    atomic,
    branch,
    exit,
    barrier,
    meeting,    ///< an alu instruction, or none, that lanes named by its member mask execute together
    converged,  ///< the same on a stack: those that run are all that can meet
    nothing,
    trap,
    texture,
    load_elements,  ///< vector memory instructions
    store_elements,
    dequeue,       ///< of a predicate
    dequeue_load,  ///< a load with a dequeued address; the same for a store
    dequeue_store,
    dequeue_branch,  ///< dequeues its guard
    report           ///< enqueues lanes
};

/// Rows after the launch's constants in the frame of a warp: dequeued addresses, low and high words.
inline constexpr std::uint32_t kDequeuedRows = 2;

/// Predicates of a warp: P0 to P6, the constant PT, and one for results that are not read.
inline constexpr unsigned kPredicateSlots = 9;
inline constexpr std::uint8_t kUnreadPredicate = 8;

/// An instruction with everything looked up that does not change during a launch. Rows are given as words from the
/// start of the warp's frame: its registers, then the launch's constants.
struct DecodedInstruction {
    isa::AluHandler handler = nullptr;
    const isa::Instruction* instruction = nullptr;
    std::array<std::uint32_t, 2> destination{};
    std::array<std::array<std::uint32_t, 2>, 3> source{};
    Action action = Action::nothing;
    std::uint8_t guard = isa::kTruePredicate;
    std::uint8_t source_predicate = isa::kTruePredicate;
    std::uint8_t source_predicate2 = isa::kTruePredicate;
    std::uint8_t destination_predicate = kUnreadPredicate;
    std::uint8_t destination_predicate2 = kUnreadPredicate;
    std::uint8_t lane_bytes = 0;   ///< of a memory access; of one element of a vector memory instruction
    std::uint32_t members = 0;     ///< row of the member mask
    isa::LaneMask guard_flip = 0;  ///< all ones if the predicate is negated
    isa::LaneMask source_predicate_flip = 0;
    isa::LaneMask source_predicate2_flip = 0;
    /// The allocation that the instruction accessed last: most instructions stay in one.
    DeviceAddress allocation = 0;
    std::uint64_t allocation_bytes = 0;
};

/// Whether the kernel's own code dequeues.
bool dequeues(const isa::Kernel& kernel);

/// Throws InputError, with the place in the PTX, for an instruction without semantics.
std::vector<DecodedInstruction> decode(const isa::Kernel& kernel, isa::SimtModel simt);

}  // namespace lookahead
