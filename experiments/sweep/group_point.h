#pragma once

#include <functional>

#include "core/transport/transport.h"
#include "experiments/run/run.h"
#include "experiments/sweep/point_server.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead {

/// Runs the request that `request` returns in the processes of the group; every rank calls it, and all but `wall_s` of
/// the returned end is the same on each. Errors of the run are returned as the point's end. A crash, a rank that does
/// not return and a point that far exceeds its time are recorded as the point's failure, and end the whole job.
PointEnd run_on_group(const std::function<RunRequest()>& request, const PointLimits&, const SweepFolder&,
                      const SweepPoint&, Transport& group);

}  // namespace lookahead
