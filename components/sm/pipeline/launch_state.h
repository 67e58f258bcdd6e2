#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/isa/launch.h"
#include "components/protocols/launch.h"
#include "components/sm/occupancy.h"

namespace lookahead::gpu {

struct LaunchState {
    bool active = false;  ///< from KernelBegin until SmDrained is sent
    bool ending = false;  ///< KernelEnd has come
    LaunchFields fields{};
    std::vector<std::byte> parameters;
    std::uint64_t first_warp_instruction = 0;  ///< the SM's counts when the launch began
    std::uint64_t first_thread_instruction = 0;
    // Derived from the above:
    Occupancy occupancy;
    std::uint64_t code = 0;  ///< address of the kernel's first instruction
    std::vector<isa::Row> constants;
};

}  // namespace lookahead::gpu
