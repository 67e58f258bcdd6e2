#pragma once

#include <cstddef>
#include <span>

#include "components/device/device.h"
#include "experiments/capture/capture.h"

namespace lookahead {

/// Forwards a host driver's calls and records them as a capture.
class RecordingDevice : public Device {
  public:
    RecordingDevice(Device& device, Capture& capture) : device_(device), capture_(capture) {}

    DeviceAddress allocate(std::uint64_t bytes) override;
    void release(DeviceAddress address) override;
    void copy_to_device(DeviceAddress destination, std::span<const std::byte> source) override;
    void copy_from_device(std::span<std::byte> destination, DeviceAddress source) override;
    void fill(DeviceAddress destination, std::byte value, std::uint64_t bytes) override;
    DeviceAddress variable(std::string_view name) const override { return device_.variable(name); }
    void launch(std::string_view kernel, const LaunchConfiguration& configuration,
                std::span<const std::byte> parameters) override;

  private:
    Device& device_;
    Capture& capture_;
};

}  // namespace lookahead
