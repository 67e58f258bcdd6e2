#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/state/state_archive.h"
#include "core/stats/statistics_visitor.h"

namespace lookahead {

/// What a process counted in each phase of the run (a kernel): its counters, in the order in which they are visited.
/// Kept as differences in few bytes each, and runs of zeros as one, since there may be a hundred thousand phases in which most
/// processes do little.
class PhaseLog {
  public:
    /// The counters' totals at a phase's end; `visit` shows them, always the same ones in the same order.
    void end_phase(std::uint64_t phase, const std::function<void(StatisticsVisitor&)>& visit);

    /// Calls f(phase, counts) for each phase in order; what was counted after the last one is in none.
    void for_each(const std::function<void(std::uint64_t phase, std::span<const std::uint64_t> counts)>& f) const;

    /// As if each zero had a byte of its own, so that neither hashes nor checkpoints depend on how the log is kept.
    void fields(StateArchive& archive);
    /// That the log takes.
    std::size_t bytes() const { return bytes_.capacity(); }

  private:
    void append_phase(std::uint64_t phase, std::span<const std::uint64_t> counts);

    std::vector<std::uint64_t> totals_;  ///< at the end of the last phase
    /// For each phase its number, then the counts; seven bits a byte. A zero is followed by how many there are in a row.
    std::vector<unsigned char> bytes_;
};

}  // namespace lookahead
