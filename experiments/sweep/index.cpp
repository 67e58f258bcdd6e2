#include "experiments/sweep/index.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/hdf5/file.h"
#include "experiments/sweep/axis_numbers.h"
#include "experiments/sweep/best.h"
#include "hdf5_schemas/sweep_schema.h"
#include "hdf5_schemas/table_writer.h"

namespace lookahead {

namespace {

namespace schema = sweep_schema;
using hdf5::Group;

void write_points(Group group, const Study& study, const std::vector<Metric>& metrics,
                  std::span<const SweepPoint> points, const IndexFacts& facts) {
    TableWriter table(group, schema::kPointsId, numbers_below<std::uint64_t>(points.size()));
    table.write(schema::kPointsKey, points, &SweepPoint::key);
    table.write(schema::kPointsWorkload, points, &SweepPoint::workload);
    table.write(schema::kPointsStatus, facts.states,
                [](const PointState& state) { return std::string(name_of(state.status)); });
    table.write(schema::kPointsMessage, facts.states, &PointState::message);
    std::vector<std::string> files;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool complete = facts.states[i].status == PointStatus::complete;
        files.push_back(complete ? fmt::format("points/{}.h5", points[i].key) : "");
    }
    table.write(schema::kPointsFile, files);
    table.write(schema::kPointsExitCode, facts.states, &PointState::exit_code);
    table.write(schema::kPointsStateHash, facts.points, &PointFacts::state_hash);
    table.write(schema::kPointsHost, facts.points, &PointFacts::host);
    table.write(schema::kPointsRanks, facts.points, &PointFacts::ranks);
    table.write(schema::kPointsPeakRssBytes, facts.points, &PointFacts::peak_rss_bytes);
    table.write(schema::kPointsPointS, facts.points, &PointFacts::point_s);
    table.write(schema::kPointsResultStamp, facts.points, &PointFacts::stamp);
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        const std::string& name = study.axes[axis].name;
        const std::string unit = unit_of(study.axes[axis]);
        const auto labels = column_of(points, [&](const SweepPoint& point) { return point.labels[axis]; });
        if (is_numeric(study.axes[axis])) {
            table.write(name, {unit, "The axis's value.", long_name_of(name)},
                        column_of(labels, [](const std::string& label) { return number_of(label).value(); }));
        } else {
            table.write(name, {unit, "The axis's value."}, labels);
        }
    }
    for (std::size_t m = 0; m < metrics.size(); ++m) {
        const std::string about =
            metrics[m].expression.empty()
                ? fmt::format("From {} of the result file; NaN without one.", metrics[m].path)
                : fmt::format("{}; NaN without a result that has these counters.", metrics[m].expression);
        table.write(metrics[m].name, {metrics[m].units, about, long_name_of(metrics[m].name)},
                    column_of(facts.points, [&](const PointFacts& point) { return point.metrics[m]; }));
    }
    table.finish();
    group.set_attribute(schema::kPointsNXClassAttribute, "NXdata");
    group.set_attribute(schema::kPointsSignalAttribute, "cycles");
    group.set_attribute(schema::kPointsAxesAttribute, std::vector<std::string>{schema::kPointsId.name});
}

void write_totals(Group group, const IndexFacts& facts) {
    const std::size_t rows = facts.points.size();
    CounterNames used;  // without those that only kernels have
    for (const PointFacts& point : facts.points) {
        for (const CounterTotal& total : point.totals) { used.number_of(facts.names.name(total.counter)); }
    }
    const std::vector<std::string> names = used.sorted();
    const std::vector<std::uint32_t> places = used.places();
    std::vector<std::uint32_t> place(facts.names.size());
    for (std::uint32_t number = 0; number < place.size(); ++number) {
        const std::string& name = facts.names.name(number);
        place[number] = used.has(name) ? places[used.number_of(name)] : 0;
    }
    const std::size_t width = names.size();
    std::vector<std::uint32_t> components(rows * width);
    std::vector<std::uint64_t> sum(rows * width);
    std::vector<std::uint64_t> min(rows * width);
    std::vector<std::uint64_t> max(rows * width);
    for (std::size_t row = 0; row < rows; ++row) {
        for (const CounterTotal& total : facts.points[row].totals) {
            const std::size_t at = row * width + place[total.counter];
            components[at] = total.components;
            sum[at] = total.sum;
            min[at] = total.min;
            max[at] = total.max;
        }
    }
    const auto scale = write_scale(group, schema::kTotalsPoint, numbers_below<std::uint64_t>(rows));
    TableWriter of_counters(group, schema::kTotalsCounter, names);
    of_counters.write(schema::kTotalsUnit, names, [&](const std::string& name) { return facts.units.at(name); });
    of_counters.finish();
    const auto add = [&](const DatasetName& name, const auto& values) {
        write_scaled(group, name, values, {&scale, &of_counters.scale()}, hdf5::Storage::plain);
    };
    add(schema::kTotalsComponents, components);
    add(schema::kTotalsSum, sum);
    add(schema::kTotalsMin, min);
    add(schema::kTotalsMax, max);
}

