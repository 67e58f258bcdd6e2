#pragma once

#include <cstddef>
#include <span>

#include "components/device/device.h"
#include "experiments/capture/capture.h"

namespace lookahead {

/// Makes the call on the device; one that has a result, and a launch, is for the caller to make. An InputError if the device
/// allocates elsewhere.
void repeat(const CapturedCall& call, std::span<const std::byte> contents, Device& device);

}  // namespace lookahead
