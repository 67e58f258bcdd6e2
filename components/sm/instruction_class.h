#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "components/isa/instruction_form.h"
#include "components/sm/parameters.h"

namespace lookahead::gpu {

/// What an instruction occupies when it issues. `control` instructions (branches, barriers, exits) need no unit.
/// `integer` units are those of machines that have them beside the SP units.
enum class ExecutionUnit : std::uint8_t { sp, sfu, dp, integer, memory, control, count };
inline constexpr unsigned kExecutionUnits = static_cast<unsigned>(ExecutionUnit::count);
/// The first units have pipelines, which a UnitPool keeps.
inline constexpr unsigned kPipelinedUnits = static_cast<unsigned>(ExecutionUnit::memory);

/// A path through the operand collectors. The units of a path share its latches.
enum class CollectorPath : std::uint8_t { general, special, memory };

struct UnitInfo {
    std::string_view name;
    CollectorPath path;
    std::int64_t SmParameters::*pipelines = nullptr;  ///< the number of pipelines; null: the unit has none
};
inline constexpr std::array<UnitInfo, kExecutionUnits> kUnits = {{
    {"sp", CollectorPath::general, &SmParameters::sp_units},
    {"sfu", CollectorPath::special, &SmParameters::sfu_units},
    {"dp", CollectorPath::special, &SmParameters::dp_units},
    {"integer", CollectorPath::general, &SmParameters::integer_units},
    {"memory", CollectorPath::memory},
    {"control", CollectorPath::general},
}};
constexpr const UnitInfo& info_of(ExecutionUnit unit) {
    return kUnits[static_cast<unsigned>(unit)];
}

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

/// The class of the instruction; accesses through generic addresses count as global.
InstructionClass class_of(const isa::InstructionForm& instruction);

/// The unit that executes the class. On machines without integer units, SP units take integer instructions.
ExecutionUnit unit_of(InstructionClass instruction_class, bool integer_units = false);

/// A class's latency and initiation interval, in cycles.
struct ClassTiming {
    std::int64_t latency = 1;
    std::int64_t initiation = 1;
};
ClassTiming timing_of(InstructionClass instruction_class, const TimingParameters& timing);

}  // namespace lookahead::gpu
