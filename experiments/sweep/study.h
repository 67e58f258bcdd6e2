#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lookahead {

/// One value of an axis: its changes.
struct AxisValue {
    std::string name;
    std::string machine;                ///< instead of the study's; empty: the study's
    std::vector<std::string> options;   ///< "key=value", as for -o
    std::vector<std::string> settings;  ///< "key=value" of the workload, as for --set
};

struct Axis {
    std::string name;
    std::vector<AxisValue> values;
};

/// A figure to take from each result file.
struct Metric {
    enum class Reduction { sum, mean, max };

    std::string name;
    /// "cycles": an attribute of the file; "energy@total_j": one of a group; "counters/l1d/misses": a dataset. Empty
    /// for a derived figure.
    std::string path;
    std::string units;
    Reduction reduction = Reduction::sum;  ///< over a dataset's elements
    /// An expression of counters of whole runs, as "l1d.misses_demand", and of earlier metrics (Expression); empty for
    /// a metric with a path. NaN if the run lacks the counter.
    std::string expression = {};
};

struct AxisChoice {
    std::string axis;
    std::string value;
};

/// A choice of a value of one axis for each workload: the one with the least (or largest) figure.
struct Best {
    std::string name;
    std::string axis;
    std::string metric = "cycles";  ///< of the index: a common one, or one of the study's
    bool largest = false;
    std::vector<std::string> values;  ///< of the axis, to choose among; empty: all
    /// Only points with these values of other axes are compared; the choice holds for all values of those axes.
    std::vector<AxisChoice> among;
};

/// A design space: every workload with every combination of the axes' values.
///
///     title = "Warp schedulers"                     # file of a study
///     source = "Where the question comes from"
///     machine = "gtx480"
///     size = "small"
///     seed = 1
///     workloads = ["sgemm", "bfs"]
///     options = ["host.copy_fills_l2=true"]         # for all points
///     max_instructions = 31250000                   # a point ends after so many warp instructions
///     [settings]                                    # parameters of single workloads
///     bfs = ["nodes=65536"]
///     [[axis]]                                      # one key
///     key = "sm.warp_scheduler"
///     values = ["lrr", "gto"]
///     [[axis]]                                      # several keys together
///     name = "memory"
///     [[axis.value]]
///     name = "fast"
///     options = ["dram.frequency=2000e6"]
///     [[metric]]
///     name = "l1d_misses"
///     path = "counters/l1d/misses_demand"
///     units = "line"
///     [[metric]]
///     name = "l1d_miss_rate"
///     expression = "l1d_misses / (l1d.hits_demand + l1d.merges_demand + l1d_misses)"
///     [[best]]                                      # the fastest memory for each workload, as chosen under lrr
///     name = "best memory"
///     axis = "memory"
///     metric = "cycles"
///     choose = "least"                              # or "most"
///     values = ["fast"]                             # without: all
///     among = ["sm.warp_scheduler=lrr"]             # without: one for each scheduler
struct Study {
    std::string name;  ///< "baseline/schedulers", or the file
    std::string toml;
    std::string title;
    std::string source;
    std::string machine = "gtx480";
    std::string size = "small";
    std::uint32_t seed = 1;
    std::vector<std::string> workloads;
    std::vector<std::string> options;
    std::map<std::string, std::vector<std::string>> settings;  ///< by workload, "key=value" as for --set
    std::uint64_t max_instructions = 0;                        ///< of warps; 0: no limit
    std::vector<Axis> axes;
    std::vector<Metric> metrics;
    std::vector<Best> bests;
};

/// The metrics of every index, before the study's own.
const std::vector<Metric>& common_metrics();

/// A study that is part of the program.
struct BuiltInStudy {
    std::string_view name;
    std::string_view title;
    std::string_view toml;
};

std::span<const BuiltInStudy> built_in_studies();

/// Parses a study and checks every key: an unknown key, a wrong type or an empty list is an InputError with
/// file:line:column and what would be right.
Study parse_study(std::string_view toml, const std::string& name, const std::string& file);

/// A built-in study, or a file (anything that ends in .toml). An unknown name is a ConfigurationError.
Study load_study(const std::string& name_or_file);

/// Checks a study before its first point runs: each axis and metric has a unique name that can be a column of the
/// index, and each metric's path exists in result files. InputError otherwise, with the nearest path.
void check_study(const Study&);

}  // namespace lookahead
