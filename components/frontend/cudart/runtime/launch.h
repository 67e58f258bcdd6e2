#pragma once

#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/streams.h"

namespace lookahead::cudart {

/// Returns the work of a launch with the present values of its arguments. `error` becomes kSuccess, or the reason why
/// the launch is impossible; then no work is returned.
Work launch_work(RegisteredKernel& kernel, const LaunchShape& shape, void** arguments, CudaError& error);

/// cudaKernelNodeParams.
struct KernelNodeParameters {
    void* function;
    Dim3 grid, block;
    unsigned shared_bytes;
    void** arguments;
    void** extra;
};
Work launch_work(const KernelNodeParameters& node, CudaError& error);

}  // namespace lookahead::cudart
