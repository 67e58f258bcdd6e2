#include "experiments/capture/recording_device.h"

namespace lookahead {

DeviceAddress RecordingDevice::allocate(std::uint64_t bytes) {
    const DeviceAddress address = device_.allocate(bytes);
    capture_.add({.kind = CapturedCall::Kind::allocate, .address = address, .bytes = bytes});
    return address;
}

void RecordingDevice::release(DeviceAddress address) {
    device_.release(address);
    capture_.add({.kind = CapturedCall::Kind::release, .address = address});
}

void RecordingDevice::copy_to_device(DeviceAddress destination, std::span<const std::byte> source) {
    device_.copy_to_device(destination, source);
    capture_.add({.kind = CapturedCall::Kind::copy_to_device, .address = destination}, source);
}

void RecordingDevice::copy_from_device(std::span<std::byte> destination, DeviceAddress source) {
    device_.copy_from_device(destination, source);
    capture_.add({.kind = CapturedCall::Kind::copy_from_device, .address = source}, destination);
}

void RecordingDevice::fill(DeviceAddress destination, std::byte value, std::uint64_t bytes) {
    device_.fill(destination, value, bytes);
    capture_.add({.kind = CapturedCall::Kind::fill,
                  .address = destination,
                  .bytes = bytes,
                  .value = std::to_integer<std::uint32_t>(value)});
}

void RecordingDevice::launch(std::string_view kernel, const LaunchConfiguration& configuration,
                             std::span<const std::byte> parameters) {
    device_.launch(kernel, configuration, parameters);
    capture_.add({.kind = CapturedCall::Kind::launch, .kernel = std::string(kernel), .configuration = configuration},
                 parameters);
}

}  // namespace lookahead
