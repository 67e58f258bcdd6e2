#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/run/run.h"
#include "experiments/sweep/plan.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead {

/// The earlier costs of points, in seconds times ranks: from the folder's index, which may be of an earlier program,
/// and from some of the existing results.
class EarlierCosts {
  public:
    EarlierCosts(const Study&, const SweepFolder&, std::span<const SweepPoint>);

    /// The point's own cost, else the mean over the points of its workload with the same parameters.
    std::optional<double> of(const SweepPoint&) const;

  private:
    void read_index(const Study&, const SweepFolder&, std::span<const SweepPoint>);
    void add(const SweepPoint&, double seconds);

    struct Mean {
        double sum = 0;
        double count = 0;
    };
    std::map<std::string, double> points_;
    std::map<std::string, Mean> programs_;
};

/// Workload, size, seed and parameters from a point's arguments: they determine its instructions on any machine.
std::string program_of(std::span<const std::string> arguments);

/// Counts the warp instructions of a run on the functional emulator, which executes at most some seconds' worth of
/// them.
std::uint64_t count_warp_instructions(const RunRequest&);

/// Chooses the number of ranks for each point: 1, or, for a point that would still run when all others have ended, the
/// least power of two with which it would not; at most `ranks`. `costs`: the seconds of each point on one rank.
std::vector<int> choose_ranks(std::span<const double> costs, int ranks);

}  // namespace lookahead
