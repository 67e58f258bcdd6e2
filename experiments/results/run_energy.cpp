#include "experiments/results/run_energy.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace lookahead {

namespace {

/// The length of the union of the kernels' times.
std::int64_t busy_time(const std::vector<KernelRow>& kernels) {
    std::vector<std::pair<std::int64_t, std::int64_t>> spans;
    for (const KernelRow& kernel : kernels) { spans.emplace_back(kernel.start_fs, kernel.end_fs); }
    std::ranges::sort(spans);
    std::int64_t busy = 0;
    std::int64_t covered = 0;
    for (const auto& [start, end] : spans) {
        busy += std::max<std::int64_t>(0, end - std::max(start, covered));
        covered = std::max(covered, end);
    }
    return busy;
}

}  // namespace

EnergyInput energy_input(const RunRecord& record) {
    EnergyInput input;
    for (const CounterGroup& group : record.counters) {
        input.instances[group.kind] = group.components.size();
        for (const CounterColumn& column : group.columns) {
            input.counts[fmt::format("{}.{}", group.kind, column.name)] =
                std::accumulate(column.values.begin(), column.values.end(), std::uint64_t{0});
        }
    }
    input.busy_fs = busy_time(record.kernels);
    return input;
}

void compute_kernel_energies(RunRecord& record) {
    constexpr double kSecondsPerFemtosecond = 1e-15;
    const EnergyReport& energy = record.energy;
    const auto component = [&](const std::string& name) {
        const auto found = std::ranges::find(energy.components, name, &ComponentEnergy::name);
        return static_cast<std::size_t>(found - energy.components.begin());
    };
    std::vector<std::pair<std::size_t, std::size_t>> places;  // by event: the counter's column, and the component
    for (const EventRow& row : energy.events) {
        const auto& names = record.kernel_counters.counters;
        const auto column = static_cast<std::size_t>(std::ranges::find(names, row.event.counter) - names.begin());
        places.emplace_back(column, component(row.event.component));
    }
    const std::size_t columns = record.kernel_counters.counters.size();
    const std::size_t components = energy.components.size();
    record.kernel_energies.joules.assign(record.kernels.size() * components * 2, 0);
    for (std::size_t kernel = 0; kernel < record.kernels.size(); ++kernel) {
        double* joules = record.kernel_energies.joules.data() + kernel * components * 2;
        for (std::size_t event = 0; event < places.size(); ++event) {
            const auto [column, place] = places[event];
            if (column < columns) {
                const std::uint64_t count = record.kernel_counters.values[kernel * columns + column];
                joules[place * 2] += static_cast<double>(count) * energy.events[event].event.joules;
            }
        }
        const KernelRow& row = record.kernels[kernel];
        const double seconds = static_cast<double>(row.end_fs - row.start_fs) * kSecondsPerFemtosecond;
        for (const StaticRow& each : energy.statics) {
            joules[component(each.power.component) * 2 + 1] +=
                static_cast<double>(each.instances) * each.power.watts * seconds;
        }
        record.kernel_energies.energy_delay_js.push_back(std::accumulate(joules, joules + components * 2, 0.0) *
                                                         seconds);
    }
}

}  // namespace lookahead
