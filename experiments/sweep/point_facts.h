#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/hdf5/dataset.h"
#include "core/hdf5/group.h"
#include "experiments/sweep/study.h"
#include "hdf5_schemas/dataset_name.h"

namespace lookahead {

/// Names of counters, "kind.name", as small numbers, because thousands of points have the same names.
class CounterNames {
  public:
    /// The number of a name; a new name gets one.
    std::uint32_t number_of(const std::string& name);
    bool has(const std::string& name) const { return numbers_.contains(name); }
    const std::string& name(std::uint32_t number) const { return names_[number]; }
    std::size_t size() const { return names_.size(); }

    /// For each number the position of its name in alphabetical order.
    std::vector<std::uint32_t> places() const;
    /// The names in that order.
    std::vector<std::string> sorted() const;

  private:
    std::map<std::string, std::uint32_t> numbers_;
    std::vector<std::string> names_;
};

/// A counter of a whole run, over its components.
struct CounterTotal {
    std::uint32_t counter = 0;  ///< CounterNames
    std::uint32_t components = 0;
    std::uint64_t sum = 0;
    std::uint64_t min = 0;
    std::uint64_t max = 0;
};

struct KernelFacts {
    std::uint64_t launch = 0;
    std::string name;
    std::int64_t start_fs = 0;
    std::int64_t end_fs = 0;
    std::uint64_t cycles = 0;
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;
    std::vector<std::int64_t> counts;  ///< one for each of PointFacts::kernel_counters
};

/// The facts of a point for the tables of a sweep. Without a result they have these initial values.
struct PointFacts {
    std::vector<double> metrics;  ///< in the order of all_metrics()
    std::string state_hash;
    std::string host;
    std::uint64_t ranks = 0;
    std::uint64_t peak_rss_bytes = 0;
    double point_s = std::numeric_limits<double>::quiet_NaN();
    std::uint64_t stamp = 0;
    std::vector<CounterTotal> totals;
    std::vector<std::uint32_t> kernel_counters;  ///< CounterNames
    std::vector<KernelFacts> kernels;
};

/// Reads a column of a table into a member of each of its rows.
template <class T, class Row>
void read_column(const hdf5::Group& table, const DatasetName& name, std::vector<Row>& rows, T Row::*member) {
    const hdf5::Dataset dataset = table.open_dataset(name.name);
    std::vector<T> values;
    if constexpr (std::is_same_v<T, std::string>) {
        values = dataset.read_texts();
    } else {
        values = dataset.read<T>();
    }
    for (std::size_t row = 0; row < rows.size(); ++row) { rows[row].*member = std::move(values[row]); }
}

/// Reads the columns that results and indexes have alike in their tables of kernels.
void read_kernel_columns(const hdf5::Group& table, std::vector<KernelFacts>& kernels);

/// The common metrics and the study's.
std::vector<Metric> all_metrics(const Study&);

/// A hash of a file's size and time of change; 0 if the file is missing.
std::uint64_t stamp_of(const std::string& path);

/// The facts of a result file; adds units of counters that are new in `names` to `units`. InputError if the file lacks
/// a metric.
PointFacts read_point_facts(const std::string& path, const std::vector<Metric>&, CounterNames& names,
                            std::map<std::string, std::string>& units);

}  // namespace lookahead
