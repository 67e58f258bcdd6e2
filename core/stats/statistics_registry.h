#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/bits/before_main.h"
#include "core/stats/statistics.h"

namespace lookahead {

struct StatisticEntry {
    std::string name;
    std::string unit;
    std::string description;
};

/// The statistics of one kind of component.
struct StatisticsSetEntry {
    std::string kind;
    std::string description;
    std::vector<StatisticEntry> statistics;
    bool each_member_once = true;  ///< see declares_each_member_once()
};

/// All registered statistics sets, ordered by kind.
const std::vector<StatisticsSetEntry>& registered_statistics_sets();

/// Adds a set. InternalError if the kind is taken, a member is declared twice, or statistics_faults() finds a fault.
void add_statistics_set(StatisticsSetEntry set);

/// The faults of a declaration: two statistics with one name, a name that is not a lower_snake_case word, an empty
/// description. Empty if there are none.
std::vector<std::string> statistics_faults(const StatisticsSetEntry& set);

/// The entry for the declaration of C.
template <HasStatistics C>
StatisticsSetEntry statistics_entry(std::string_view kind, std::string_view description) {
    StatisticsSetEntry entry{std::string(kind), std::string(description), {}, declares_each_member_once<C>()};
    for_each_statistic<C>([&](const StatisticDescription& what) {
        entry.statistics.push_back({std::string(what.name), std::string(what.unit), std::string(what.description)});
    });
    return entry;
}

namespace detail {

template <HasStatistics C>
bool register_statistics(std::string_view kind, std::string_view description) {
    add_statistics_set(statistics_entry<C>(kind, description));
    return true;
}

}  // namespace detail

}  // namespace lookahead

/// At namespace scope, in a .cpp: components of this kind have the statistics of struct C. `kind` is the same
/// word that the component gives to visit().
#define LOOKAHEAD_REGISTER_STATISTICS(C, kind, description) \
    LOOKAHEAD_BEFORE_MAIN(::lookahead::detail::register_statistics<C>(kind, description))
