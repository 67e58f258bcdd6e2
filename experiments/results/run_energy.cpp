#include "experiments/results/run_energy.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lookahead {

namespace {

/// The length of the union of the kernels' times.
std::int64_t busy_time(const std::vector<KernelRow>& kernels) {
    std::vector<std::pair<std::int64_t, std::int64_t>> spans;
    for (const KernelRow& kernel : kernels) {
        spans.emplace_back(kernel.start_fs, kernel.end_fs);
    }
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
            input.counts[group.kind + "." + column.name] =
                std::accumulate(column.values.begin(), column.values.end(), std::uint64_t{0});
        }
    }
    input.busy_fs = busy_time(record.kernels);
    return input;
}

}  // namespace lookahead
