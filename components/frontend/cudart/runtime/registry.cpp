// Modules, kernels and variables that nvcc's start-up code registers.
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "components/frontend/cudart/fat_binary.h"
#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/connection.h"
#include "components/frontend/cudart/runtime/host_memory.h"

namespace lookahead::cudart {

namespace {

struct RegisteredVariable {
    std::uint32_t module = 0;
    std::string name;
    std::uint64_t address = 0;  ///< 0: not requested yet
    std::uint64_t bytes = 0;
};

/// The target of the module handle that the start-up code gets.
struct RegisteredModule {
    std::uint32_t number = 0;
    std::vector<std::pair<void**, const void*>> managed;  ///< the program's pointers to its managed variables
};

/// Threads may request kernels and variables while a loaded library registers its own.
std::recursive_mutex registry_mutex;

/// The kernels by stub function, and the variables by shadow variable of the host. Never destroyed: programs call CUDA
/// until their very end.
auto& kernels() {
    static auto* const table = new std::unordered_map<const void*, RegisteredKernel>;
    return *table;
}
auto& variables() {
    static auto* const table = new std::unordered_map<const void*, RegisteredVariable>;
    return *table;
}

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

void ask_for(RegisteredKernel& kernel) {
    if (kernel.known) { return; }
    std::vector<std::byte> answer;
    kernel.error = error_of(Connection::get().call({.operation = Operation::find_kernel, .module = kernel.module},
                                                   bytes_of(kernel.name), answer));
    kernel.known = kernel.error == kSuccess || kernel.error == kInvalidDeviceFunction;
    if (kernel.error != kSuccess) { return; }
    std::memcpy(&kernel.information, answer.data(), sizeof kernel.information);
    kernel.places.resize(kernel.information.parameters);
    if (!kernel.places.empty()) {
        std::memcpy(kernel.places.data(), answer.data() + sizeof kernel.information,
                    kernel.places.size() * sizeof(ParameterPlace));
    }
}

void append_fat_binary(const void* data, std::vector<std::byte>& binaries) {
    FatBinaryHeader header;
    std::memcpy(&header, data, sizeof header);
    const std::span binary(static_cast<const std::byte*>(data), header.header_bytes + header.entry_bytes);
    binaries.insert(binaries.end(), binary.begin(), binary.end());
}

RegisteredModule& module_of(void** handle) {
    return *reinterpret_cast<RegisteredModule*>(handle);
}

}  // namespace

RegisteredKernel* find_kernel(const void* function) {
    const std::lock_guard lock(registry_mutex);
    const auto found = kernels().find(function);
    if (found == kernels().end()) { return nullptr; }
    ask_for(found->second);
    return found->second.error == kSuccess ? &found->second : nullptr;
}

CudaError missing_kernel(const void* function) {
    const std::lock_guard lock(registry_mutex);
    const auto found = kernels().find(function);
    return remember(found == kernels().end() ? kInvalidDeviceFunction : found->second.error);
}

CudaError find_symbol(const void* symbol, std::uint64_t& address, std::uint64_t& bytes) {
    const std::lock_guard lock(registry_mutex);
    const auto found = variables().find(symbol);
    if (found == variables().end()) { return remember(kInvalidSymbol); }
    RegisteredVariable& variable = found->second;
    if (variable.address == 0) {
        const Reply reply = Connection::get().call({.operation = Operation::find_variable, .module = variable.module},
                                                   bytes_of(variable.name));
        if (reply.error != kSuccess) { return error_of(reply); }
        variable.address = reply.address;
        variable.bytes = reply.bytes;
    }
    address = variable.address;
    bytes = variable.bytes;
    return kSuccess;
}

}  // namespace lookahead::cudart

using namespace lookahead::cudart;

extern "C" {

/// Skips the linked machine code of relocatable code: the PTX of its parts makes the module.
void** __cudaRegisterFatBinary(void* data) {
    FatBinaryWrapper wrapper;
    std::memcpy(&wrapper, data, sizeof wrapper);
    const bool is_relocatable = wrapper.version == FatBinaryWrapper::kRelocatableVersion;
    if (wrapper.magic != FatBinaryWrapper::kMagic ||
        (wrapper.version != FatBinaryWrapper::kVersion && !is_relocatable)) {
        Connection::get().refuse("its fat binary's wrapper is of version " + std::to_string(wrapper.version) +
                                 "; 1 and 2 are supported");
    }
    std::vector<std::byte> binaries;
    Request request{.operation = Operation::load_module};
    if (is_relocatable) {
        for (auto* part = reinterpret_cast<const void* const*>(wrapper.linked); *part != nullptr; ++part) {
            append_fat_binary(*part, binaries);
            ++request.value;
        }
    } else {
        append_fat_binary(reinterpret_cast<const void*>(wrapper.data), binaries);
    }
    const Reply reply = Connection::get().call(request, binaries);
    auto* const module = new RegisteredModule{static_cast<std::uint32_t>(reply.address), {}};
    return reinterpret_cast<void**>(module);
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void** module, const char* host, char*, const char* name, int, void*, void*, void*, void*,
                            int*) {
    const std::lock_guard lock(registry_mutex);
    kernels()[host] = {.module = module_of(module).number, .name = name};
}
void __cudaRegisterVar(void** module, char* host, char*, const char* name, int, std::size_t, int, int) {
    const std::lock_guard lock(registry_mutex);
    variables()[host] = {.module = module_of(module).number, .name = name};
}
/// The program reaches the variable through `pointer`, which is also its shadow variable.
void __cudaRegisterManagedVar(void** module, void** pointer, char*, const char* name, int, std::size_t, int, int) {
    const std::lock_guard lock(registry_mutex);
    variables()[pointer] = {.module = module_of(module).number, .name = name};
    module_of(module).managed.emplace_back(pointer, pointer);
}
/// Called before the program first accesses a managed variable of the module, and by modules without such variables.
char __cudaInitModule(void** handle) {
    const std::lock_guard lock(registry_mutex);
    for (const auto& [pointer, symbol] : module_of(handle).managed) {
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
        if (find_symbol(symbol, address, bytes) != kSuccess || !make_visible(address, bytes)) { return 0; }
        share_with_kernels(address);
        *pointer = reinterpret_cast<void*>(address);
        variables()[*pointer] = variables()[symbol];
    }
    module_of(handle).managed.clear();
    return 1;
}

}  // extern "C"
