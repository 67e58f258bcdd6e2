#include "experiments/capture/moved_variables.h"

#include <cstring>

#include "core/error/error.h"

namespace lookahead {

MovedVariables::MovedVariables(Device& device, const isa::ModuleImage& image) : device_(device) {
    for (const isa::ModuleVariable& variable : image) {
        std::optional<DeviceAddress> now;
        try {
            now = device.variable(variable.name);
        } catch (const ProgramError&) {}  // it is removed
        if (now != variable.address) { moves_.push_back({variable.name, variable.address, variable.bytes, now}); }
    }
}

void MovedVariables::copy_to_device(DeviceAddress destination, std::span<const std::byte> source) {
    device_.copy_to_device(present(destination), with_present(source));
}

void MovedVariables::copy_from_device(std::span<std::byte> destination, DeviceAddress source) {
    device_.copy_from_device(destination, present(source));
    translate(destination, &MovedVariables::known);
}

void MovedVariables::fill(DeviceAddress destination, std::byte value, std::uint64_t bytes) {
    device_.fill(present(destination), value, bytes);
}

void MovedVariables::launch(std::string_view kernel, const LaunchConfiguration& configuration,
                            std::span<const std::byte> parameters) {
    device_.launch(kernel, configuration, with_present(parameters));
}

DeviceAddress MovedVariables::present(DeviceAddress known) const {
    for (const Move& move : moves_) {
        if (known - move.known >= move.bytes) { continue; }
        if (!move.present) {
            throw InputError("the program accesses the variable {}, which its native code does not have", move.name);
        }
        return *move.present + (known - move.known);
    }
    return known;
}

DeviceAddress MovedVariables::known(DeviceAddress present) const {
    for (const Move& move : moves_) {
        if (move.present && present - *move.present < move.bytes) { return move.known + (present - *move.present); }
    }
    return present;
}

void MovedVariables::translate(std::span<std::byte> bytes,
                               DeviceAddress (MovedVariables::*translated)(DeviceAddress) const) const {
    DeviceAddress word = 0;
    for (std::size_t at = 0; at + sizeof word <= bytes.size(); at += sizeof word) {
        std::memcpy(&word, bytes.data() + at, sizeof word);
        const DeviceAddress now = (this->*translated)(word);
        std::memcpy(bytes.data() + at, &now, sizeof now);
    }
}

std::vector<std::byte> MovedVariables::with_present(std::span<const std::byte> bytes) const {
    std::vector<std::byte> result(bytes.begin(), bytes.end());
    translate(result, &MovedVariables::present);
    return result;
}

}  // namespace lookahead
