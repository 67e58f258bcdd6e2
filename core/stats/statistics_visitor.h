#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lookahead {

/// The meaning of a statistic. The name is a lower_snake_case word, unique in its kind; the unit is a singular noun
/// ("cycle", "instruction", "byte") or empty for a pure number; the description is a sentence.
struct StatisticDescription {
    std::string_view name;
    std::string_view unit;
    std::string_view description;
};

/// A histogram's values: counts.size() + 1 edges; bin i counts edges[i] <= value < edges[i + 1].
struct HistogramView {
    std::span<const std::uint64_t> edges;
    std::span<const std::uint64_t> counts;
    std::uint64_t underflow = 0;
    std::uint64_t overflow = 0;
};

/// Counts by place, such as a kernel's instructions: a row for each place, a column for each counter.
struct CountTableView {
    std::string_view kind;  ///< of the counters; all tables of a kind have the same ones
    std::uint64_t key = 0;  ///< tables with the same kind and key, of several components, add up
    std::span<const StatisticDescription> counters;
    std::span<const std::uint64_t> counts;  ///< [row][counter]
};

/// Receives every statistic of a component. `component` is the component's own name ("router3"), `kind` the name of
/// its kind ("router"), which all components with the same statistics share.
class StatisticsVisitor {
  public:
    virtual ~StatisticsVisitor() = default;
    /// `value` keeps its address as long as the component lives.
    virtual void counter(std::string_view component, std::string_view kind, const StatisticDescription& what,
                         const std::uint64_t& value) = 0;
    virtual void histogram(std::string_view /*component*/, std::string_view /*kind*/, const StatisticDescription&,
                           const HistogramView&) {}
    virtual void table(const CountTableView&) {}
};

}  // namespace lookahead
