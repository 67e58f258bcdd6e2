#include "experiments/sweep/study.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/error/error.h"
#include "core/json/json.h"
#include "core/param/suggestion.h"
#include "core/stats/statistics_registry.h"
#include "experiments/sweep/expression.h"
#include "experiments/sweep/point_facts.h"
#include "hdf5_schemas/embedded_schemas.h"
#include "hdf5_schemas/run_schema.h"
#include "hdf5_schemas/sweep_schema.h"

namespace lookahead {

namespace {

[[noreturn]] void refuse(const Study& study, const std::string& sentence) {
    throw InputError("study {}: {}", study.name, sentence);
}

/// Column names must differ, and '/' in a name would make groups.
void check_columns(const Study& study) {
    namespace schema = sweep_schema;
    std::set<std::string> names{
        schema::kPointsId.name,         schema::kPointsKey.name,          schema::kPointsWorkload.name,
        schema::kPointsStatus.name,     schema::kPointsMessage.name,      schema::kPointsFile.name,
        schema::kPointsExitCode.name,   schema::kPointsStateHash.name,    schema::kPointsHost.name,
        schema::kPointsRanks.name,      schema::kPointsPeakRssBytes.name, schema::kPointsPointS.name,
        schema::kPointsResultStamp.name};
    const auto add = [&](const std::string& what, const std::string& name) {
        if (name.find('/') != std::string::npos || name == ".") {
            refuse(study,
                   fmt::format("the {} '{}' cannot be a column of the index: give a name without '/'", what, name));
        }
        if (!names.insert(name).second) {
            refuse(study, fmt::format("the {} '{}' has the name of another column of the index; give it another one",
                                      what, name));
        }
    };
    for (const Axis& axis : study.axes) { add("axis", axis.name); }
    for (const std::vector<Metric>* metrics : {&common_metrics(), &study.metrics}) {
        for (const Metric& metric : *metrics) { add("metric", metric.name); }
    }
}

const Json& run_schema_of_program() {
    static const Json schema = [] {
        const auto schemas = embedded_schemas();
        return Json::parse(std::ranges::find(schemas, std::string_view(run_schema::kId), &EmbeddedSchema::id)->json);
    }();
    return schema;
}

bool is_number(const Json& member) {
    const auto is_text = [](const Json& type) { return type.as_text() == "text"; };
    const Json* const type = member.find("type");
    const Json* const types = member.find("types");
    return type != nullptr ? !is_text(*type) : types != nullptr && !std::ranges::all_of(types->elements(), is_text);
}

const Json::Object& members(const Json& group, const char* kind) {
    static const Json::Object none;
    const Json* const found = group.find(kind);
    return found == nullptr ? none : found->members();
}

/// Collects the paths of numbers below a group of the schema; '*' matches any name.
void collect_paths(const Json& group, const std::string& path, std::vector<std::string>& paths) {
    for (const auto& [name, member] : members(group, "attributes")) {
        if (is_number(member)) { paths.push_back(path.empty() ? name : fmt::format("{}@{}", path, name)); }
    }
    const std::string prefix = path.empty() ? "" : fmt::format("{}/", path);
    for (const auto& [name, member] : members(group, "datasets")) {
        if (is_number(member)) { paths.push_back(prefix + name); }
    }
    for (const auto& [name, member] : members(group, "groups")) { collect_paths(member, prefix + name, paths); }
}

/// The same with the program's statistics instead of the counters' '*'.
const std::vector<std::string>& known_paths() {
    static const std::vector<std::string> known = [] {
        std::vector<std::string> paths;
        collect_paths(run_schema_of_program().at("root"), "", paths);
        std::erase(paths, "counters/*/*");
        for (const StatisticsSetEntry& set : registered_statistics_sets()) {
            for (const StatisticEntry& what : set.statistics) {
                paths.push_back(fmt::format("counters/{}/{}", set.kind, what.name));
            }
        }
        return paths;
    }();
    return known;
}

/// Whether the path matches the pattern, part by part.
bool fits(std::string_view path, std::string_view pattern) {
    while (true) {
        const auto end = path.find_first_of("/@");
        const auto end_of_pattern = pattern.find_first_of("/@");
        const std::string_view part = path.substr(0, end);
        const std::string_view part_of_pattern = pattern.substr(0, end_of_pattern);
        if (part != part_of_pattern && (part_of_pattern != "*" || part.empty())) { return false; }
        if (end == std::string_view::npos || end_of_pattern == std::string_view::npos) { return end == end_of_pattern; }
        if (path[end] != pattern[end_of_pattern]) { return false; }
        path.remove_prefix(end + 1);
        pattern.remove_prefix(end_of_pattern + 1);
    }
}

/// An expression may name counters and earlier metrics.
void check_expressions(const Study& study) {
    std::vector<std::string> known;
    for (const StatisticsSetEntry& set : registered_statistics_sets()) {
        for (const StatisticEntry& what : set.statistics) {
            known.push_back(fmt::format("{}.{}", set.kind, what.name));
        }
    }
    for (const Metric& metric : all_metrics(study)) {
        if (!metric.expression.empty()) {
            const Expression expression = Expression::parse(metric.expression);
            for (const std::string& name : expression.names()) {
                if (std::ranges::find(known, name) == known.end()) {
                    refuse(study, fmt::format("the metric '{}' uses '{}', which is neither a counter nor an earlier "
                                              "metric{} (KIND.NAME of 'lookahead list statistics')",
                                              metric.name, name, did_you_mean(name, known)));
                }
            }
        }
        known.push_back(metric.name);
    }
}

void check_paths(const Study& study) {
    const std::vector<std::string>& known = known_paths();
    for (const Metric& metric : study.metrics) {
        if (metric.expression.empty() &&
            std::ranges::none_of(known, [&](const std::string& pattern) { return fits(metric.path, pattern); })) {
            refuse(study, fmt::format("the metric '{}' uses {}, which result files do not have{} (counters/KIND/NAME, "
                                      "an attribute, or GROUP@ATTRIBUTE; 'lookahead list statistics')",
                                      metric.name, metric.path, did_you_mean(metric.path, known)));
        }
    }
}

}  // namespace

void check_study(const Study& study) {
    check_columns(study);
    check_paths(study);
    check_expressions(study);
}

}  // namespace lookahead
