#include "experiments/capture/repeat_call.h"

#include <fmt/core.h>

#include <vector>

#include "core/error/error.h"

namespace lookahead {

void repeat(const CapturedCall& call, std::span<const std::byte> contents, Device& device) {
    switch (call.kind) {
        case CapturedCall::Kind::allocate: {
            const DeviceAddress address = device.allocate(call.bytes);
            if (address != call.address) {
                throw InputError(
                    "the program allocates {:#x}, but {:#x} is free: its capture is damaged or "
                    "of another address layout",
                    call.address, address);
            }
            break;
        }
        case CapturedCall::Kind::release:
            device.release(call.address);
            break;
        case CapturedCall::Kind::copy_to_device:
            device.copy_to_device(call.address, contents);
            break;
        case CapturedCall::Kind::fill:
            device.fill(call.address, static_cast<std::byte>(call.value), call.bytes);
            break;
        case CapturedCall::Kind::copy_on_device: {
            // The devices have no such copies: the bytes pass through the host, over the link and back.
            std::vector<std::byte> bytes(call.bytes);
            device.copy_from_device(bytes, call.source);
            device.copy_to_device(call.address, bytes);
            break;
        }
        case CapturedCall::Kind::use_pages:
            device.use_pages();
            break;
        case CapturedCall::Kind::copy_from_device:
        case CapturedCall::Kind::launch:
            break;
    }
}

}  // namespace lookahead