struct KernelRowOf {
    std::uint64_t point;
    const PointFacts* facts;
    const KernelFacts* kernel;
};

void write_kernels(Group group, const IndexFacts& facts) {
    std::vector<KernelRowOf> rows;
    CounterNames used;
    for (std::size_t point = 0; point < facts.points.size(); ++point) {
        for (const KernelFacts& kernel : facts.points[point].kernels) {
            rows.push_back({point, &facts.points[point], &kernel});
        }
        for (const std::uint32_t counter : facts.points[point].kernel_counters) {
            used.number_of(facts.names.name(counter));
        }
    }
    TableWriter table(group, schema::kKernelsRow, numbers_below<std::uint64_t>(rows.size()));
    table.write(schema::kKernelsPoint, rows, &KernelRowOf::point);
    const auto add = [&](const DatasetName& name, auto member) {
        table.write(name, rows, [&](const KernelRowOf& row) { return row.kernel->*member; });
    };
    add(schema::kKernelsLaunch, &KernelFacts::launch);
    add(schema::kKernelsName, &KernelFacts::name);
    add(schema::kKernelsStartFs, &KernelFacts::start_fs);
    add(schema::kKernelsEndFs, &KernelFacts::end_fs);
    add(schema::kKernelsCycles, &KernelFacts::cycles);
    add(schema::kKernelsWarpInstructions, &KernelFacts::warp_instructions);
    add(schema::kKernelsThreadInstructions, &KernelFacts::thread_instructions);
    table.finish();
    const std::vector<std::string> names = used.sorted();
    const std::vector<std::uint32_t> places = used.places();
    std::vector<std::int64_t> counts(rows.size() * names.size(), -1);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto& counters = rows[row].facts->kernel_counters;
        for (std::size_t i = 0; i < counters.size(); ++i) {
            const std::uint32_t place = places[used.number_of(facts.names.name(counters[i]))];
            counts[row * names.size() + place] = rows[row].kernel->counts[i];
        }
    }
    const auto counters = write_scale(group, schema::kKernelsCounter, names);
    write_scaled(group, schema::kKernelsCounts, counts, {&table.scale(), &counters}, hdf5::Storage::plain);
}

void write_bests(Group group, const Study& study, std::span<const SweepPoint> points,
                 const std::vector<Metric>& metrics, const IndexFacts& facts) {
    std::vector<BestRow> rows;
    for (const Best& best : study.bests) {
        const auto metric =
            static_cast<std::size_t>(std::ranges::find(metrics, best.metric, &Metric::name) - metrics.begin());
        const std::vector<double> figures =
            column_of(facts.points, [&](const PointFacts& point) { return point.metrics[metric]; });
        std::ranges::move(best_rows(study, best, points, figures), std::back_inserter(rows));
    }
    TableWriter table(group, schema::kBestId, numbers_below<std::uint64_t>(rows.size()));
    table.write(schema::kBestName, rows, &BestRow::name);
    table.write(schema::kBestWorkload, rows, &BestRow::workload);
    table.write(schema::kBestAxis, rows, &BestRow::axis);
    table.write(schema::kBestValue, rows, &BestRow::value);
    table.write(schema::kBestPoint, rows, &BestRow::point);
    table.write(schema::kBestComplete, rows, &BestRow::complete);
    table.write(schema::kBestCandidates, rows, &BestRow::candidates);
    table.finish();
}

}  // namespace

void write_index(const Study& study, std::span<const SweepPoint> points, const SweepFolder& folder, bool as_csv) {
    const SweepFolder::Claim claim = folder.claim_index();
    const std::vector<Metric> metrics = all_metrics(study);
    const IndexFacts facts = collect_facts(study, points, folder);
    hdf5::OutputFile file(folder.index_file());
    {
        Group root = file.root();
        root.set_attribute(schema::kSchemaAttribute, schema::kId);
        root.set_attribute(schema::kSchemaVersionAttribute, schema::kVersion);
        root.set_attribute(schema::kDefaultAttribute, schema::kPointsGroup);
        root.set_attribute(schema::kStudyAttribute, study.name);
        root.set_attribute(schema::kTitleAttribute, study.title);
        root.set_attribute(schema::kSourceAttribute, study.source);
        root.set_attribute(schema::kTomlAttribute, study.toml);
        root.set_attribute(schema::kProgramHashAttribute, program_hash());
        root.set_attribute(schema::kAxesAttribute, column_of(study.axes, &Axis::name));
        write_points(root.create_group(schema::kPointsGroup), study, metrics, points, facts);
        write_totals(root.create_group(schema::kTotalsGroup), facts);
        write_kernels(root.create_group(schema::kKernelsGroup), facts);
        write_bests(root.create_group(schema::kBestGroup), study, points, metrics, facts);
    }
    file.commit();
    if (as_csv) {
        folder.write("points.csv", points_as_csv(study, points, facts));
        folder.write("counters.csv", counters_as_csv(points, facts));
    }
}

}  // namespace lookahead
