#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/stats/statistics_visitor.h"
#include "experiments/results/run_record.h"

namespace lookahead {

/// Collects chosen counters of a rank's components: their counts in each of at most `most_rows` intervals. An interval
/// is an epoch; when there are too many, pairs are merged, so that a long run takes no more room than a short one.
/// Every rank calls begin_epoch() with the same cycles and shows its components after each call, always in the same
/// order, or calls add_epoch(), which reads the counters where they were; rank 0 merges the other ranks' rows.
class SeriesCollector : public StatisticsVisitor {
  public:
    static constexpr std::size_t kMostRows = 4096;

    /// Counters by "kind.name". `most_rows`: even.
    explicit SeriesCollector(std::vector<std::string> chosen, std::size_t most_rows = kMostRows);

    /// Starts an epoch; `cycle`, its end, must be later than that of the previous epoch.
    void begin_epoch(std::uint64_t cycle);
    /// Adds an epoch from the components that were shown at the previous epoch, which must still live.
    void add_epoch(std::uint64_t cycle);

    void counter(std::string_view component, std::string_view kind, const StatisticDescription& what,
                 const std::uint64_t& value) override;

    std::string to_bytes() const;
    /// Call it before the first epoch: continues the rows of another collector, which has the components of all ranks.
    void continue_from(std::string_view bytes);
    /// Ranks with different epochs are an InternalError.
    void merge(std::string_view bytes);

    /// Fills record.series, ordered by kind, then by component number as in record.components. A chosen counter that
    /// no component has is an InternalError.
    void write_into(RunRecord& record) const;

    /// One counter of one component over all intervals.
    struct Track {
        std::string component;
        std::string kind;
        std::string name;
        std::string unit;
        std::string description;
        std::uint64_t last = 0;             ///< total at the last epoch
        std::vector<std::uint64_t> values;  ///< by interval

        template <class Archive>
        void serialize(Archive& archive, unsigned) {
            archive& component& kind& name& unit& description& last& values;
        }
    };

  private:
    static constexpr std::size_t kNotChosen = static_cast<std::size_t>(-1);

    /// A counter as it was shown in the first epoch.
    struct Shown {
        std::string_view name;  ///< in the program's own descriptions, which live as long as it
        std::size_t track;      ///< number in tracks_, or kNotChosen
    };

    /// The data of a track that every epoch reads and writes.
    struct Count {
        const std::uint64_t* place;
        std::uint64_t last;
    };

    std::size_t start_track(std::string_view component, std::string_view kind, const StatisticDescription& what,
                            const std::uint64_t& value);
    /// The numbers of the tracks of one kind, by component number.
    using ByComponent = std::map<std::size_t, std::vector<std::size_t>>;
    /// Merges pairs of intervals.
    void halve_rows();
    SeriesGroup group(const std::string& kind, const ByComponent& components) const;
    std::uint64_t value(std::size_t row, std::size_t track) const {
        return track < rows_[row].size() ? rows_[row][track] : 0;
    }

    std::set<std::string, std::less<>> chosen_;
    std::set<std::string, std::less<>> kinds_;  ///< kinds with chosen counters
    std::size_t most_rows_;
    std::uint64_t epochs_in_row_ = 1;  ///< a power of two
    std::uint64_t epochs_in_last_row_ = 0;
    std::vector<std::uint64_t> cycles_;            ///< ends of the intervals
    std::vector<Track> tracks_;                    ///< without the following data
    std::vector<Count> counts_;                    ///< by track
    std::deque<std::vector<std::uint64_t>> rows_;  ///< by interval and track; tracks that began later are left out
    std::vector<Track> earlier_;                   ///< of the run that this one continues
    std::vector<Shown> shown_;  ///< in the order of every epoch: a name is looked up once a run, not once an epoch
    std::size_t next_ = 0;      ///< number in shown_ of the counter to come
};

}  // namespace lookahead
