#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "experiments/run/progress.h"
#include "experiments/sweep/plan.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead {

struct SweepRunOptions {
    int jobs = 1;   ///< processes at once
    int shard = 0;  ///< this program runs the points with number `shard` modulo `shards`
    int shards = 1;
    bool retry_failed = false;       ///< run points that failed before once more
    bool waits = true;               ///< at the end for points that other programs run
    double timeout_s = 0;            ///< a point that takes longer is ended and counts as failed; 0: none
    std::uint64_t memory_bytes = 0;  ///< resident, of each process of a point, above which it has failed; 0: no limit
    ProgressMode progress = ProgressMode::plain;
};

struct SweepRunResult {
    std::size_t complete = 0;  ///< points of the shard that have a result now
    std::size_t failed = 0;
    std::size_t executed = 0;   ///< of them in this call
    std::size_t elsewhere = 0;  ///< that other programs run, for which this one has not waited
    bool interrupted = false;
    double points_s = 0;  ///< that the points' processes took, summed over ranks; an ensemble's
    double all_s = 0;     ///< that the ranks had for them, likewise
};

/// The points of the shard without a result or failure, as indices of `points`; counts the others. Points with equal
/// keys are one run.
std::vector<std::size_t> missing_points(std::span<const SweepPoint> points, const SweepFolder&, const SweepRunOptions&,
                                        SweepRunResult& ended);

/// Runs every point that has neither a result nor a failure in its own process, `lookahead run`. An interrupt (SIGINT,
/// SIGTERM, SIGHUP) ends the running processes; complete results stay, and the next call goes on.
SweepRunResult run_sweep(std::span<const SweepPoint>, const SweepFolder&, const SweepRunOptions&);

}  // namespace lookahead
