#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/state/state_archive.h"
#include "core/stats/statistics_visitor.h"

namespace lookahead {

/// The counts of a process's counters in each phase of the run, in the order in which the counters are visited. Counts
/// take a few bytes each, and runs of zeros are one entry, because a run may have a hundred thousand phases in which
/// most processes do little.
class PhaseLog {
  public:
    /// Ends a phase. `visit` shows the counters' totals to the visitor, always the same counters in the same order.
    void end_phase(std::uint64_t phase, const std::function<void(StatisticsVisitor&)>& visit);

    /// Calls f(phase, counts) for each phase in order, without the counts after the last phase.
    void for_each(const std::function<void(std::uint64_t phase, std::span<const std::uint64_t> counts)>& f) const;

    /// Lists each zero as a byte, so that hashes and checkpoints do not depend on the log's encoding.
    void fields(StateArchive& archive);
    /// The memory that the log takes, in bytes.
    std::size_t bytes() const { return bytes_.capacity(); }

  private:
    void append_phase(std::uint64_t phase, std::span<const std::uint64_t> counts);

    std::vector<std::uint64_t> totals_;  ///< at the end of the last phase
    /// For each phase its number, then the counts; seven bits per byte. The number of further zeros follows a zero.
    std::vector<unsigned char> bytes_;
};

}  // namespace lookahead
