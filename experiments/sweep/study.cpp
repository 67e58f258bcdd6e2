#include "experiments/sweep/study.h"

#include <toml++/toml.h>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>

#include "core/error/error.h"
#include "core/files/writable.h"
#include "core/param/suggestion.h"
#include "experiments/sweep/expression.h"

namespace lookahead {

namespace {

/// Reads a study's tables and knows the place of every fault.
class Reader {
  public:
    explicit Reader(std::string file) : file_(std::move(file)) {}

    [[noreturn]] void fail(const toml::node& node, const std::string& sentence) const {
        const auto& begin = node.source().begin;
        throw InputError("{}:{}:{}: {}", file_, begin.line, begin.column, sentence);
    }

    template <class First, class... Rest>
    [[noreturn]] void fail(const toml::node& node, fmt::format_string<First, Rest...> format, First&& first,
                           Rest&&... rest) const {
        fail(node, fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...));
    }

    /// Refuses a name that is not known; `what` is the sentence before it.
    void check_known(const toml::node& node, const std::string& what, const std::string& name,
                     const std::vector<std::string>& known) const {
        if (std::ranges::find(known, name) == known.end()) {
            fail(node, "{} '{}'{}", what, name, did_you_mean(name, known));
        }
    }

    void check_keys(const toml::table& table, const std::vector<std::string>& known) const {
        for (const auto& [key, node] : table) { check_known(node, "unknown key", std::string(key.str()), known); }
    }

    std::string text(const toml::table& table, const char* key, const std::string& otherwise) const {
        const toml::node* node = table.get(key);
        return node == nullptr ? otherwise : text(*node, key);
    }
    std::string text(const toml::node& node, const std::string& what) const {
        if (const auto* value = node.as_string()) { return value->get(); }
        fail(node, "{} must be a string in quotes", what);
    }

    std::vector<std::string> texts(const toml::table& table, const char* key) const {
        std::vector<std::string> result;
        if (const toml::node* node = table.get(key)) {
            for (const toml::node& each : array(*node, key)) {
                result.push_back(text(each, std::string("each of ") + key));
            }
        }
        return result;
    }
    const toml::array& array(const toml::node& node, const std::string& what) const {
        if (const auto* list = node.as_array(); list != nullptr && !list->empty()) { return *list; }
        fail(node, "{} must be a list with at least one entry", what);
    }
    const toml::table& table(const toml::node& node, const std::string& what) const {
        if (const auto* table = node.as_table()) { return *table; }
        fail(node, "{} must be a table", what);
    }
    /// A whole number from 1 to `largest`.
    std::int64_t number(const toml::table& table, const char* key, std::int64_t otherwise, std::int64_t largest) const {
        const toml::node* node = table.get(key);
        if (node == nullptr) { return otherwise; }
        const auto value = node->value_exact<std::int64_t>();
        if (!value || *value < 1 || *value > largest) {
            fail(*node, "{} must be a whole number from 1 to {}", key, largest);
        }
        return *value;
    }
    /// Texts "key=value".
    std::vector<std::string> assignments(const toml::table& table, const char* key) const {
        std::vector<std::string> result = texts(table, key);
        for (const std::string& each : result) {
            const auto equals = each.find('=');
            if (equals == std::string::npos || equals == 0) {
                fail(*table.get(key), "'{}' in {} is not of the form key=value", each, key);
            }
        }
        return result;
    }

