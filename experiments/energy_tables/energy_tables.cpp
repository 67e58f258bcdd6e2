#include "experiments/energy_tables/energy_tables.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/error/error.h"
#include "core/files/writable.h"
#include "core/param/suggestion.h"

namespace lookahead {

namespace {

/// Null if there is no table with that name.
const BuiltInEnergyTable* find_built_in(std::string_view name) {
    const auto tables = built_in_energy_tables();
    const auto found = std::ranges::find(tables, name, &BuiltInEnergyTable::name);
    return found == tables.end() ? nullptr : &*found;
}

}  // namespace

EnergyTable fit_built_in_energy_table(const BuiltInEnergyTable& table, std::span<const StatisticsSetEntry> statistics) {
    const std::string name(table.name);
    try {
        return parse_energy_table(name, table.toml, fmt::format("experiments/energy_tables/{}.toml", name), statistics);
    } catch (const ConfigurationError& error) {
        throw InternalError(
            "the energy table {}, which is part of this program, does not fit its statistics: {}. Whoever renamed the "
            "statistic must rename it in the table too; until then give a table of your own with "
            "energy.table=FILE.toml",
            name, error.what());
    }
}

EnergyTable load_energy_table(const std::string& name_or_file, const std::string& place) {
    if (name_or_file.ends_with(".toml") || name_or_file.find('/') != std::string::npos) {
        const auto toml = read_file(name_or_file);
        if (!toml) { throw InputError("{}: {}: the energy table cannot be read", place, name_or_file); }
        return parse_energy_table(name_or_file, *toml, name_or_file, registered_statistics_sets());
    }
    if (const BuiltInEnergyTable* table = find_built_in(name_or_file)) {
        static std::map<std::string, EnergyTable> known;  // tables do not change, and thousands of points share one
        const auto found = known.find(name_or_file);
        return found != known.end()
                   ? found->second
                   : known.emplace(name_or_file, fit_built_in_energy_table(*table, registered_statistics_sets()))
                         .first->second;
    }
    std::vector<std::string> known;
    for (const BuiltInEnergyTable& table : built_in_energy_tables()) { known.emplace_back(table.name); }
    throw ConfigurationError("{}: unknown energy table '{}'{}; a file's name ends in .toml", place, name_or_file,
                             did_you_mean(name_or_file, known));
}

}  // namespace lookahead
