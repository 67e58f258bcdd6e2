#pragma once

#include <cstdint>

#include "components/isa/instruction_form.h"
#include "components/sm/execution_unit.h"
#include "components/sm/parameters.h"

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
InstructionClass class_of(const isa::InstructionForm& instruction);

/// On machines without integer units, SP units take integer instructions.
ExecutionUnit unit_of(InstructionClass instruction_class, bool integer_units = false);

/// In cycles.
struct ClassTiming {
    std::int64_t latency = 1;
    std::int64_t initiation = 1;
};
ClassTiming timing_of(InstructionClass instruction_class, const TimingParameters& timing);

}  // namespace lookahead::gpu
