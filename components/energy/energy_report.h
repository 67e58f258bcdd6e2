#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "components/energy/energy_table.h"

namespace lookahead {

/// The data of a run that determine its energy.
struct EnergyInput {
    std::map<std::string, std::uint64_t> counts;     ///< by "kind.name": sums over the components of the kind
    std::map<std::string, std::uint64_t> instances;  ///< by kind: number of components
    std::int64_t busy_fs = 0;                        ///< time in which a kernel ran
};

/// One event of the table over the run.
struct EventRow {
    EventEnergy event;
    std::uint64_t count = 0;
    double joules = 0;
};

/// One static power of the table over the run.
struct StaticRow {
    StaticPower power;
    std::uint64_t instances = 0;
    double joules = 0;
};

struct ComponentEnergy {
    std::string name;
    double dynamic_j = 0;
    double static_j = 0;
};

/// The energy of a run, in joules.
struct EnergyReport {
    std::string table;
    std::string description;
    std::string toml;
    std::int64_t busy_fs = 0;
    std::vector<EventRow> events;             ///< as in the table
    std::vector<StaticRow> statics;           ///< as in the table
    std::vector<ComponentEnergy> components;  ///< in the order in which the table first names them
    double dynamic_j = 0;
    double static_j = 0;
    double total_j = 0;
    double average_w = 0;        ///< while kernels ran; 0 if none did
    double energy_delay_js = 0;  ///< energy times busy time
};

/// Computes the energy in one fixed order: events, then static powers, as in the table, into their components; then
/// components in their order. `lookahead_analysis` repeats it in the same order. Counters and kinds that the input
/// lacks count as 0: a machine need not have every part.
EnergyReport energy_of(const EnergyTable& table, const EnergyInput& input);

}  // namespace lookahead
