#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/transport/transport.h"
#include "experiments/run/progress.h"
#include "experiments/run/run.h"
#include "experiments/sweep/plan.h"
#include "experiments/sweep/point_server.h"
#include "experiments/sweep/runner.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead {

/// Points of a sweep in an order, with the number of ranks for each. The same on all ranks.
struct EnsemblePlan {
    struct Work {
        std::size_t point = 0;  ///< its place in `points`
        int ranks = 1;
    };
    std::string program;  ///< program_hash()
    std::vector<SweepPoint> points;
    std::vector<Work> work;    ///< points without an end, by ranks, the most first; among equal ones the dearest first
    std::size_t complete = 0;  ///< points that need not be run
    std::size_t failed = 0;
};

struct EnsembleOptions {
    int ranks_per_point = 1;  ///< 0: by the points' costs
    SweepRunOptions sweep;    ///< without `jobs`
};

/// The request of a command line of `run` or `resume`.
using ReadRequest = std::function<RunRequest(const std::vector<std::string>& arguments, Transport&)>;

/// The plan, on rank 0; elsewhere empty. Every rank calls it, because the ranks share the counting of instructions for
/// points of unknown cost.
EnsemblePlan plan_ensemble(const Study&, std::vector<SweepPoint>, const SweepFolder&, const EnsembleOptions&,
                           Transport& world, const ReadRequest&);

/// Runs the points on groups of ranks, which take the next point from a shared counter. Every rank calls it, with rank
/// 0's plan. A point for one rank runs in its own process (PointServer). A point for several ranks runs in their
/// processes: its errors and overruns fail only itself, but a crash is recorded as its failure and ends the job.
/// SIGUSR1, SIGTERM, SIGINT and SIGHUP stop the running points at checkpoints, from which the next call goes on.
SweepRunResult run_ensemble(const EnsemblePlan&, const SweepFolder&, const EnsembleOptions&, Transport& world,
                            PointServer&, const ReadRequest&);

}  // namespace lookahead
