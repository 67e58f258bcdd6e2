#pragma once

#include <array>
#include <cstdint>
#include <string_view>

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

}  // namespace lookahead::gpu
