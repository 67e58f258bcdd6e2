#pragma once

#include <span>
#include <string>
#include <string_view>

#include "components/energy/energy_table.h"

namespace lookahead {

/// An energy table that is part of the program.
struct BuiltInEnergyTable {
    std::string_view name;
    std::string_view toml;
};

std::span<const BuiltInEnergyTable> built_in_energy_tables();
/// Reads a built-in table. One that does not fit the statistics, since one of them was renamed, is an InternalError
/// that names the table, the entry and the way round.
EnergyTable fit_built_in_energy_table(const BuiltInEnergyTable& table, std::span<const StatisticsSetEntry> statistics);

/// A built-in table, or that of a TOML file (anything that ends in .toml or holds a '/'), checked against the
/// statistics of this program. `place` says where it is asked for. Unknown names and faults in a table are a
/// ConfigurationError, unreadable files an InputError.
EnergyTable load_energy_table(const std::string& name_or_file, const std::string& place);

}  // namespace lookahead
