#pragma once

#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/streams.h"

namespace lookahead::cudart {

/// A launch with the present values of its arguments. `error`: why it is impossible.
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
