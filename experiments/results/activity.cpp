#include "experiments/results/activity.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <variant>

namespace lookahead {

namespace {

constexpr double kFemtosecondsPerSecond = 1e15;

/// The core clock's frequency in hertz; 0 if unknown.
double frequency_of(const RunRecord& record) {
    const auto entry = std::ranges::find(record.config, "sm.frequency", &EffectiveEntry::key);
    const auto* const hertz = entry == record.config.end() ? nullptr : std::get_if<std::int64_t>(&entry->value);
    return hertz == nullptr ? 0 : static_cast<double>(*hertz);
}

}  // namespace

ActivitySeries activity_of(const RunRecord& record) {
    ActivitySeries activity;
    const double frequency = frequency_of(record);
    const auto sms = std::ranges::find(record.series, kSmKind, &SeriesGroup::kind);
    if (record.kernels.empty() || frequency == 0 || sms == record.series.end()) { return activity; }
    const auto issued = std::ranges::find(sms->columns, kWarpInstructions, &CounterColumn::name);
    if (issued == sms->columns.end()) { return activity; }
    const auto first = std::ranges::min(record.kernels, {}, &KernelRow::start_fs).start_fs;
    const auto last = std::ranges::max(record.kernels, {}, &KernelRow::end_fs).end_fs;
    const double begin = static_cast<double>(first) * frequency / kFemtosecondsPerSecond;
    const double end = static_cast<double>(last) * frequency / kFemtosecondsPerSecond;
    const auto width = static_cast<std::ptrdiff_t>(sms->components.size());
    double before = 0;
    for (std::size_t row = 0; row < sms->cycles.size(); ++row) {
        const auto cycle = static_cast<double>(sms->cycles[row]);
        if (cycle > begin && before < end) {
            const auto from = issued->values.begin() + static_cast<std::ptrdiff_t>(row) * width;
            const auto count = std::accumulate(from, from + width, std::uint64_t{0});
            activity.cycles.push_back(cycle);
            activity.ipc.push_back(static_cast<double>(count) / (cycle - before));
        }
        before = cycle;
    }
    return activity;
}

}  // namespace lookahead
