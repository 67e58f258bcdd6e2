#include "components/emulator/emulated_device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "components/emulator/cta.h"
#include "components/emulator/grid_runner.h"
#include "core/error/error.h"

namespace lookahead {

namespace {

/// A launch's parameters in memory, if its kernel reads them by address.
class ParametersInMemory {
  public:
    ParametersInMemory(std::span<const std::byte> parameters, FlatMemory& memory, Allocator& allocator)
        : allocator_(allocator), any_(!parameters.empty()) {
        if (!any_) { return; }
        allocator_.place(isa::kParameterBase, parameters.size());
        memory.open(isa::kParameterBase, parameters.size());
        std::memcpy(memory.at(isa::kParameterBase), parameters.data(), parameters.size());
    }
    ~ParametersInMemory() {
        if (any_) { allocator_.release(isa::kParameterBase); }
    }
    ParametersInMemory(const ParametersInMemory&) = delete;
    ParametersInMemory& operator=(const ParametersInMemory&) = delete;

  private:
    Allocator& allocator_;
    bool any_;
};

}  // namespace

EmulatedDevice::EmulatedDevice(isa::KernelTable kernels, EmulatorOptions options)
    : kernels_(std::move(kernels)),
      options_(options),
      allocator_(kernels_.reach),
      memory_(options.memory_file),
      executed_(kernels_.size()) {
    for (const isa::ModuleVariable& variable : kernels_.image) {
        if (variable.bytes == 0) { continue; }
        allocator_.place(variable.address, variable.bytes);
        memory_.open(variable.address, variable.bytes);
        std::ranges::copy(variable.contents, memory_.at(variable.address));
    }
}

DeviceAddress EmulatedDevice::allocate(std::uint64_t bytes) {
    const DeviceAddress address = allocator_.allocate(bytes);
    memory_.grow_to(address + bytes);
    return address;
}

void EmulatedDevice::release(DeviceAddress address) {
    allocator_.release(address);
}

void EmulatedDevice::require_allocated(const char* what, DeviceAddress address, std::uint64_t bytes) const {
    if (bytes == 0 || allocator_.contains(address, bytes)) { return; }
    throw ProgramError("{} of {} bytes at {:#x}, which are not inside an allocation", what, bytes, address);
}

void EmulatedDevice::copy_to_device(DeviceAddress destination, std::span<const std::byte> source) {
    require_allocated("copy to the device", destination, source.size());
    if (!source.empty()) { std::memcpy(memory_.at(destination), source.data(), source.size()); }
}

void EmulatedDevice::copy_from_device(std::span<std::byte> destination, DeviceAddress source) {
    require_allocated("copy from the device", source, destination.size());
    if (!destination.empty()) { std::memcpy(destination.data(), memory_.at(source), destination.size()); }
}

void EmulatedDevice::fill(DeviceAddress destination, std::byte value, std::uint64_t bytes) {
    require_allocated("fill", destination, bytes);
    memory_.fill(destination, value, bytes);
}

std::uint32_t EmulatedDevice::kernel_number(std::string_view name) const {
    const auto found = std::ranges::find(kernels_, name, &isa::Kernel::name);
    if (found == kernels_.end()) { throw ProgramError("launch of {}: there is no such kernel", name); }
    return static_cast<std::uint32_t>(found - kernels_.begin());
}

void EmulatedDevice::launch(std::string_view kernel_name, const LaunchConfiguration& configuration,
                            std::span<const std::byte> parameters) {
    const std::uint32_t number = kernel_number(kernel_name);
    const isa::Kernel& kernel = kernels_[number];
    isa::check_launch(kernel, configuration.grid, configuration.block);
    if (kernel.recording != nullptr) {
        throw ConfigurationError("a trace has no values, so that it cannot be emulated; 'lookahead run' simulates it");
    }

    LaunchState state;
    state.kernel = &kernel;
    state.image = &kernels_.image;
    state.configuration = configuration;
    state.number = launches_.size();
    state.constants = isa::make_constant_rows(kernel, configuration.grid, configuration.block,
                                              configuration.dynamic_shared_bytes, parameters);
    state.simt = options_.simt;
    state.code = decode(kernel, options_.simt);
    state.counts.resize(kernel.code.size());
    state.executed = counts_.total.warps;
    state.instruction_limit = options_.max_warp_instructions;
    state.observer = options_.instructions;
    if (dequeues(kernel)) {
        if (options_.queues == nullptr) {
            throw ProgramError(
                "launch of {}: it takes values from queues that another of its programs fills, which the emulator does "
                "not run; kernel.transform = none leaves the kernel whole",
                kernel_name);
        }
        state.queues = options_.queues;
        state.queues->begin_launch(kernel, configuration.block, state.constants);
    }

    if (options_.observer != nullptr) { options_.observer->begin_launch(launches_.size()); }
    if (options_.instructions != nullptr) { options_.instructions->begin_launch(launches_.size()); }
    const ParametersInMemory in_memory(kernel.addresses_parameters ? parameters : std::span<const std::byte>(), memory_,
                                       allocator_);
    GridRunner(state, memory_, allocator_, options_.observer).run();

    launches_.push_back({number, configuration});
    counts_ += summarise(kernel, state.counts);
    std::vector<InstructionCount>& sums = executed_[number];
    sums.resize(state.counts.size());
    std::ranges::transform(state.counts, sums, sums.begin(), [](const auto& count, auto sum) { return sum += count; });
}

}  // namespace lookahead
