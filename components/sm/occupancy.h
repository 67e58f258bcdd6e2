#pragma once

#include <cstdint>

#include "components/isa/dim3.h"

namespace lookahead::isa {
struct Kernel;
}

namespace lookahead::gpu {

/// What one SM can hold.
struct OccupancyLimits {
    std::int64_t max_threads = 1536;
    std::int64_t max_warps = 48;
    std::int64_t max_ctas = 8;
    std::int64_t registers = 32768;
    std::int64_t occupancy_registers = 0;
    std::int64_t register_unit = 64;
    std::int64_t shared_bytes = 48 * 1024;
    std::int64_t shared_unit = 128;
    std::int64_t shared_reserved = 0;
};

/// The resource that limits the number of resident CTAs.
enum class OccupancyBound : std::uint8_t { threads, warps, ctas, registers, shared_memory };

/// How many CTAs of a launch one SM holds, and what each takes.
struct Occupancy {
    std::uint32_t ctas = 0;  ///< resident on one SM at once; 0: not even one fits
    OccupancyBound bound = OccupancyBound::ctas;
    std::uint32_t warps_per_cta = 0;
    std::uint32_t rows_per_warp = 0;         ///< register file rows (32 registers of 32 bits) of a warp, rounded up
    std::uint32_t shared_bytes_per_cta = 0;  ///< static and dynamic, rounded up to the allocation unit
    std::uint32_t shared_bytes = 0;          ///< of all resident CTAs, including the reserved part of each
};

/// The CTAs of a launch that fit on one SM. The dispatcher and the SM use the same function.
Occupancy occupancy_of(const OccupancyLimits& limits, const isa::Kernel& kernel, const isa::Dim3& block,
                       std::uint32_t dynamic_shared_bytes);

inline std::uint32_t ctas_per_sm(const OccupancyLimits& limits, const isa::Kernel& kernel, const isa::Dim3& block,
                                 std::uint32_t dynamic_shared_bytes) {
    return occupancy_of(limits, kernel, block, dynamic_shared_bytes).ctas;
}

/// Throws ProgramError, naming the kernel, the resource, its need and its limit, if `occupancy` has no CTA.
void require_occupancy(const Occupancy& occupancy, const OccupancyLimits& limits, const isa::Kernel& kernel,
                       const isa::Dim3& block, std::uint32_t dynamic_shared_bytes);

}  // namespace lookahead::gpu
