#pragma once

#include <cstdint>

#include "components/isa/kernel.h"

namespace lookahead::gpu {

/// A launch as one SM runs it.
struct LaunchOnSm {
    const isa::Kernel& kernel;
    std::uint32_t number;            ///< of the kernel in the run's table
    unsigned cta_slots;              ///< CTAs that are resident at once
    unsigned warps_per_cta;          ///< warp w of the CTA in slot s has the context s * warps_per_cta + w
    std::uint32_t launch = 0;        ///< of the run, from 0
    std::uint32_t shared_bytes = 0;  ///< that its resident CTAs take
};

}  // namespace lookahead::gpu
