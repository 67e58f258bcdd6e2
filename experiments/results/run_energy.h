#pragma once

#include "components/energy/energy_report.h"
#include "experiments/results/run_record.h"

namespace lookahead {

/// What the record's counters and kernels say. Kernels that overlap count their common time once.
EnergyInput energy_input(const RunRecord& record);

}  // namespace lookahead
