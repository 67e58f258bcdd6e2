#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "components/device/device.h"
#include "components/isa/module_image.h"

namespace lookahead {

/// A device whose program has its variables at other addresses than the host's program knows: native code has its own
/// layout of them. Translates the addresses of calls, and the aligned words of 64 bits that are addresses of variables
/// in launches' parameters and in what is copied, to the device's and back.
class MovedVariables : public Device {
  public:
    /// `image`: where the host's program knows the variables to be. The device must outlive this object.
    MovedVariables(Device& device, const isa::ModuleImage& image);

    /// Whether all variables are where the host's program knows them to be.
    bool none() const { return moves_.empty(); }

    void use_pages() override { device_.use_pages(); }
    DeviceAddress allocate(std::uint64_t bytes) override { return device_.allocate(bytes); }
    void release(DeviceAddress address) override { device_.release(address); }
    /// InputError for an address in a variable that the device's program lacks; so for the other calls.
    void copy_to_device(DeviceAddress destination, std::span<const std::byte> source) override;
    void copy_from_device(std::span<std::byte> destination, DeviceAddress source) override;
    void fill(DeviceAddress destination, std::byte value, std::uint64_t bytes) override;
    DeviceAddress variable(std::string_view name) const override { return device_.variable(name); }
    void launch(std::string_view kernel, const LaunchConfiguration& configuration,
                std::span<const std::byte> parameters) override;
    std::uint64_t nanoseconds() const override { return device_.nanoseconds(); }

  private:
    struct Move {
        std::string name;
        DeviceAddress known = 0;
        std::uint64_t bytes = 0;
        std::optional<DeviceAddress> present;  ///< none: the compiler has removed the variable
    };

    DeviceAddress present(DeviceAddress known) const;
    DeviceAddress known(DeviceAddress present) const;
    void translate(std::span<std::byte> bytes, DeviceAddress (MovedVariables::*translated)(DeviceAddress) const) const;
    std::vector<std::byte> with_present(std::span<const std::byte> bytes) const;

    Device& device_;
    std::vector<Move> moves_;
};

}  // namespace lookahead
