#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "components/device/allocator.h"
#include "components/device/device.h"
#include "components/emulator/access_observer.h"
#include "components/emulator/execution_counts.h"
#include "components/emulator/flat_memory.h"
#include "components/emulator/instruction_observer.h"
#include "components/emulator/queue_source.h"
#include "components/isa/simt_model.h"

namespace lookahead {

struct LaunchState;

struct EmulatorOptions {
    /// The number of warp instructions of all launches after which the program counts as endless.
    std::uint64_t max_warp_instructions = UINT64_MAX;
    /// A file for the device's memory (FlatMemory); -1 for none.
    int memory_file = -1;
    AccessObserver* observer = nullptr;           ///< outlives the device
    InstructionObserver* instructions = nullptr;  ///< outlives the device
    QueueSource* queues = nullptr;                ///< outlives the device; without one kernels that dequeue are refused
    isa::SimtModel simt = isa::SimtModel::stack;  ///< how diverged lanes are run
};

/// The functional emulator: kernels run at once, on flat memory, without timing.
class EmulatedDevice : public Device {
  public:
    /// A launch that has run. Programs make hundreds of thousands of launches, so executed instructions are counted by
    /// kernel.
    struct Launch {
        std::uint32_t kernel = 0;  ///< number in the table
        LaunchConfiguration configuration;
    };

    explicit EmulatedDevice(isa::KernelTable kernels, EmulatorOptions options = {});

    void use_pages() override { allocator_.use_pages(); }
    DeviceAddress allocate(std::uint64_t bytes) override;
    void release(DeviceAddress address) override;
    void copy_to_device(DeviceAddress destination, std::span<const std::byte> source) override;
    void copy_from_device(std::span<std::byte> destination, DeviceAddress source) override;
    void fill(DeviceAddress destination, std::byte value, std::uint64_t bytes) override;
    DeviceAddress variable(std::string_view name) const override {
        return isa::address_of_variable(kernels_.image, name);
    }
    void launch(std::string_view kernel, const LaunchConfiguration& configuration,
                std::span<const std::byte> parameters) override;

    const isa::KernelTable& kernels() const { return kernels_; }
    const Allocator& allocator() const { return allocator_; }
    /// The host address of the byte at `address`, in an allocation or variable.
    std::byte* memory(DeviceAddress address) { return memory_.at(address); }
    std::span<const Launch> launches() const { return launches_; }
    /// Sums over all launches.
    const ExecutionCounts& counts() const { return counts_; }
    /// The counts of one kernel, by its instructions; empty if it was not launched.
    const std::vector<InstructionCount>& executed(std::uint32_t kernel) const { return executed_[kernel]; }

  private:
    std::uint32_t kernel_number(std::string_view name) const;
    void require_allocated(const char* what, DeviceAddress address, std::uint64_t bytes) const;

    isa::KernelTable kernels_;
    EmulatorOptions options_;
    Allocator allocator_;
    FlatMemory memory_;
    std::vector<Launch> launches_;
    ExecutionCounts counts_;
    std::vector<std::vector<InstructionCount>> executed_;  ///< by kernel
};

}  // namespace lookahead
