#include "experiments/sweep/index.h"

#include <algorithm>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "hdf5_schemas/sweep_schema.h"

namespace lookahead {

namespace {

namespace schema = sweep_schema;
using hdf5::Group;
using hdf5::InputFile;

/// Whether the index has at least these metrics, with equal definitions.
bool has_metrics(const Group& root, const std::vector<Metric>& metrics) {
    const Study before = parse_study(root.text_attribute(schema::kTomlAttribute), "before", "index");
    const std::vector<Metric> known = all_metrics(before);
    return std::ranges::all_of(metrics, [&](const Metric& metric) {
        const auto found = std::ranges::find(known, metric.name, &Metric::name);
        return found != known.end() && found->path == metric.path && found->reduction == metric.reduction &&
               found->expression == metric.expression;
    });
}

std::vector<std::uint32_t> read_counters(const Group& table, const char* column, CounterNames& names) {
    std::vector<std::uint32_t> numbers;
    for (const std::string& name : table.open_dataset(column).read_texts()) {
        numbers.push_back(names.number_of(name));
    }
    return numbers;
}

void read_totals(const Group& table, IndexFacts& facts, std::vector<PointFacts>& points) {
    const auto counters = read_counters(table, schema::kTotalsCounter.name, facts.names);
    const auto units = table.open_dataset(schema::kTotalsUnit.name).read_texts();
    for (std::size_t i = 0; i < counters.size(); ++i) { facts.units[facts.names.name(counters[i])] = units[i]; }
    const auto components = table.open_dataset(schema::kTotalsComponents.name).read<std::uint32_t>();
    const auto sum = table.open_dataset(schema::kTotalsSum.name).read<std::uint64_t>();
    const auto min = table.open_dataset(schema::kTotalsMin.name).read<std::uint64_t>();
    const auto max = table.open_dataset(schema::kTotalsMax.name).read<std::uint64_t>();
    for (std::size_t row = 0; row < points.size(); ++row) {
        for (std::size_t i = 0; i < counters.size(); ++i) {
            const std::size_t at = row * counters.size() + i;
            if (components[at] != 0) {
                points[row].totals.push_back({counters[i], components[at], sum[at], min[at], max[at]});
            }
        }
    }
}

void read_kernels(const Group& table, IndexFacts& facts, std::vector<PointFacts>& points) {
    const auto counters = read_counters(table, schema::kKernelsCounter.name, facts.names);
    const auto point = table.open_dataset(schema::kKernelsPoint.name).read<std::uint64_t>();
    const auto counts = table.open_dataset(schema::kKernelsCounts.name).read<std::int64_t>();
    std::vector<KernelFacts> kernels(point.size());
    read_column(table, schema::kKernelsLaunch, kernels, &KernelFacts::launch);
    read_kernel_columns(table, kernels);
    for (std::size_t row = 0; row < kernels.size(); ++row) {
        if (point[row] >= points.size()) {
            throw InputError("{}: {} names point {}, but there are {}; remove the file, and the sweep makes it again",
                             table.file_name(), schema::kKernelsPoint.name, point[row], points.size());
        }
        PointFacts& of = points[point[row]];
        const std::int64_t* const values = counts.data() + row * counters.size();
        if (of.kernels.empty()) {
            for (std::size_t i = 0; i < counters.size(); ++i) {
                if (values[i] >= 0) { of.kernel_counters.push_back(counters[i]); }
            }
        }
        for (std::size_t i = 0; i < counters.size(); ++i) {
            if (values[i] >= 0) { kernels[row].counts.push_back(values[i]); }
        }
        of.kernels.push_back(std::move(kernels[row]));
    }
}

/// The facts in the folder's index, by key. Empty without an index, or if it has another version or other metrics.
std::map<std::string, PointFacts> facts_of_index(const SweepFolder& folder, const std::vector<Metric>& metrics,
                                                 IndexFacts& facts) {
    if (!hdf5::is_whole_file(folder.index_file())) { return {}; }
    const InputFile file(folder.index_file());
    const Group root = file.root();
    if (!root.has_attribute(schema::kSchemaVersionAttribute) ||
        root.text_attribute(schema::kSchemaVersionAttribute) != schema::kVersion || !has_metrics(root, metrics)) {
        return {};
    }
    const Group table = root.open_group(schema::kPointsGroup);
    const auto keys = table.open_dataset(schema::kPointsKey.name).read_texts();
    std::vector<PointFacts> points(keys.size());
    read_column(table, schema::kPointsStateHash, points, &PointFacts::state_hash);
    read_column(table, schema::kPointsHost, points, &PointFacts::host);
    read_column(table, schema::kPointsRanks, points, &PointFacts::ranks);
    read_column(table, schema::kPointsPeakRssBytes, points, &PointFacts::peak_rss_bytes);
    read_column(table, schema::kPointsPointS, points, &PointFacts::point_s);
    read_column(table, schema::kPointsResultStamp, points, &PointFacts::stamp);
    for (const Metric& metric : metrics) {
        const auto values = table.open_dataset(metric.name).read<double>();
        for (std::size_t row = 0; row < points.size(); ++row) { points[row].metrics.push_back(values[row]); }
    }
    read_totals(root.open_group(schema::kTotalsGroup), facts, points);
    read_kernels(root.open_group(schema::kKernelsGroup), facts, points);
    std::map<std::string, PointFacts> by_key;
    for (std::size_t row = 0; row < points.size(); ++row) { by_key.emplace(keys[row], std::move(points[row])); }
    return by_key;
}

}  // namespace

IndexFacts collect_facts(const Study& study, std::span<const SweepPoint> points, const SweepFolder& folder) {
    IndexFacts facts;
    const std::vector<Metric> metrics = all_metrics(study);
    const std::map<std::string, PointFacts> before = facts_of_index(folder, metrics, facts);
    for (const SweepPoint& point : points) {
        const PointState& state = facts.states.emplace_back(folder.state(point));
        PointFacts& fact = facts.points.emplace_back();
        if (state.status == PointStatus::complete) {
            const std::string file = folder.result_file(point);
            const auto known = before.find(point.key);
            fact = known != before.end() && known->second.stamp == stamp_of(file)
                       ? known->second  // a copy: two points may share a key
                       : read_point_facts(file, metrics, facts.names, facts.units);
        } else {
            fact.metrics.assign(metrics.size(), std::numeric_limits<double>::quiet_NaN());
            if (state.status == PointStatus::failed) { fact.point_s = state.wall_s; }
        }
    }
    return facts;
}

}  // namespace lookahead
