#pragma once

#include <cstddef>
#include <span>

#include "components/device/device.h"
#include "experiments/capture/capture.h"

namespace lookahead {

/// Makes the call on the device; the caller makes calls with a result, and launches. InputError if the device allocates
/// at another address.
void repeat(const CapturedCall& call, std::span<const std::byte> contents, Device& device);

}  // namespace lookahead
