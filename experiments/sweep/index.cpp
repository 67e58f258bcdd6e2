#include "experiments/sweep/index.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "experiments/results/run_record.h"
#include "experiments/sweep/best.h"
#include "hdf5_schemas/sweep_schema.h"

namespace lookahead {

namespace {

namespace schema = sweep_schema;
using hdf5::Dataset;
using hdf5::Group;
using hdf5::InputFile;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double number_of(const hdf5::AttributeValue& value, const std::string& what) {
    return std::visit(
        [&]<class T>(const T& each) -> double {
            if constexpr (std::is_arithmetic_v<T>) {
                return static_cast<double>(each);
            }
            throw InputError(what + " is not a number");
        },
        value);
}

double reduced(const std::vector<double>& values, Metric::Reduction reduction) {
    if (values.empty()) {
        return 0;
    }
    if (reduction == Metric::Reduction::max) {
        return *std::max_element(values.begin(), values.end());
    }
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return reduction == Metric::Reduction::sum ? sum : sum / static_cast<double>(values.size());
}

/// The object at "a/b/c"; every part but the last is a group.
Group group_at(const InputFile& file, std::string_view path, const std::string& what) {
    Group group = file.root();
    while (!path.empty()) {
        const auto slash = path.find('/');
        const std::string name(path.substr(0, slash));
        if (!group.has(name)) {
            throw InputError(what + ": there is no group " + name + " in " + group.name());
        }
        group = group.open_group(name);
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    return group;
}

double value_of(const Metric& metric, const InputFile& file, const std::string& path) {
    const std::string what = path + ": the metric " + metric.name + " (" + metric.path + ")";
    const auto at = metric.path.find('@');
    const auto slash = metric.path.rfind('/');
    if (at != std::string::npos || slash == std::string::npos) {
        const Group group = group_at(file, at == std::string::npos ? "" : metric.path.substr(0, at), what);
        const std::string name = at == std::string::npos ? metric.path : metric.path.substr(at + 1);
        if (!group.has_attribute(name)) {
            throw InputError(what + ": " + group.name() + " has no attribute " + name);
        }
        return number_of(group.attribute(name), what);
    }
    const Group group = group_at(file, metric.path.substr(0, slash), what);
    const std::string name = metric.path.substr(slash + 1);
    if (!group.has(name)) {
        throw InputError(what + ": there is no dataset " + name + " in " + group.name());
    }
    return reduced(group.open_dataset(name).read<double>(), metric.reduction);
}

const char* status_name(PointStatus status) {
    constexpr const char* names[] = {"missing", "complete", "failed"};
    return names[static_cast<int>(status)];
}

/// The table, column by column.
struct Columns {
    std::vector<std::uint64_t> id;
    std::vector<std::string> key, workload, status, message, file;
    std::vector<std::int32_t> exit_code;
    std::vector<std::vector<std::string>> axes;
    std::vector<std::vector<double>> metrics;
};

Columns collect(std::span<const SweepPoint> points, const SweepFolder& folder, const std::vector<Metric>& metrics,
                std::size_t axes) {
    Columns columns;
    columns.axes.resize(axes);
    columns.metrics.resize(metrics.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const SweepPoint& point = points[i];
        const PointState state = folder.state(point);
        const bool complete = state.status == PointStatus::complete;
        columns.id.push_back(i);
        columns.key.push_back(point.key);
        columns.workload.push_back(point.workload);
        columns.status.push_back(status_name(state.status));
        columns.exit_code.push_back(state.exit_code);
        columns.message.push_back(state.message);
        columns.file.push_back(complete ? "points/" + point.key + ".h5" : "");
        for (std::size_t axis = 0; axis < axes; ++axis) {
            columns.axes[axis].push_back(point.labels[axis]);
        }
        if (!complete) {
            for (auto& column : columns.metrics) {
                column.push_back(kNothing);
            }
            continue;
        }
        const std::string path = folder.result_file(point);
        const InputFile file(path);
        for (std::size_t m = 0; m < metrics.size(); ++m) {
            columns.metrics[m].push_back(value_of(metrics[m], file, path));
        }
    }
    return columns;
}

void write_points(Group group, const Study& study, const std::vector<Metric>& metrics, const Columns& columns) {
    Dataset scale =
        group.write_column<std::uint64_t>(schema::kPointsId.name, columns.id, meaning_of(schema::kPointsId));
    scale.make_scale(schema::kPointsId.name);
    std::vector<Dataset> all;
    const auto text = [&](const DatasetName& name, const std::vector<std::string>& values) {
        all.push_back(group.write_texts(name.name, values, meaning_of(name)));
    };
    text(schema::kPointsKey, columns.key);
    text(schema::kPointsWorkload, columns.workload);
    text(schema::kPointsStatus, columns.status);
    text(schema::kPointsMessage, columns.message);
    text(schema::kPointsFile, columns.file);
    all.push_back(group.write_column<std::int32_t>(schema::kPointsExitCode.name, columns.exit_code,
                                                   meaning_of(schema::kPointsExitCode)));
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        all.push_back(group.write_texts(study.axes[axis].name, columns.axes[axis], {"", "The axis's value."}));
    }
    for (std::size_t m = 0; m < metrics.size(); ++m) {
        const std::string about = "From " + metrics[m].path + " of the result file; NaN without one.";
        all.push_back(group.write_column<double>(metrics[m].name, columns.metrics[m], {metrics[m].units, about}));
    }
    hdf5::attach_scales(all, {&scale});
}

void write_bests(Group group, const Study& study, std::span<const SweepPoint> points,
                 const std::vector<Metric>& metrics, const Columns& columns) {
    std::vector<BestRow> rows;
    for (const Best& best : study.bests) {
        const auto metric = std::ranges::find(metrics, best.metric, &Metric::name) - metrics.begin();
        std::ranges::move(best_rows(study, best, points, columns.metrics[static_cast<std::size_t>(metric)]),
                          std::back_inserter(rows));
    }
    std::vector<std::uint64_t> ids(rows.size());
    std::iota(ids.begin(), ids.end(), 0);
    Dataset scale = group.write_column<std::uint64_t>(schema::kBestId.name, ids, meaning_of(schema::kBestId));
    scale.make_scale(schema::kBestId.name);
    std::vector<Dataset> all;
    const auto text = [&](const DatasetName& name, std::string BestRow::*member) {
        std::vector<std::string> values;
        std::ranges::transform(rows, std::back_inserter(values), member);
        all.push_back(group.write_texts(name.name, values, meaning_of(name)));
    };
    const auto number = [&]<class T>(const DatasetName& name, T BestRow::*member) {
        std::vector<T> values;
        std::ranges::transform(rows, std::back_inserter(values), member);
        all.push_back(group.write_column<T>(name.name, values, meaning_of(name)));
    };
    text(schema::kBestName, &BestRow::name);
    text(schema::kBestWorkload, &BestRow::workload);
    text(schema::kBestAxis, &BestRow::axis);
    text(schema::kBestValue, &BestRow::value);
    number(schema::kBestPoint, &BestRow::point);
    number(schema::kBestComplete, &BestRow::complete);
    number(schema::kBestCandidates, &BestRow::candidates);
    hdf5::attach_scales(all, {&scale});
}

}  // namespace

void write_index(const Study& study, std::span<const SweepPoint> points, const SweepFolder& folder) {
    std::vector<Metric> metrics = common_metrics();
    metrics.insert(metrics.end(), study.metrics.begin(), study.metrics.end());
    const Columns columns = collect(points, folder, metrics, study.axes.size());

    const SweepFolder::Claim claim = folder.claim_index();
    hdf5::OutputFile file(folder.index_file());
    {
        Group root = file.root();
        root.set_attribute(schema::kSchemaAttribute, schema::kId);
        root.set_attribute(schema::kSchemaVersionAttribute, schema::kVersion);
        root.set_attribute(schema::kStudyAttribute, study.name);
        root.set_attribute(schema::kTitleAttribute, study.title);
        root.set_attribute(schema::kSourceAttribute, study.source);
        root.set_attribute(schema::kTomlAttribute, study.toml);
        root.set_attribute(schema::kProgramHashAttribute, hash_text(program_hash()));
        write_points(root.create_group(schema::kPointsGroup), study, metrics, columns);
        write_bests(root.create_group(schema::kBestGroup), study, points, metrics, columns);
    }
    file.commit();
}

}  // namespace lookahead
