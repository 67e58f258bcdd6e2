#pragma once

#include <optional>
#include <string>

#include "components/emulator/emulated_device.h"
#include "components/frontend/native/cubin.h"

namespace lookahead::test {

/// The architectures whose code is read.
inline constexpr unsigned kArchitectures[] = {75, 80, 86, 89, 90, 100};

/// Whether ptxas can be found.
bool has_ptxas();

/// What ptxas makes of the PTX, whose target is sm_75, for the architecture. InputError with its words if it refuses.
native::Cubin compile_native(std::string text, unsigned architecture);

/// The emulator with the cubin's kernels.
EmulatedDevice native_device(const native::Cubin& cubin, isa::SimtModel simt);

}  // namespace lookahead::test
