#pragma once

#include "components/energy/energy_report.h"
#include "experiments/results/run_record.h"

namespace lookahead {

/// The energy input from the record's counters and kernels. Kernels that overlap count their common time once.
EnergyInput energy_input(const RunRecord& record);

/// Fills record.kernel_energies from kernels, kernel_counters and energy, in the order of EnergyReport's sums.
void compute_kernel_energies(RunRecord& record);

}  // namespace lookahead
