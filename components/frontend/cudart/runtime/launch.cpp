// Launches, and the attributes of kernels that programs read and set.
#include "components/frontend/cudart/runtime/launch.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "components/frontend/cudart/runtime/connection.h"

namespace lookahead::cudart {

namespace {

struct CallConfiguration {
    LaunchShape shape;
    void* stream;
};
thread_local std::vector<CallConfiguration> configurations;

/// cudaLaunchConfig_st, and the attributes in it.
struct LaunchConfiguration {
    Dim3 grid, block;
    std::size_t shared_bytes;
    void* stream;
    const struct LaunchAttribute* attributes;
    unsigned attribute_count;
};
struct LaunchAttribute {
    int id;
    char padding[4];
    union {
        char bytes[64];
        int cooperative;
        Dim3 cluster;
    } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

/// The most static and dynamic shared memory for a block of the kernel.
std::size_t shared_limit(const RegisteredKernel& kernel) {
    if (kernel.max_dynamic_shared_bytes == 0) {
        return std::min(kSharedBytesByDefault, device_information().shared_bytes_per_block);
    }
    return kernel.information.shared_bytes + kernel.max_dynamic_shared_bytes;
}

CudaError check(const RegisteredKernel& kernel, const LaunchShape& shape) {
    const Dim3& block = shape.block;
    const Dim3& grid = shape.grid;
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    if (threads == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x > 1024 || block.y > 1024 || block.z > 64 ||
        threads > kMaxThreadsPerBlock || grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535) {
        return kInvalidConfiguration;
    }
    if (threads > kernel.information.max_threads) {
        return kLaunchOutOfResources;  // __launch_bounds__
    }
    return kernel.information.shared_bytes + shape.shared_bytes > shared_limit(kernel) ? kInvalidValue : kSuccess;
}

Request request_of(const RegisteredKernel& kernel, const LaunchShape& shape) {
    return {.operation = Operation::launch,
            .module = kernel.module,
            .name_bytes = static_cast<std::uint32_t>(kernel.name.size()),
            .shared_bytes = static_cast<std::uint32_t>(shape.shared_bytes),
            .grid = {shape.grid.x, shape.grid.y, shape.grid.z},
            .block = {shape.block.x, shape.block.y, shape.block.z}};
}

CudaError launch(const void* function, const LaunchShape& shape, void** arguments, void* stream) {
    if (!is_stream(stream)) { return remember(kInvalidResourceHandle); }
    RegisteredKernel* const kernel = find_kernel(function);
    if (kernel == nullptr) { return missing_kernel(function); }
    CudaError error = kSuccess;
    Work work = launch_work(*kernel, shape, arguments, error);
    return error == kSuccess ? submit(stream, NodeKind::kernel, std::move(work)) : error;
}

std::uint64_t resident_blocks(const RegisteredKernel& kernel, int threads, std::size_t shared_bytes) {
    return Connection::get()
        .call({.operation = Operation::occupancy,
               .module = kernel.module,
               .shared_bytes = static_cast<std::uint32_t>(shared_bytes),
               .block = {static_cast<std::uint32_t>(threads), 1, 1}},
              std::as_bytes(std::span(kernel.name)))
        .bytes;
}

/// All blocks of a cooperative launch must be resident at once.
CudaError launch_cooperatively(const void* function, const LaunchShape& shape, void** arguments, void* stream) {
    const RegisteredKernel* const kernel = find_kernel(function);
    if (kernel == nullptr) { return missing_kernel(function); }
    const std::uint64_t blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
    const auto threads = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
    if (blocks > resident_blocks(*kernel, threads, shape.shared_bytes) * device_information().multiprocessors) {
        return remember(kCooperativeLaunchTooLarge);
    }
    return launch(function, shape, arguments, stream);
}

/// Whether the launch is cooperative. Accepts attributes without effect; refuses those that change a kernel's meaning.
bool is_cooperative(const LaunchConfiguration& configuration) {
    constexpr int kCooperative = 2, kCluster = 4;
    bool cooperative = false;
    for (unsigned i = 0; i < configuration.attribute_count; ++i) {
        const LaunchAttribute& attribute = configuration.attributes[i];
        if (attribute.id == kCooperative) { cooperative |= attribute.value.cooperative != 0; }
        const Dim3& cluster = attribute.value.cluster;
        if (attribute.id == kCluster && std::uint64_t{cluster.x} * cluster.y * cluster.z > 1) {
            Connection::get().refuse(
                "it launches thread block clusters (cudaLaunchAttributeClusterDimension), "
                "which are not supported");
        }
    }
    return cooperative;
}

}  // namespace

Work launch_work(RegisteredKernel& kernel, const LaunchShape& shape, void** arguments, CudaError& error) {
    error = check(kernel, shape);
    std::vector<std::byte> payload(kernel.name.size() + kernel.information.parameter_bytes);
    std::memcpy(payload.data(), kernel.name.data(), kernel.name.size());
    for (std::size_t i = 0; i < kernel.places.size(); ++i) {
        std::memcpy(payload.data() + kernel.name.size() + kernel.places[i].offset, arguments[i],
                    kernel.places[i].bytes);
    }
    if (error != kSuccess) {  // recorded nevertheless
        Request request = request_of(kernel, shape);
        request.value = static_cast<std::uint32_t>(error);
        Connection::get().launch(request, payload);
        return {};
    }
    return [request = request_of(kernel, shape), payload = std::move(payload)] {
        return error_of(Connection::get().launch(request, payload));
    };
}

Work launch_work(const KernelNodeParameters& node, CudaError& error) {
    RegisteredKernel* const kernel = find_kernel(node.function);
    if (kernel == nullptr) {
        error = missing_kernel(node.function);
        return {};
    }
    if (node.arguments == nullptr && kernel->information.parameters != 0) {
        Connection::get().refuse("it gives a graph's kernel node its arguments in `extra`; give them in kernelParams");
    }
    return launch_work(*kernel, {node.grid, node.block, node.shared_bytes}, node.arguments, error);
}

}  // namespace lookahead::cudart

using namespace lookahead::cudart;

extern "C" {

unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared_bytes, void* stream) {
    configurations.push_back({{grid, block, shared_bytes}, stream});
    return 0;
}
CudaError __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared_bytes, void* stream) {
    if (configurations.empty()) { return remember(kMissingConfiguration); }
    const CallConfiguration top = configurations.back();
    configurations.pop_back();
    *grid = top.shape.grid;
    *block = top.shape.block;
    *shared_bytes = top.shape.shared_bytes;
    std::memcpy(stream, &top.stream, sizeof top.stream);
    return kSuccess;
}
/// A kernel's handle is its stub function.
CudaError __cudaGetKernel(const void** kernel, const void* function) {
    *kernel = function;
    return kSuccess;
}
LOOKAHEAD_SECOND_NAME(__cudaGetKernel, cudaGetKernel)
LOOKAHEAD_SECOND_NAME(__cudaGetKernel, cudaGetFuncBySymbol)
CudaError cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments, std::size_t shared_bytes,
                           void* stream) {
    return launch(function, {grid, block, shared_bytes}, arguments, stream);
}
LOOKAHEAD_PER_THREAD(cudaLaunchKernel, _ptsz)
LOOKAHEAD_SECOND_NAME(cudaLaunchKernel, __cudaLaunchKernel)
LOOKAHEAD_SECOND_NAME(cudaLaunchKernel, __cudaLaunchKernel_ptsz)
CudaError cudaLaunchCooperativeKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                      std::size_t shared_bytes, void* stream) {
    return launch_cooperatively(function, {grid, block, shared_bytes}, arguments, stream);
}
LOOKAHEAD_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz)
CudaError cudaLaunchKernelExC(const LaunchConfiguration* configuration, const void* function, void** arguments) {
    if (configuration == nullptr) { return remember(kInvalidValue); }
    const LaunchShape shape{configuration->grid, configuration->block, configuration->shared_bytes};
    return is_cooperative(*configuration) ? launch_cooperatively(function, shape, arguments, configuration->stream)
                                          : launch(function, shape, arguments, configuration->stream);
}
LOOKAHEAD_PER_THREAD(cudaLaunchKernelExC, _ptsz)

