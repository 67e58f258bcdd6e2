#include "experiments/sweep/costs.h"

#include <fmt/core.h>

#include <numeric>
#include <string_view>

#include "components/device/device_print.h"
#include "components/emulator/emulated_device.h"
#include "components/sm/simt/simt_model.h"
#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "experiments/run/program.h"
#include "experiments/sweep/axis_numbers.h"
#include "hdf5_schemas/run_schema.h"
#include "hdf5_schemas/sweep_schema.h"

namespace lookahead {

namespace {

constexpr std::uint64_t kMostInstructions = 20'000'000;

/// The label in comparable form: the index has an axis of numbers as a column of numbers.
std::string comparable(const std::string& label) {
    const auto number = number_of(label);
    return number ? fmt::format("{}", *number) : label;
}

std::vector<std::string> read_labels(const hdf5::Dataset& column) {
    if (column.type() == hdf5::ElementType::text) { return column.read_texts(); }
    std::vector<std::string> labels;
    for (const double number : column.read<double>()) { labels.push_back(fmt::format("{}", number)); }
    return labels;
}

std::string name_of_point(const std::string& workload, std::span<const std::string> labels) {
    std::string name = workload;
    for (const std::string& label : labels) { name.append(1, '\0').append(comparable(label)); }
    return name;
}

}  // namespace

std::string program_of(std::span<const std::string> arguments) {
    std::string program = arguments.front();
    for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
        if (arguments[i] == "--set" || arguments[i] == "--size" || arguments[i] == "--seed") {
            program.append(1, '\0').append(arguments[i + 1]);
        }
    }
    return program;
}

EarlierCosts::EarlierCosts(const Study& study, const SweepFolder& folder, std::span<const SweepPoint> points) {
    try {
        read_index(study, folder, points);
    } catch (const InputError&) {
        // There is no index yet, or it has other columns: costs only order the points.
    }
    constexpr double kSamples = 5;
    for (const SweepPoint& point : points) {
        Mean& mean = programs_[program_of(point.arguments)];
        if (mean.count < kSamples && folder.state(point).status == PointStatus::complete) {
            const hdf5::InputFile file(folder.result_file(point));
            const hdf5::Group meta = file.root().open_group(run_schema::kMetaGroup);
            add(point, meta.attribute_as<double>(run_schema::kMetaWallSAttribute) *
                           static_cast<double>(meta.attribute_as<std::int64_t>(run_schema::kMetaRanksAttribute)));
        }
    }
}

void EarlierCosts::read_index(const Study& study, const SweepFolder& folder, std::span<const SweepPoint> points) {
    if (!hdf5::is_whole_file(folder.index_file())) { return; }
    const hdf5::InputFile file(folder.index_file());
    const hdf5::Group table = file.root().open_group(sweep_schema::kPointsGroup);
    std::vector<std::vector<std::string>> names{table.open_dataset(sweep_schema::kPointsWorkload.name).read_texts()};
    for (const Axis& axis : study.axes) { names.push_back(read_labels(table.open_dataset(axis.name))); }
    const std::vector<double> seconds = table.open_dataset("wall_s").read<double>();
    const std::vector<double> ranks =
        table.has("ranks") ? table.open_dataset("ranks").read<double>() : std::vector<double>(seconds.size(), 1.0);
    std::map<std::string, double> rows;
    for (std::size_t row = 0; row < seconds.size(); ++row) {
        std::vector<std::string> labels;
        for (std::size_t axis = 1; axis < names.size(); ++axis) { labels.push_back(names[axis][row]); }
        rows.emplace(name_of_point(names[0][row], labels), seconds[row] * ranks[row]);
    }
    for (const SweepPoint& point : points) {
        const auto row = rows.find(name_of_point(point.workload, point.labels));
        if (row != rows.end() && row->second > 0) {  // not NaN, the value of a failed point
            add(point, row->second);
        }
    }
}

void EarlierCosts::add(const SweepPoint& point, double seconds) {
    points_[name_of_point(point.workload, point.labels)] = seconds;
    Mean& mean = programs_[program_of(point.arguments)];
    mean.sum += seconds;
    ++mean.count;
}

std::optional<double> EarlierCosts::of(const SweepPoint& point) const {
    const auto itself = points_.find(name_of_point(point.workload, point.labels));
    if (itself != points_.end()) { return itself->second; }
    const auto program = programs_.find(program_of(point.arguments));
    return program == programs_.end() || program->second.count == 0
               ? std::nullopt
               : std::optional(program->second.sum / program->second.count);
}

std::uint64_t count_warp_instructions(const RunRequest& request) {
    const auto workload = make_variant<Workload>(request.workload, request.configuration, request.context);
    EmulatedDevice device(load_kernels(*workload, request.configuration),
                          {.max_warp_instructions = kMostInstructions, .simt = gpu::simt_model(request.configuration)});
    PrintingDevice printing(device, device.kernels().image, [](std::string_view) {});
    try {
        workload->run(printing);
    } catch (const ProgramError&) {
        return kMostInstructions;  // it executes at least these, or fails, as its run will show
    }
    return device.counts().total.warps;
}

std::vector<int> choose_ranks(std::span<const double> costs, int ranks) {
    const double share = std::accumulate(costs.begin(), costs.end(), 0.0) / ranks;
    std::vector<int> chosen;
    for (const double cost : costs) {
        int each = 1;
        while (each * 2 <= ranks && cost / each > share) { each *= 2; }
        chosen.push_back(each);
    }
    return chosen;
}

}  // namespace lookahead
