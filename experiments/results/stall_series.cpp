#include "experiments/results/stall_series.h"

#include <algorithm>

namespace lookahead {

void separate_stalls(RunRecord& record, std::string_view kind) {
    const auto found = std::ranges::find(record.series, kind, &SeriesGroup::kind);
    if (found == record.series.end()) { return; }
    StallSeries& stalls = record.stalls;
    stalls.cycles = std::move(found->cycles);
    std::vector<std::size_t> process_of;  // by component
    for (const std::string& component : found->components) {
        const std::string process = component.substr(0, component.find('.'));
        if (stalls.components.empty() || stalls.components.back() != process) { stalls.components.push_back(process); }
        process_of.push_back(stalls.components.size() - 1);
    }
    for (const CounterColumn& column : found->columns) { stalls.causes.push_back(column.name); }
    const std::size_t causes = found->columns.size();
    const std::size_t components = process_of.size();
    stalls.values.assign(stalls.cycles.size() * stalls.components.size() * causes, 0);
    for (std::size_t cause = 0; cause < causes; ++cause) {
        for (std::size_t epoch = 0; epoch < stalls.cycles.size(); ++epoch) {
            for (std::size_t i = 0; i < components; ++i) {
                const std::size_t row = epoch * stalls.components.size() + process_of[i];
                stalls.values[row * causes + cause] += found->columns[cause].values[epoch * components + i];
            }
        }
    }
    record.series.erase(found);
}

}  // namespace lookahead
