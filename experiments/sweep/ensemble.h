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
#include "experiments/sweep/sweep_folder.h"

namespace lookahead {

/// Points of a sweep in an order, with the number of ranks for each.
struct EnsemblePlan {
    struct Work {
        std::size_t point = 0;  ///< its place in `points`
        int ranks = 1;

        template <class Archive>
        void serialize(Archive& archive, unsigned) {
            archive& point& ranks;
        }
    };
    std::string program;  ///< program_hash()
    std::vector<SweepPoint> points;
    std::vector<Work> work;    ///< points to run: most ranks first, of equal ones the costliest first
    std::size_t complete = 0;  ///< points that need not be run
    std::size_t failed = 0;
};

struct SweepRunOptions : PointLimits {
    int shard = 0;  ///< this program runs the points with number `shard` modulo `shards`
    int shards = 1;
    bool retry_failed = false;  ///< run points that failed before once more
    bool waits = true;          ///< at the end for points that other programs run
    ProgressMode progress = ProgressMode::plain;
};

struct SweepRunResult {
    std::size_t complete = 0;  ///< points of the shard that have a result now
    std::size_t failed = 0;
    std::size_t executed = 0;   ///< points that this call ran
    std::size_t elsewhere = 0;  ///< points that other programs run, for which this one has not waited
    bool interrupted = false;
    double points_s = 0;  ///< time of the points' processes, summed over ranks
    double all_s = 0;     ///< time of the ranks from their first point to the last, summed; 0 without mpirun
};

/// The request of a command line of `run` or `resume`.
using ReadRequest = std::function<RunRequest(const std::vector<std::string>& arguments, Transport&)>;

/// The plan of a sweep without mpirun: the points of the shard without a result or failure, in the study's order.
/// Points with equal keys are one run.
EnsemblePlan plan_alone(std::vector<SweepPoint>, const SweepFolder&, const SweepRunOptions&);

/// The plan of a sweep under mpirun, on rank 0; elsewhere empty. Every rank calls it, because the ranks share the
/// counting of instructions for points of unknown cost. `ranks_per_point` 0: by the points' costs.
EnsemblePlan plan_ensemble(const Study&, std::vector<SweepPoint>, const SweepFolder&, const SweepRunOptions&,
                           int ranks_per_point, Transport& world, const ReadRequest&);

/// Runs the points on groups of ranks, which take the next point from a shared counter. Every rank calls it, with rank
/// 0's plan. A point for one rank runs in a process of its own; a rank runs as many of them at once as it has servers.
/// A point for several ranks runs in their processes: its errors and overruns fail only itself, but a crash is recorded
/// as its failure and ends the job. SIGUSR1, SIGTERM, SIGINT and SIGHUP, which the caller has noted (StopSignal), stop
/// the running points at checkpoints, from which the next call goes on.
SweepRunResult run_ensemble(const EnsemblePlan&, const SweepFolder&, const SweepRunOptions&, Transport& world,
                            std::span<PointServer* const>, const ReadRequest&);

}  // namespace lookahead
