#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/stats/statistics_visitor.h"
#include "experiments/results/run_record.h"

namespace lookahead {

/// Collects the statistics of a rank's components at the end of a run. Rank 0 merges the other ranks' statistics and
/// puts all into the record. A component's name is that of its logical process ("sm3") or begins with it and a dot
/// ("sm3.l1d").
class StatisticsCollector : public StatisticsVisitor {
  public:
    StatisticsCollector() = default;
    StatisticsCollector(StatisticsCollector&&) = default;
    StatisticsCollector& operator=(StatisticsCollector&&) = default;

    /// `kind` and `what` must be constants of the program.
    void counter(std::string_view component, std::string_view kind, const StatisticDescription& what,
                 const std::uint64_t& value) override;
    void histogram(std::string_view component, std::string_view kind, const StatisticDescription& what,
                   const HistogramView& value) override;
    void table(const CountTableView& value) override;

    std::string to_bytes() const;
    void merge(std::string_view bytes);

    /// Fills counters and histograms, ordered by kind, then by component number. `record.components` has the
    /// logical processes; the components within them are added after those. The result does not depend on which
    /// rank had which component. A component of no known process, or components of one kind with different
    /// statistics, are an InternalError. Tables fill the kernels, numbers and counts of record.instructions.
    void write_into(RunRecord& record) const;

    /// The tables of one kind.
    struct Tables {
        std::vector<InstructionCounts::Counter> counters;
        std::map<std::uint64_t, std::vector<std::uint64_t>> counts;  ///< by key: [row][counter]

        void add(std::uint64_t key, std::span<const std::uint64_t> more);
        template <class Archive>
        void serialize(Archive& archive, unsigned) {
            archive& counters& counts;
        }
    };

    /// One statistic of one component.
    struct Entry {
        std::string_view component;
        std::string_view kind;
        StatisticDescription what;
        std::uint64_t value = 0;            ///< of a counter
        std::vector<std::uint64_t> edges;   ///< of a histogram; empty for a counter
        std::vector<std::uint64_t> counts;  ///< bins, underflow, overflow
    };

  private:
    /// The same text, stored here: most entries have the previous entry's text.
    std::string_view keep(std::string_view text, std::string_view before);

    std::vector<Entry> entries_;
    std::deque<std::string> texts_;  ///< that entries refer to
    std::map<std::string, Tables, std::less<>> tables_;
};

}  // namespace lookahead