  private:
    std::string file_;
};

/// The value as typed after "key=".
std::string typed(const Reader& reader, const toml::node& node) {
    if (const auto* text = node.as_string()) { return text->get(); }
    if (node.is_integer() || node.is_floating_point() || node.is_boolean()) {
        std::ostringstream out;
        node.visit([&](const auto& value) {
            if constexpr (toml::is_value<decltype(value)>) { out << value; }
        });
        return out.str();
    }
    reader.fail(node, "a value of an axis must be a string, a number or a boolean");
}

Axis parse_axis(const Reader& reader, const toml::table& table) {
    reader.check_keys(table, {"name", "key", "values", "value"});
    Axis axis;
    const std::string key = reader.text(table, "key", "");
    axis.name = reader.text(table, "name", key);
    if (axis.name.empty()) { reader.fail(table, "an axis needs a name, or a key whose values it lists"); }
    const toml::node* values = table.get("values");
    const toml::node* tables = table.get("value");
    if ((values == nullptr) == (tables == nullptr) || key.empty() != (values == nullptr)) {
        reader.fail(table, "the axis '{}' needs either key and values, or name and tables [[axis.value]]", axis.name);
    }
    if (values != nullptr) {
        for (const toml::node& node : reader.array(*values, "values")) {
            const std::string value = typed(reader, node);
            axis.values.push_back({value, "", {fmt::format("{}={}", key, value)}, {}});
        }
        return axis;
    }
    for (const toml::node& node : reader.array(*tables, "value")) {
        const toml::table& value = reader.table(node, "value");
        reader.check_keys(value, {"name", "machine", "options", "settings"});
        axis.values.push_back({reader.text(value, "name", ""), reader.text(value, "machine", ""),
                               reader.assignments(value, "options"), reader.assignments(value, "settings")});
        if (axis.values.back().name.empty()) { reader.fail(node, "a value of the axis '{}' has no name", axis.name); }
    }
    return axis;
}

Metric parse_metric(const Reader& reader, const toml::table& table) {
    reader.check_keys(table, {"name", "path", "expression", "units", "reduction"});
    Metric metric{reader.text(table, "name", ""), reader.text(table, "path", ""), reader.text(table, "units", "")};
    metric.expression = reader.text(table, "expression", "");
    if (metric.name.empty() || metric.path.empty() == metric.expression.empty()) {
        reader.fail(table,
                    "a metric needs a name, and either the path of an attribute or a dataset in the result file or an "
                    "expression of counters and earlier metrics");
    }
    if (!metric.expression.empty()) {
        if (const toml::node* node = table.get("reduction")) {
            reader.fail(*node, "an expression always uses sums; a reduction needs a path");
        }
        try {
            Expression::parse(metric.expression);
        } catch (const ExpressionError& error) { reader.fail(*table.get("expression"), error.what()); }
    }
    const std::string reduction = reader.text(table, "reduction", "sum");
    if (reduction == "mean") {
        metric.reduction = Metric::Reduction::mean;
    } else if (reduction == "max") {
        metric.reduction = Metric::Reduction::max;
    } else if (reduction != "sum") {
        reader.fail(*table.get("reduction"), "unknown reduction '{}': give sum, mean or max", reduction);
    }
    return metric;
}

bool has_axis(const Study& study, const std::string& name) {
    return std::ranges::any_of(study.axes, [&](const Axis& axis) { return axis.name == name; });
}

/// Throws if the study's axis does not have the value.
void check_value(const Reader& reader, const toml::node& node, const Study& study, const std::string& axis_name,
                 const std::string& value) {
    const auto axis = std::ranges::find(study.axes, axis_name, &Axis::name);
    std::vector<std::string> known;
    std::ranges::transform(axis->values, std::back_inserter(known), &AxisValue::name);
    reader.check_known(node, fmt::format("the axis '{}' has no value", axis_name), value, known);
}

void check_metric(const Reader& reader, const toml::node& node, const Study& study, const std::string& name) {
    std::vector<std::string> known;
    for (const auto* metrics : {&common_metrics(), &study.metrics}) {
        std::ranges::transform(*metrics, std::back_inserter(known), &Metric::name);
    }
    reader.check_known(node, "unknown metric", name, known);
}

/// Call it after the axes and metrics have been parsed.
Best parse_best(const Reader& reader, const toml::table& table, const Study& study) {
    reader.check_keys(table, {"name", "axis", "metric", "choose", "values", "among"});
    Best best;
    best.name = reader.text(table, "name", "");
    best.axis = reader.text(table, "axis", "");
    if (best.name.empty() || !has_axis(study, best.axis)) {
        reader.fail(table, "a best needs a name, and one of the study's axes as its axis");
    }
    if (const toml::node* metric = table.get("metric")) {
        best.metric = reader.text(*metric, "metric");
        check_metric(reader, *metric, study, best.metric);
    }
    const std::string choose = reader.text(table, "choose", "least");
    if (choose != "least" && choose != "most") {
        reader.fail(*table.get("choose"), "unknown choice '{}': give least or most", choose);
    }
    best.largest = choose == "most";
    best.values = reader.texts(table, "values");
    for (const std::string& value : best.values) { check_value(reader, *table.get("values"), study, best.axis, value); }
    for (const std::string& each : reader.assignments(table, "among")) {
        const toml::node& node = *table.get("among");
        const auto equals = each.find('=');
        const AxisChoice& choice = best.among.emplace_back(AxisChoice{each.substr(0, equals), each.substr(equals + 1)});
        if (choice.axis == best.axis || !has_axis(study, choice.axis)) {
            reader.fail(node, "'{}' in among does not name another axis of the study", each);
        }
        check_value(reader, node, study, choice.axis, choice.value);
    }
    return best;
}

template <class T>
void check_names(const Reader& reader, const toml::node& node, const std::string& what, const std::vector<T>& items) {
    std::set<std::string> names;
    for (const T& item : items) {
        if (!names.insert(item.name).second) { reader.fail(node, "{} '{}' appears twice", what, item.name); }
    }
}

void parse_lists(const Reader& reader, const toml::table& root, Study& study) {
    const auto parse = [&](const char* key, auto& items, auto parse_item) {
        const toml::node* all = root.get(key);
        if (all == nullptr) { return; }
        for (const toml::node& node : reader.array(*all, key)) { items.push_back(parse_item(reader.table(node, key))); }
        check_names(reader, *all, fmt::format("the {}", key), items);
    };
    parse("axis", study.axes, [&](const toml::table& table) {
        Axis axis = parse_axis(reader, table);
        check_names(reader, table, "the value", axis.values);
        return axis;
    });
    parse("metric", study.metrics, [&](const toml::table& table) { return parse_metric(reader, table); });
    parse("best", study.bests, [&](const toml::table& table) { return parse_best(reader, table, study); });
}

}  // namespace

