#pragma once

#include <array>
#include <cstdint>

#include "components/isa/instruction.h"

namespace lookahead::gpu {

/// Classes of machine instructions with separate timing parameters and statistics.
enum class InstructionClass : std::uint8_t {
    integer,
    integer_min_max,
    integer_multiply,
    integer_mad,
    integer_divide,
    fp32_add,
    fp32_min_max,
    fp32_multiply,
    fp32_fma,
    fp32_divide,
    fp64_add,
    fp64_multiply,
    fp64_fma,
    fp64_divide,
    special,
    cross_lane,
    branch,
    exit,
    barrier,
    fence,
    trap,
    load_global,
    load_shared,
    load_local,
    load_constant,
    store_global,
    store_shared,
    store_local,
    atomic_global,
    atomic_shared,
    texture,
    count,
};
inline constexpr unsigned kInstructionClasses = static_cast<unsigned>(InstructionClass::count);

/// Accesses through generic addresses count as global.
InstructionClass class_of(const isa::Instruction& instruction);

/// The unit that an instruction occupies when it issues. `control` instructions (branches, barriers, exits) need none.
/// Only machines with separate integer units have `integer`.
enum class ExecutionUnit : std::uint8_t { sp, sfu, dp, integer, memory, control, count };
inline constexpr unsigned kExecutionUnits = static_cast<unsigned>(ExecutionUnit::count);

ExecutionUnit unit_of(InstructionClass instruction_class, bool integer_units = false);

}  // namespace lookahead::gpu
