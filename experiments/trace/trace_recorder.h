#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "components/device/device.h"
#include "components/emulator/instruction_observer.h"
#include "components/frontend/native/cubin.h"
#include "components/isa/kernel.h"

namespace lookahead {

/// Writes traces of what native code does on the emulator, in the format of accel-sim's tracer (version 3), and the
/// list of copies and launches, into a folder: the emulator's observer, and a device that passes a host driver's calls
/// on.
class TraceRecorder : public InstructionObserver, public Device {
  public:
    /// `kernels`: of `cubin`, in its order; both outlive this object. `folder` is there and empty.
    TraceRecorder(std::string folder, const native::Cubin& cubin, const isa::KernelTable& kernels);
    /// The emulated device to which calls go, which has this object as its observer. Call it before the first call.
    void set_device(Device& device) { device_ = &device; }
    /// Writes the list. InputError if that or a trace could not be written.
    void finish();
    std::uint64_t launches() const { return launches_; }

    void begin_launch(std::uint64_t) override {}
    void executing(const ExecutionPlace& place, isa::LaneMask active, const std::uint32_t* registers,
                   const isa::LaneMask* predicates) override;

    void use_pages() override { device_->use_pages(); }
    DeviceAddress allocate(std::uint64_t bytes) override { return device_->allocate(bytes); }
    void release(DeviceAddress address) override { device_->release(address); }
    void copy_to_device(DeviceAddress destination, std::span<const std::byte> source) override;
    void copy_from_device(std::span<std::byte> destination, DeviceAddress source) override {
        device_->copy_from_device(destination, source);
    }
    void fill(DeviceAddress destination, std::byte value, std::uint64_t bytes) override {
        device_->fill(destination, value, bytes);
    }
    DeviceAddress variable(std::string_view name) const override { return device_->variable(name); }
    void launch(std::string_view kernel, const LaunchConfiguration& configuration,
                std::span<const std::byte> parameters) override;

  private:
    /// What the lines of an instruction have in common.
    struct Static {
        std::string words;        ///< destinations, opcode, sources
        std::uint32_t width = 0;  ///< bytes that a lane accesses; 0: none
        bool begins = false;      ///< the machine instruction is the first, or the first access, of the native one
        std::uint64_t address = 0;
    };
    struct Warp {
        std::string lines;
        std::uint64_t instructions = 0;
    };

    std::vector<Static> statics_of(std::uint32_t kernel) const;
    void write(const std::string& name, const std::string& text) const;

    std::string folder_;
    const native::Cubin& cubin_;
    const isa::KernelTable& kernels_;
    Device* device_ = nullptr;
    std::string list_;
    std::uint64_t launches_ = 0;
    std::vector<std::vector<Static>> statics_;  ///< by kernel and index in its code; empty before its first launch
    std::uint32_t kernel_ = 0;                  ///< number of the launch's
    std::map<std::pair<std::uint64_t, std::uint32_t>, Warp> warps_;  ///< of the launch, by CTA and warp
    isa::Dim3 grid_;
};

}  // namespace lookahead
