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

    DeviceAddress allocate(std::uint64_t bytes) override {
        const DeviceAddress address = device_.allocate(bytes);
        capture_.add({.kind = Kind::allocate, .address = address, .bytes = bytes});
        return address;
    }
    void release(DeviceAddress address) override {
        device_.release(address);
        capture_.add({.kind = Kind::release, .address = address});
    }
    void copy_to_device(DeviceAddress destination, std::span<const std::byte> source) override {
        device_.copy_to_device(destination, source);
        capture_.add({.kind = Kind::copy_to_device, .address = destination}, source);
    }
    void copy_from_device(std::span<std::byte> destination, DeviceAddress source) override {
        device_.copy_from_device(destination, source);
        capture_.add({.kind = Kind::copy_from_device, .address = source}, destination);
    }
    void fill(DeviceAddress destination, std::byte value, std::uint64_t bytes) override {
        device_.fill(destination, value, bytes);
        const auto word = std::to_integer<std::uint32_t>(value);
        capture_.add({.kind = Kind::fill, .address = destination, .bytes = bytes, .value = word});
    }
    DeviceAddress variable(std::string_view name) const override { return device_.variable(name); }
    void launch(std::string_view kernel, const LaunchConfiguration& configuration,
                std::span<const std::byte> parameters) override {
        device_.launch(kernel, configuration, parameters);
        capture_.add({.kind = Kind::launch, .kernel = std::string(kernel), .configuration = configuration}, parameters);
    }

  private:
    using Kind = CapturedCall::Kind;

    Device& device_;
    Capture& capture_;
};

}  // namespace lookahead
