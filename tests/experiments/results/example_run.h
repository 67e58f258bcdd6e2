#pragma once

#include "experiments/results/run_record.h"

namespace lookahead {

/// A small run with data in every group: two SMs, a memory partition, three epochs, two kernels, two ranks.
RunRecord example_run();

}  // namespace lookahead
