#pragma once

#include <memory>

#include "components/isa/kernel.h"
#include "components/isa/load_trace.h"
#include "core/param/configuration.h"
#include "experiments/workloads/workload.h"

namespace lookahead {

/// Runs the workload, which is used up by that, on the functional emulator, and notes what its warps load. A ConfigurationError
/// names a kernel that dequeues, whose queues the emulator has nothing for.
std::shared_ptr<const isa::LoadTrace> find_loads(const isa::KernelTable& kernels, Workload& workload,
                                                 const Configuration& configuration);

}  // namespace lookahead
