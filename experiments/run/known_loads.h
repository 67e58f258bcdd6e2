#pragma once

#include <memory>

#include "components/isa/kernel.h"
#include "components/isa/load_trace.h"
#include "core/param/configuration.h"
#include "experiments/workloads/workload.h"

namespace lookahead {

/// Runs the workload, which cannot be used afterwards, on the functional emulator, and records its warps' loads.
/// ConfigurationError with the name of a kernel that dequeues, because the emulator cannot fill its queues.
std::shared_ptr<const isa::LoadTrace> find_loads(const isa::KernelTable& kernels, Workload& workload,
                                                 const Configuration& configuration);

}  // namespace lookahead
