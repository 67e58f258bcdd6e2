#include "core/stats/statistics_registry.h"

#include <algorithm>
#include <set>

#include "core/error/error.h"

namespace lookahead {

namespace {

std::vector<StatisticsSetEntry>& sets() {
    static std::vector<StatisticsSetEntry> all;
    return all;
}

bool is_snake_case(std::string_view name) {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
    });
}

}  // namespace

const std::vector<StatisticsSetEntry>& registered_statistics_sets() {
    return sets();
}

void add_statistics_set(StatisticsSetEntry set) {
    const auto faults = statistics_faults(set);
    LOOKAHEAD_ASSERT(faults.empty(), faults.front());
    const auto place = std::lower_bound(sets().begin(), sets().end(), set.kind,
                                        [](const auto& entry, const auto& kind) { return entry.kind < kind; });
    LOOKAHEAD_ASSERT(place == sets().end() || place->kind != set.kind, "two sets of statistics have the kind {}",
                     set.kind);
    sets().insert(place, std::move(set));
}

std::vector<std::string> statistics_faults(const StatisticsSetEntry& set) {
    std::vector<std::string> faults;
    if (!is_snake_case(set.kind)) {
        faults.push_back(fmt::format("the kind \"{}\" is not a lower_snake_case word", set.kind));
    }
    if (set.description.empty()) {
        faults.push_back(fmt::format("the statistics of kind {} have no description", set.kind));
    }
    if (!set.each_member_once) {
        faults.push_back(fmt::format("the statistics of kind {} declare a member twice and miss another", set.kind));
    }
    std::set<std::string_view> names;
    for (const StatisticEntry& statistic : set.statistics) {
        const std::string full = fmt::format("{}.{}", set.kind, statistic.name);
        if (!is_snake_case(statistic.name)) {
            faults.push_back(fmt::format("the statistic \"{}\" is not named by a lower_snake_case word", full));
        }
        if (!names.insert(statistic.name).second) {
            faults.push_back(fmt::format("two statistics are named {}", full));
        }
        if (statistic.description.empty()) {
            faults.push_back(fmt::format("the statistic {} has no description", full));
        }
    }
    return faults;
}

}  // namespace lookahead
