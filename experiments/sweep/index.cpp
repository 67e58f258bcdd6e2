#include "experiments/sweep/index.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/hdf5/file.h"
#include "experiments/sweep/axis_numbers.h"
#include "experiments/sweep/best.h"
#include "experiments/sweep/csv.h"
#include "experiments/sweep/index_facts.h"
#include "hdf5_schemas/sweep_schema.h"

namespace lookahead {

namespace {

namespace schema = sweep_schema;
using hdf5::Dataset;
using hdf5::Group;

/// One value of each of the items.
template <class Items, class F>
auto column_of(const Items& items, F&& value) {
    std::vector<std::decay_t<decltype(value(items[0]))>> values;
    values.reserve(items.size());
    for (const auto& item : items) {
        values.push_back(value(item));
    }
    return values;
}

/// The columns of a table, whose scale is its first.
class Table {
  public:
    Table(Group group, const DatasetName& scale, std::size_t rows) : group_(std::move(group)) {
        std::vector<std::uint64_t> numbers(rows);
        std::iota(numbers.begin(), numbers.end(), 0);
        columns_.push_back(group_.write_column<std::uint64_t>(scale.name, numbers, meaning_of(scale)));
        columns_.front().make_scale(scale.name);
    }

    void add(const std::string& name, const std::vector<std::string>& values, const hdf5::Meaning& meaning) {
        columns_.push_back(group_.write_texts(name, values, meaning));
    }
    template <hdf5::Element T>
    void add(const std::string& name, const std::vector<T>& values, const hdf5::Meaning& meaning) {
        columns_.push_back(group_.write_column<T>(name, values, meaning));
    }
    template <class T>
    void add(const DatasetName& name, const std::vector<T>& values) {
        add(std::string(name.name), values, meaning_of(name));
    }

    Group& group() { return group_; }
    Dataset& scale() { return columns_.front(); }
    void attach() { hdf5::attach_scales(std::span(columns_).subspan(1), {&scale()}); }

  private:
    Group group_;
    std::vector<Dataset> columns_;
};

void write_points(Group group, const Study& study, const std::vector<Metric>& metrics,
                  std::span<const SweepPoint> points, const IndexFacts& facts) {
    Table table(std::move(group), schema::kPointsId, points.size());
    const auto of_point = [&](const DatasetName& name, auto member) {
        table.add(name, column_of(points, [&](const SweepPoint& point) { return point.*member; }));
    };
    const auto of_state = [&](const DatasetName& name, auto value) { table.add(name, column_of(facts.states, value)); };
    const auto of_facts = [&](const DatasetName& name, auto member) {
        table.add(name, column_of(facts.points, [&](const PointFacts& point) { return point.*member; }));
    };
    of_point(schema::kPointsKey, &SweepPoint::key);
    of_point(schema::kPointsWorkload, &SweepPoint::workload);
    of_state(schema::kPointsStatus, [](const PointState& state) { return std::string(name_of(state.status)); });
    of_state(schema::kPointsMessage, [](const PointState& state) { return state.message; });
    std::vector<std::string> files;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool complete = facts.states[i].status == PointStatus::complete;
        files.push_back(complete ? "points/" + points[i].key + ".h5" : "");
    }
    table.add(schema::kPointsFile, files);
    of_state(schema::kPointsExitCode, [](const PointState& state) { return std::int32_t{state.exit_code}; });
    of_facts(schema::kPointsStateHash, &PointFacts::state_hash);
    of_facts(schema::kPointsHost, &PointFacts::host);
    of_facts(schema::kPointsRanks, &PointFacts::ranks);
    of_facts(schema::kPointsPeakRssBytes, &PointFacts::peak_rss_bytes);
    of_facts(schema::kPointsPointS, &PointFacts::point_s);
    of_facts(schema::kPointsResultStamp, &PointFacts::stamp);
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        const std::string& name = study.axes[axis].name;
        const std::string unit = unit_of(study.axes[axis]);
        const auto labels = column_of(points, [&](const SweepPoint& point) { return point.labels[axis]; });
        if (is_numeric(study.axes[axis])) {
            table.add(name, column_of(labels, [](const std::string& label) { return number_of(label).value(); }),
                      {unit, "The axis's value.", long_name_of(name)});
        } else {
            table.add(name, labels, {unit, "The axis's value."});
        }
    }
    for (std::size_t m = 0; m < metrics.size(); ++m) {
        const std::string about = metrics[m].expression.empty()
                                      ? "From " + metrics[m].path + " of the result file; NaN without one."
                                      : metrics[m].expression + "; NaN without a result, or one with these counters.";
        table.add(metrics[m].name, column_of(facts.points, [&](const PointFacts& point) { return point.metrics[m]; }),
                  {metrics[m].units, about, long_name_of(metrics[m].name)});
    }
    table.attach();
    table.group().set_attribute(schema::kPointsNXClassAttribute, "NXdata");
    table.group().set_attribute(schema::kPointsSignalAttribute, "cycles");
    table.group().set_attribute(schema::kPointsAxesAttribute, std::vector<std::string>{schema::kPointsId.name});
}

