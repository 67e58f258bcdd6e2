#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "components/device/device.h"
#include "components/isa/module_image.h"

namespace lookahead {

/// The host side of a kernel's printf. The device side (components/frontend/ptx/device_library/vprintf.cu) appends a
/// record per call to a buffer in global memory:
/// - buffer: u32 bytes of records, u32 unused, u32 calls that found no room, u32 unused; then the records, at multiples
///   of 8 bytes, in the order in which the threads reserved their room;
/// - record: u32 its bytes, u32 bytes of the arguments, u32 offset of the texts, u32 unused; the arguments, laid out
///   like the members of a struct; at the offset the format and the text of each %s that is not null.
class DevicePrinter {
  public:
    explicit DevicePrinter(const isa::ModuleImage& image);

    bool prints() const { return buffer_ != 0; }
    /// Returns the formatted text that kernels have printed since the last call. Reports calls of printf that found no
    /// room on stderr.
    std::string collect(Device& device) const;

  private:
    DeviceAddress buffer_ = 0;
    std::uint64_t capacity_ = 0;  ///< room for records, in bytes
};

/// The text of one record: C's printf with CUDA's restrictions (CUDA C++ Programming Guide, "Formatted Output").
std::string format_printed(std::span<const std::byte> record);

/// A device that passes its kernels' printed text to `print` as each kernel ends.
class PrintingDevice final : public Device {
  public:
    PrintingDevice(Device& device, const isa::ModuleImage& image, std::function<void(std::string_view)> print)
        : device_(device), printer_(image), print_(std::move(print)) {}

    void use_pages() override { device_.use_pages(); }
    DeviceAddress allocate(std::uint64_t bytes) override { return device_.allocate(bytes); }
    void release(DeviceAddress address) override { device_.release(address); }
    void copy_to_device(DeviceAddress destination, std::span<const std::byte> source) override {
        device_.copy_to_device(destination, source);
    }
    void copy_from_device(std::span<std::byte> destination, DeviceAddress source) override {
        device_.copy_from_device(destination, source);
    }
    void fill(DeviceAddress destination, std::byte value, std::uint64_t bytes) override {
        device_.fill(destination, value, bytes);
    }
    DeviceAddress variable(std::string_view name) const override { return device_.variable(name); }
    void launch(std::string_view kernel, const LaunchConfiguration& configuration,
                std::span<const std::byte> parameters) override;
    std::uint64_t nanoseconds() const override { return device_.nanoseconds(); }

  private:
    Device& device_;
    DevicePrinter printer_;
    std::function<void(std::string_view)> print_;
};

}  // namespace lookahead