const std::vector<Metric>& common_metrics() {
    static const std::vector<Metric> metrics{
        {"cycles", "cycles", "cycle"},
        {"warp_instructions", "warp_instructions", "instruction"},
        {"thread_instructions", "thread_instructions", "instruction"},
        {"ipc", "ipc", "warp instruction per cycle"},
        {"thread_ipc", "", "thread instruction per cycle", Metric::Reduction::sum, "thread_instructions / cycles"},
        {"energy_j", "energy@total_j", "joule"},
        {"energy_delay_js", "energy@energy_delay_js", "joule second"},
        {"energy_dynamic_j", "energy@dynamic_j", "joule"},
        {"energy_static_j", "energy@static_j", "joule"},
        {"average_w", "energy@average_w", "watt"},
        {"kernel_launches", "kernels", "kernel"},
        {"time_fs", "time_fs", "femtosecond"},
        {"wall_s", "meta@wall_s", "second"},
    };
    return metrics;
}

Study parse_study(std::string_view toml, const std::string& name, const std::string& file) {
    toml::table root;
    try {
        root = toml::parse(toml, std::string_view(file));
    } catch (const toml::parse_error& error) {
        const auto& begin = error.source().begin;
        throw InputError("{}:{}:{}: {}", file, begin.line, begin.column, error.description());
    }
    const Reader reader(file);
    reader.check_keys(root, {"title", "source", "machine", "size", "seed", "workloads", "options", "settings",
                             "max_instructions", "axis", "metric", "best"});
    Study study;
    study.name = name;
    study.toml = toml;
    study.title = reader.text(root, "title", "");
    study.source = reader.text(root, "source", "");
    study.machine = reader.text(root, "machine", study.machine);
    study.size = reader.text(root, "size", study.size);
    study.seed = static_cast<std::uint32_t>(reader.number(root, "seed", study.seed, 0xffffffffll));
    study.max_instructions = static_cast<std::uint64_t>(
        reader.number(root, "max_instructions", 0, std::numeric_limits<std::int64_t>::max()));
    study.workloads = reader.texts(root, "workloads");
    if (study.workloads.empty()) {
        throw InputError("{}: the study has no workloads; give workloads = [\"sgemm\", ...]", file);
    }
    study.options = reader.assignments(root, "options");
    if (const toml::node* settings = root.get("settings")) {
        const toml::table& table = reader.table(*settings, "settings");
        reader.check_keys(table, study.workloads);
        for (const auto& [workload, node] : table) {
            const std::string own(workload.str());
            study.settings[own] = reader.assignments(table, own.c_str());
        }
    }
    parse_lists(reader, root, study);
    return study;
}

Study load_study(const std::string& name_or_file) {
    if (name_or_file.ends_with(".toml")) {
        const auto toml = read_file(name_or_file);
        if (!toml) { throw InputError("{}: the study cannot be read", name_or_file); }
        return parse_study(*toml, std::filesystem::path(name_or_file).stem().string(), name_or_file);
    }
    std::vector<std::string> known;
    for (const BuiltInStudy& study : built_in_studies()) {
        if (study.name == name_or_file) {
            return parse_study(study.toml, name_or_file, fmt::format("experiments/studies/{}.toml", name_or_file));
        }
        known.emplace_back(study.name);
    }
    throw ConfigurationError(
        "unknown study '{}'{}; 'lookahead list studies' shows them, and a study file's name ends in .toml",
        name_or_file, did_you_mean(name_or_file, known));
}

}  // namespace lookahead