/// The names of counters as the scale of an array's second dimension.
Dataset write_counters(Group& group, const DatasetName& name, const std::vector<std::string>& names) {
    Dataset scale = group.write_texts(name.name, names, meaning_of(name));
    scale.make_scale(name.name);
    return scale;
}

void write_totals(Group group, const IndexFacts& facts) {
    const std::size_t rows = facts.points.size();
    CounterNames used;  // those of kernels alone are left out
    for (const PointFacts& point : facts.points) {
        for (const CounterTotal& total : point.totals) {
            used.number_of(facts.names.name(total.counter));
        }
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
    Table table(std::move(group), schema::kTotalsPoint, rows);
    const Dataset counters = write_counters(table.group(), schema::kTotalsCounter, names);
    const Dataset units[] = {table.group().write_texts(
        schema::kTotalsUnit.name, column_of(names, [&](const std::string& name) { return facts.units.at(name); }),
        meaning_of(schema::kTotalsUnit))};
    hdf5::attach_scales(units, {&counters});
    const std::uint64_t shape[] = {rows, width};
    std::vector<Dataset> arrays;
    const auto add = [&]<class T>(const DatasetName& name, const std::vector<T>& values) {
        arrays.push_back(
            table.group().write_array<T>(name.name, values, shape, meaning_of(name), hdf5::Storage::plain));
        arrays.back().attach_scale(0, table.scale());
        arrays.back().attach_scale(1, counters);
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
    Table table(std::move(group), schema::kKernelsRow, rows.size());
    table.add(schema::kKernelsPoint, column_of(rows, [](const KernelRowOf& row) { return row.point; }));
    const auto add = [&](const DatasetName& name, auto member) {
        table.add(name, column_of(rows, [&](const KernelRowOf& row) { return row.kernel->*member; }));
    };
    add(schema::kKernelsLaunch, &KernelFacts::launch);
    add(schema::kKernelsName, &KernelFacts::name);
    add(schema::kKernelsStartFs, &KernelFacts::start_fs);
    add(schema::kKernelsEndFs, &KernelFacts::end_fs);
    add(schema::kKernelsCycles, &KernelFacts::cycles);
    add(schema::kKernelsWarpInstructions, &KernelFacts::warp_instructions);
    add(schema::kKernelsThreadInstructions, &KernelFacts::thread_instructions);
    table.attach();
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
    const Dataset counters = write_counters(table.group(), schema::kKernelsCounter, names);
    const std::uint64_t shape[] = {rows.size(), names.size()};
    Dataset array = table.group().write_array<std::int64_t>(schema::kKernelsCounts.name, counts, shape,
                                                            meaning_of(schema::kKernelsCounts), hdf5::Storage::plain);
    array.attach_scale(0, table.scale());
    array.attach_scale(1, counters);
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
    Table table(std::move(group), schema::kBestId, rows.size());
    const auto add = [&](const DatasetName& name, auto member) {
        table.add(name, column_of(rows, [&](const BestRow& row) { return row.*member; }));
    };
    add(schema::kBestName, &BestRow::name);
    add(schema::kBestWorkload, &BestRow::workload);
    add(schema::kBestAxis, &BestRow::axis);
    add(schema::kBestValue, &BestRow::value);
    add(schema::kBestPoint, &BestRow::point);
    add(schema::kBestComplete, &BestRow::complete);
    add(schema::kBestCandidates, &BestRow::candidates);
    table.attach();
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
        root.set_attribute(schema::kAxesAttribute, column_of(study.axes, [](const Axis& axis) { return axis.name; }));
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