CudaError cudaFuncGetAttributes(FunctionAttributes* attributes, const void* function) {
    if (attributes == nullptr) { return remember(kInvalidValue); }
    const RegisteredKernel* const kernel = find_kernel(function);
    if (kernel == nullptr) { return missing_kernel(function); }
    FunctionAttributes found{};
    found.shared_bytes = kernel->information.shared_bytes;
    found.constant_bytes = kernel->information.constant_bytes;
    found.local_bytes = kernel->information.local_bytes;
    found.max_threads_per_block = static_cast<int>(kernel->information.max_threads);
    found.registers = static_cast<int>(kernel->information.registers);
    found.ptx_version = found.binary_version = static_cast<int>(kernel->information.architecture);
    found.max_dynamic_shared_bytes = static_cast<int>(shared_limit(*kernel) - kernel->information.shared_bytes);
    found.preferred_carveout = kernel->carveout;
    constexpr std::size_t kOldBytes = 56;  // before CUDA 12
    std::memcpy(attributes, &found, kRuntimeMajor < 12 ? kOldBytes : sizeof found);
    return kSuccess;
}
CudaError cudaFuncSetAttribute(const void* function, int attribute, int value) {
    constexpr int kMaxDynamicSharedBytes = 8, kCarveout = 9;
    RegisteredKernel* const kernel = find_kernel(function);
    if (kernel == nullptr) { return missing_kernel(function); }
    if (attribute == kMaxDynamicSharedBytes) {
        const std::int64_t most =
            std::int64_t{device_information().shared_bytes_per_block} - std::int64_t{kernel->information.shared_bytes};
        if (value < 0 || value > most) { return remember(kInvalidValue); }
        kernel->max_dynamic_shared_bytes = static_cast<std::uint32_t>(value);
        return kSuccess;
    }
    if (attribute != kCarveout) { return remember(kInvalidValue); }
    kernel->carveout = value;  // a hint: each machine has a fixed division between L1 and shared memory
    return kSuccess;
}
CudaError cudaFuncGetName(const char** name, const void* function) {
    const RegisteredKernel* const kernel = find_kernel(function);
    if (kernel == nullptr) { return missing_kernel(function); }
    *name = kernel->name.c_str();
    return kSuccess;
}
CudaError cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
    const RegisteredKernel* const kernel = find_kernel(function);
    if (kernel == nullptr) { return missing_kernel(function); }
    if (index >= kernel->places.size()) { return remember(kInvalidValue); }
    *offset = kernel->places[index].offset;
    if (bytes != nullptr) { *bytes = kernel->places[index].bytes; }
    return kSuccess;
}

CudaError cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                        std::size_t shared_bytes) {
    const RegisteredKernel* const kernel = find_kernel(function);
    if (kernel == nullptr) { return missing_kernel(function); }
    if (blocks == nullptr || threads <= 0) { return remember(kInvalidValue); }
    *blocks = static_cast<int>(resident_blocks(*kernel, threads, shared_bytes));
    return kSuccess;
}
CudaError cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                 std::size_t shared_bytes, unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes);
}
CudaError cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks, int threads) {
    const RegisteredKernel* const kernel = find_kernel(function);
    if (kernel == nullptr) { return missing_kernel(function); }
    if (bytes == nullptr || blocks <= 0 || threads <= 0) { return remember(kInvalidValue); }
    const DeviceInformation& device = device_information();
    const std::size_t share = device.shared_bytes_per_multiprocessor / static_cast<unsigned>(blocks);
    const std::size_t all = std::min<std::size_t>(share, device.shared_bytes_per_block);
    *bytes = all > kernel->information.shared_bytes ? all - kernel->information.shared_bytes : 0;
    return kSuccess;
}

}  // extern "C"
