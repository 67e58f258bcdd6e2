#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/stats/statistics_visitor.h"
#include "experiments/results/run_record.h"

namespace lookahead {

/// Collects chosen counters of a rank's components at every epoch: what was counted since the epoch before. Every
/// rank calls begin_epoch() with the same cycles and shows its components after each call; rank 0 merges those of
/// the others.
class SeriesCollector : public StatisticsVisitor {
  public:
    /// Counters by "kind.name".
    explicit SeriesCollector(std::vector<std::string> chosen);

    /// Starts the row of an epoch; `cycle` is later than that of the row before.
    void begin_epoch(std::uint64_t cycle);

    void counter(std::string_view component, std::string_view kind, const StatisticDescription& what,
                 std::uint64_t value) override;
    void histogram(std::string_view, std::string_view, const StatisticDescription&, const HistogramView&) override {}

    std::string to_bytes() const;
    /// Ranks with different epochs are an InternalError.
    void merge(std::string_view bytes);

    /// Fills record.series, ordered by kind, then by component number as in record.components. A chosen counter that
    /// no component has is an InternalError.
    void write_into(RunRecord& record) const;

    /// One counter of one component over all epochs.
    struct Track {
        std::string component;
        std::string kind;
        std::string name;
        std::string unit;
        std::string description;
        std::uint64_t last = 0;             ///< total at the last epoch
        std::vector<std::uint64_t> values;  ///< by epoch

        template <class Archive>
        void serialize(Archive& archive, unsigned) {
            archive& component& kind& name& unit& description& last& values;
        }
    };

  private:
    std::set<std::string, std::less<>> chosen_;
    std::vector<std::uint64_t> cycles_;
    std::vector<Track> tracks_;
    std::unordered_map<std::string, std::size_t> track_of_;  ///< by "component kind.name"
};

}  // namespace lookahead
