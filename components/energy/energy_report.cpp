#include "components/energy/energy_report.h"

#include <algorithm>

namespace lookahead {

namespace {

constexpr double kSecondsPerFemtosecond = 1e-15;

std::uint64_t value_or_zero(const std::map<std::string, std::uint64_t>& values, const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? 0 : found->second;
}

ComponentEnergy& component_of(EnergyReport& report, const std::string& name) {
    const auto found = std::ranges::find(report.components, name, &ComponentEnergy::name);
    return found != report.components.end() ? *found : report.components.emplace_back(ComponentEnergy{name});
}

}  // namespace

EnergyReport energy_of(const EnergyTable& table, const EnergyInput& input) {
    EnergyReport report;
    report.table = table.name;
    report.description = table.description;
    report.toml = table.toml;
    report.busy_fs = input.busy_fs;
    const double seconds = static_cast<double>(input.busy_fs) * kSecondsPerFemtosecond;
    for (const EventEnergy& event : table.events) {
        const std::uint64_t count = value_or_zero(input.counts, event.counter);
        const double joules = static_cast<double>(count) * event.joules;
        report.events.push_back({event, count, joules});
        component_of(report, event.component).dynamic_j += joules;
    }
    for (const StaticPower& power : table.statics) {
        const std::uint64_t instances = power.per == "gpu" ? 1 : value_or_zero(input.instances, power.per);
        const double joules = static_cast<double>(instances) * power.watts * seconds;
        report.statics.push_back({power, instances, joules});
        component_of(report, power.component).static_j += joules;
    }
    for (const ComponentEnergy& component : report.components) {
        report.dynamic_j += component.dynamic_j;
        report.static_j += component.static_j;
    }
    report.total_j = report.dynamic_j + report.static_j;
    report.average_w = seconds > 0 ? report.total_j / seconds : 0;
    report.energy_delay_js = report.total_j * seconds;
    return report;
}

}  // namespace lookahead
