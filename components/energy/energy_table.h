#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/param/parameters.h"
#include "core/stats/statistics_registry.h"

namespace lookahead {

/// Parameters of the table of energies, prefix "energy".
struct EnergyParameters {
    LOOKAHEAD_PARAMETER(
        std::string, table, "fermi_40nm",
        {.help = "Table of energy per event and static power: the name of a built-in one, or a TOML file.",
         .source = "each table names its own sources (experiments/energy_tables)"});
    LOOKAHEAD_ALL_DECLARED;
};

/// The energy of one event: joules for each count of a counter.
struct EventEnergy {
    std::string component;  ///< row of the breakdown, such as "register_file"
    std::string unit;       ///< the part of the component that spends it
    std::string counter;    ///< "kind.name", summed over all components of the kind
    double joules =
        0;  ///< for one count; below 0: energy that other events count but that is not spent (`spared = true`)
    std::string source;
};

/// The power of a unit while a kernel runs.
struct StaticPower {
    std::string component;
    std::string unit;
    std::string per;   ///< the kind of component that draws it, once per component, or "gpu" for once
    double watts = 0;  ///< of one component
    std::string source;
};

/// Energy per event and static power of one technology.
struct EnergyTable {
    std::string name;
    std::string description;
    std::string toml;  ///< the text that it was read from
    std::vector<EventEnergy> events;
    std::vector<StaticPower> statics;
};

/// Reads `description`, `[[event]]` (component, unit, counter, joules, source) and `[[static]]` (component, unit, per,
/// watts, source) and checks counters and kinds against the statistics that the program has. All these members are
/// required; an event may also have `spared`. Throws ConfigurationError, with file, line and name, for every fault.
EnergyTable parse_energy_table(std::string name, std::string_view toml, const std::string& file,
                               std::span<const StatisticsSetEntry> statistics);

}  // namespace lookahead
