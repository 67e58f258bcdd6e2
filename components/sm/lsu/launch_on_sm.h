#pragma once

#include <cstdint>

namespace lookahead::isa {
struct Kernel;
}

namespace lookahead::gpu {

struct LaunchOnSm {
    const isa::Kernel& kernel;
    std::uint32_t number;            ///< the kernel's index in the run's table
    unsigned cta_slots;              ///< CTAs that are resident at once
    unsigned warps_per_cta;          ///< warp w of the CTA in slot s has the context s * warps_per_cta + w
    std::uint32_t launch = 0;        ///< number in the run, from 0
    std::uint32_t shared_bytes = 0;  ///< shared memory of all resident CTAs
};

}  // namespace lookahead::gpu
