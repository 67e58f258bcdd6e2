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

/// What points took before, in seconds times ranks: by the folder's index, which may be of an earlier program, and by some of
/// the results that are there.
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

/// Workload, size, seed and parameters out of a point's arguments: what determines its instructions, whatever the machine.
std::string program_of(std::span<const std::string> arguments);

/// Warp instructions of a run, by the functional emulator, which executes at most some seconds' worth of them.
std::uint64_t count_warp_instructions(const RunRequest&);

/// Ranks for each point when the program may choose: one, and for those that would still run when all others have ended the
/// least power of two with which they would not. `costs` in seconds of one rank; at most `ranks`.
std::vector<int> choose_ranks(std::span<const double> costs, int ranks);

}  // namespace lookahead
