// Modules, kernels and variables: what nvcc's start-up code registers, and launches.
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "components/frontend/cudart/fat_binary.h"
#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/connection.h"

namespace lookahead::cudart {

namespace {

struct RegisteredKernel {
    std::string name;
    bool known = false;  ///< the rest has been asked for
    CudaError error = kSuccess;
    KernelInformation information;
    std::vector<ParameterPlace> places;
};

struct RegisteredVariable {
    std::string name;
    std::uint64_t address = 0;  ///< 0: not asked for yet
    std::uint64_t bytes = 0;
};

struct CallConfiguration {
    Dim3 grid, block;
    std::size_t shared_bytes;
    void* stream;
};

/// By the host's stub functions and shadow variables. Never destroyed: programs call CUDA until their very end.
auto& kernels() {
    static auto* const table = new std::unordered_map<const void*, RegisteredKernel>;
    return *table;
}
auto& variables() {
    static auto* const table = new std::unordered_map<const void*, RegisteredVariable>;
    return *table;
}

thread_local std::vector<CallConfiguration> configurations;

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

void ask_for(RegisteredKernel& kernel) {
    if (kernel.known) return;
    std::vector<std::byte> answer;
    kernel.error = static_cast<CudaError>(
        Connection::get().call({.operation = Operation::find_kernel}, bytes_of(kernel.name), answer).error);
    kernel.known = true;
    if (kernel.error != kSuccess) return;
    std::memcpy(&kernel.information, answer.data(), sizeof kernel.information);
    kernel.places.resize(kernel.information.parameters);
    if (!kernel.places.empty())
        std::memcpy(kernel.places.data(), answer.data() + sizeof kernel.information,
                    kernel.places.size() * sizeof(ParameterPlace));
}

RegisteredKernel* find_kernel(const void* function) {
    const auto found = kernels().find(function);
    if (found == kernels().end()) return nullptr;
    ask_for(found->second);
    return found->second.error == kSuccess ? &found->second : nullptr;
}

CudaError launch(RegisteredKernel& kernel, Dim3 grid, Dim3 block, void** arguments, std::size_t shared_bytes) {
    ask_for(kernel);
    if (kernel.error != kSuccess) return remember(kernel.error);
    std::vector<std::byte> payload(kernel.name.size() + kernel.information.parameter_bytes);
    std::memcpy(payload.data(), kernel.name.data(), kernel.name.size());
    for (std::size_t i = 0; i < kernel.places.size(); ++i)
        std::memcpy(payload.data() + kernel.name.size() + kernel.places[i].offset, arguments[i],
                    kernel.places[i].bytes);
    const Request request{.operation = Operation::launch,
                          .name_bytes = static_cast<std::uint32_t>(kernel.name.size()),
                          .shared_bytes = static_cast<std::uint32_t>(shared_bytes),
                          .grid = {grid.x, grid.y, grid.z},
                          .block = {block.x, block.y, block.z}};
    return static_cast<CudaError>(Connection::get().call(request, payload).error);
}

}  // namespace

bool find_symbol(const void* symbol, std::uint64_t& address, std::uint64_t& bytes) {
    const auto found = variables().find(symbol);
    if (found == variables().end()) return false;
    RegisteredVariable& variable = found->second;
    if (variable.address == 0) {
        const Reply reply = Connection::get().call({.operation = Operation::find_variable}, bytes_of(variable.name));
        if (reply.error != kSuccess) return false;
        variable.address = reply.address;
        variable.bytes = reply.bytes;
    }
    address = variable.address;
    bytes = variable.bytes;
    return true;
}

}  // namespace lookahead::cudart

using namespace lookahead::cudart;

extern "C" {

void** __cudaRegisterFatBinary(void* data) {
    FatBinaryWrapper wrapper;
    std::memcpy(&wrapper, data, sizeof wrapper);
    if (wrapper.magic != FatBinaryWrapper::kMagic || wrapper.version != FatBinaryWrapper::kVersion)
        Connection::get().refuse("its fat binary's wrapper is of version " + std::to_string(wrapper.version) +
                                 "; relocatable device code (nvcc -rdc=true) is not supported: build with -rdc=false");
    const auto* const begin = reinterpret_cast<const std::byte*>(wrapper.data);
    FatBinaryHeader header;
    std::memcpy(&header, begin, sizeof header);
    Connection::get().call({.operation = Operation::load_module},
                           std::span(begin, header.header_bytes + header.entry_bytes));
    static void* handle = nullptr;  // nothing distinguishes modules later
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) {
    return 1;
}

void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, void*, void*, void*, void*, int*) {
    kernels()[host].name = name;
}
void __cudaRegisterVar(void**, char* host, char*, const char* name, int, std::size_t, int, int) {
    variables()[host].name = name;
}

unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared_bytes, void* stream) {
    configurations.push_back({grid, block, shared_bytes, stream});
    return 0;
}
CudaError __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared_bytes, void* stream) {
    if (configurations.empty()) return remember(kInvalidConfiguration);
    const CallConfiguration top = configurations.back();
    configurations.pop_back();
    *grid = top.grid;
    *block = top.block;
    *shared_bytes = top.shared_bytes;
    std::memcpy(stream, &top.stream, sizeof top.stream);
    return kSuccess;
}
CudaError __cudaGetKernel(void** kernel, const void* function) {
    const auto found = kernels().find(function);
    if (found == kernels().end()) return remember(kInvalidDeviceFunction);
    *kernel = &found->second;
    return kSuccess;
}
CudaError __cudaLaunchKernel(void* kernel, Dim3 grid, Dim3 block, void** arguments, std::size_t shared_bytes, void*) {
    if (kernel == nullptr) return remember(kInvalidDeviceFunction);
    return launch(*static_cast<RegisteredKernel*>(kernel), grid, block, arguments, shared_bytes);
}
CudaError cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments, std::size_t shared_bytes,
                           void*) {
    const auto found = kernels().find(function);
    if (found == kernels().end()) return remember(kInvalidDeviceFunction);
    return launch(found->second, grid, block, arguments, shared_bytes);
}

CudaError cudaFuncGetAttributes(FunctionAttributes* attributes, const void* function) {
    const RegisteredKernel* const kernel = find_kernel(function);
    if (kernel == nullptr) return remember(kInvalidDeviceFunction);
    *attributes = {};
    attributes->shared_bytes = kernel->information.shared_bytes;
    attributes->local_bytes = kernel->information.local_bytes;
    attributes->max_threads_per_block = static_cast<int>(kernel->information.max_threads);
    attributes->registers = static_cast<int>(kernel->information.registers);
    attributes->ptx_version = kCapabilityMajor * 10 + kCapabilityMinor;
    attributes->binary_version = attributes->ptx_version;
    return kSuccess;
}
/// Hints about caches, without effect on results.
CudaError cudaFuncSetCacheConfig(const void*, int) {
    return kSuccess;
}

}  // extern "C"
