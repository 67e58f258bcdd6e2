#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/lp/logical_process.h"
#include "experiments/results/run_record.h"

namespace lookahead {

/// Adds up the counts of a rank's processes in each kernel (LogicalProcess::phases). Rank 0 merges the others' sums.
class KernelCountersCollector {
  public:
    void add(const LogicalProcess& process);

    std::string to_bytes() const;
    void merge(std::string_view bytes);

    /// Fills record.kernel_counters: a row for each of record.kernels, a column for each counter of record.counters
    /// that some process keeps by kernels. A kernel that had not ended everywhere has zeros. Empties the collector, so
    /// that the counts of a hundred thousand launches are not kept twice.
    void write_into(RunRecord& record);

    /// The sums of one kernel.
    struct Kernel {
        std::uint64_t processes = 0;        ///< that have ended it
        std::vector<std::uint64_t> counts;  ///< by column; missing ones are 0

        template <class Archive>
        void serialize(Archive& archive, unsigned) {
            archive& processes& counts;
        }
    };

  private:
    std::size_t column(const std::string& name);

    std::vector<std::string> names_;  ///< "kind.name", by column
    std::unordered_map<std::string, std::size_t> columns_;
    std::map<std::uint64_t, Kernel> kernels_;                                ///< by launch
    std::uint64_t processes_ = 0;                                            ///< that keep phases
    std::vector<std::pair<std::string_view, std::string_view>> last_names_;  ///< of the process before: kinds and names
    std::vector<std::size_t> last_columns_;                                  ///< of these
};

}  // namespace lookahead
