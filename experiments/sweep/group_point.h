#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/transport/transport.h"
#include "experiments/run/run.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead {

struct PointLimits {
    double timeout_s = 0;            ///< 0: none
    std::uint64_t memory_bytes = 0;  ///< 0: none
};

/// How a point on a group of ranks ended. The same on every rank.
struct GroupPointEnd {
    int exit_code = 0;
    std::string message;
    double wall_s = 0;
};

/// Runs the request that `request` returns in the processes of the group; every rank calls it. Errors of the run are
/// returned as the point's end. A crash, a rank that does not return and a point that far exceeds its time are recorded
/// as the point's failure, and end the whole job.
GroupPointEnd run_on_group(const std::function<RunRequest()>& request, const PointLimits&, const SweepFolder&,
                           const SweepPoint&, Transport& group);

}  // namespace lookahead
