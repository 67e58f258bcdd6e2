#include "experiments/sweep/point_facts.h"

#include <sys/stat.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "core/state/state_hasher.h"
#include "experiments/sweep/expression.h"
#include "hdf5_schemas/run_schema.h"

namespace lookahead {

namespace {

using hdf5::Group;
using hdf5::InputFile;

double number_in(const hdf5::AttributeValue& value, const std::string& what) {
    return std::visit(
        [&]<class T>(const T& each) -> double {
            if constexpr (std::is_arithmetic_v<T>) { return static_cast<double>(each); }
            throw InputError("{} is not a number", what);
        },
        value);
}

double reduced(const std::vector<double>& values, Metric::Reduction reduction) {
    if (values.empty()) { return 0; }
    if (reduction == Metric::Reduction::max) { return *std::max_element(values.begin(), values.end()); }
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return reduction == Metric::Reduction::sum ? sum : sum / static_cast<double>(values.size());
}

/// The object at "a/b/c"; every part except the last is a group.
Group group_at(const InputFile& file, std::string_view path, const std::string& what) {
    Group group = file.root();
    while (!path.empty()) {
        const auto slash = path.find('/');
        const std::string name(path.substr(0, slash));
        if (!group.has(name)) { throw InputError("{}: there is no group {} in {}", what, name, group.name()); }
        group = group.open_group(name);
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    return group;
}

double value_of(const Metric& metric, const InputFile& file, const std::string& path) {
    const std::string what = fmt::format("{}: the metric {} ({})", path, metric.name, metric.path);
    const auto at = metric.path.find('@');
    const auto slash = metric.path.rfind('/');
    if (at != std::string::npos || slash == std::string::npos) {
        const Group group = group_at(file, at == std::string::npos ? "" : metric.path.substr(0, at), what);
        const std::string name = at == std::string::npos ? metric.path : metric.path.substr(at + 1);
        if (!group.has_attribute(name)) { throw InputError("{}: {} has no attribute {}", what, group.name(), name); }
        return number_in(group.attribute(name), what);
    }
    const Group group = group_at(file, metric.path.substr(0, slash), what);
    const std::string name = metric.path.substr(slash + 1);
    if (!group.has(name)) { throw InputError("{}: there is no dataset {} in {}", what, name, group.name()); }
    return reduced(group.open_dataset(name).read<double>(), metric.reduction);
}

CounterTotal total_of(std::uint32_t counter, const std::vector<std::uint64_t>& values) {
    const auto [least, most] = std::ranges::minmax(values);
    return {counter, static_cast<std::uint32_t>(values.size()),
            std::accumulate(values.begin(), values.end(), std::uint64_t{0}), least, most};
}

std::vector<CounterTotal> read_totals(const Group& counters, CounterNames& names,
                                      std::map<std::string, std::string>& units) {
    std::vector<CounterTotal> totals;
    for (const std::string& kind : counters.names()) {
        const Group group = counters.open_group(kind);
        for (const std::string& name : group.names()) {
            if (name == run_schema::kCountersEachComponent.name) { continue; }
            const hdf5::Dataset dataset = group.open_dataset(name);
            const std::string full = fmt::format("{}.{}", kind, name);
            if (!units.contains(full)) { units[full] = dataset.text_attribute("units"); }
            const auto values = dataset.read<std::uint64_t>();
            if (!values.empty()) { totals.push_back(total_of(names.number_of(full), values)); }
        }
    }
    return totals;
}

/// The value of a metric's expression over earlier metrics and sums over all components.
double derived(const Metric& metric, const std::vector<Metric>& metrics, const PointFacts& facts, CounterNames& names) {
    return Expression::parse(metric.expression).value([&](const std::string& name) -> double {
        const auto before = std::ranges::find(metrics, name, &Metric::name);
        if (before != metrics.end()) { return facts.metrics.at(static_cast<std::size_t>(before - metrics.begin())); }
        const auto total = std::ranges::find(facts.totals, names.number_of(name), &CounterTotal::counter);
        return total == facts.totals.end() ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(total->sum);
    });
}

void read_kernels(const Group& root, CounterNames& names, PointFacts& facts) {
    const Group kernels = root.open_group(run_schema::kKernelsGroup);
    facts.kernels.resize(kernels.open_dataset(run_schema::kKernelsId.name).size());
    read_column(kernels, run_schema::kKernelsId, facts.kernels, &KernelFacts::launch);
    read_kernel_columns(kernels, facts.kernels);
    const Group counted = root.open_group(run_schema::kKernelCountersGroup);
    for (const std::string& name : counted.open_dataset(run_schema::kKernelCountersCounter.name).read_texts()) {
        facts.kernel_counters.push_back(names.number_of(name));
    }
    const auto counts = counted.open_dataset(run_schema::kKernelCountersCounts.name).read<std::int64_t>();
    const std::size_t width = facts.kernel_counters.size();
    for (std::size_t row = 0; row < facts.kernels.size(); ++row) {
        const auto from = counts.begin() + static_cast<std::ptrdiff_t>(row * width);
        facts.kernels[row].counts.assign(from, from + static_cast<std::ptrdiff_t>(width));
    }
}

}  // namespace

std::uint32_t CounterNames::number_of(const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) { names_.push_back(name); }
    return at->second;
}

std::vector<std::uint32_t> CounterNames::places() const {
    std::vector<std::uint32_t> places(names_.size());
    std::uint32_t place = 0;
    for (const auto& [name, number] : numbers_) { places[number] = place++; }
    return places;
}

std::vector<std::string> CounterNames::sorted() const {
    std::vector<std::string> all = names_;
    std::ranges::sort(all);
    return all;
}

void read_kernel_columns(const Group& table, std::vector<KernelFacts>& kernels) {
    read_column(table, run_schema::kKernelsName, kernels, &KernelFacts::name);
    read_column(table, run_schema::kKernelsStartFs, kernels, &KernelFacts::start_fs);
    read_column(table, run_schema::kKernelsEndFs, kernels, &KernelFacts::end_fs);
    read_column(table, run_schema::kKernelsCycles, kernels, &KernelFacts::cycles);
    read_column(table, run_schema::kKernelsWarpInstructions, kernels, &KernelFacts::warp_instructions);
    read_column(table, run_schema::kKernelsThreadInstructions, kernels, &KernelFacts::thread_instructions);
}

std::vector<Metric> all_metrics(const Study& study) {
    std::vector<Metric> metrics = common_metrics();
    metrics.insert(metrics.end(), study.metrics.begin(), study.metrics.end());
    return metrics;
}

std::uint64_t stamp_of(const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) { return 0; }
    StateHasher hasher;
    hasher.add(static_cast<std::uint64_t>(about.st_size));
    hasher.add(static_cast<std::uint64_t>(about.st_mtim.tv_sec));
    hasher.add(static_cast<std::uint64_t>(about.st_mtim.tv_nsec));
    return std::max<std::uint64_t>(hasher.value(), 1);
}

PointFacts read_point_facts(const std::string& path, const std::vector<Metric>& metrics, CounterNames& names,
                            std::map<std::string, std::string>& units) {
    PointFacts facts;
    facts.stamp = stamp_of(path);
    const InputFile file(path);
    const Group root = file.root();
    facts.totals = read_totals(root.open_group(run_schema::kCountersGroup), names, units);
    for (const Metric& metric : metrics) {
        facts.metrics.push_back(metric.expression.empty() ? value_of(metric, file, path)
                                                          : derived(metric, metrics, facts, names));
    }
    facts.state_hash = root.text_attribute(run_schema::kStateHashAttribute);
    const Group meta = root.open_group(run_schema::kMetaGroup);
    facts.host = meta.text_attribute(run_schema::kMetaHostAttribute);
    facts.ranks = static_cast<std::uint64_t>(meta.attribute_as<std::int64_t>(run_schema::kMetaRanksAttribute));
    facts.peak_rss_bytes = meta.attribute_as<std::uint64_t>(run_schema::kMetaPeakRssBytesAttribute);
    facts.point_s = meta.attribute_as<double>(run_schema::kMetaWallSAttribute);
    read_kernels(root, names, facts);
    return facts;
}

}  // namespace lookahead
