#include "components/sm/occupancy.h"

#include <algorithm>
#include <limits>
#include <string>

#include "components/isa/kernel.h"
#include "components/isa/launch.h"
#include "core/error/error.h"

namespace lookahead::gpu {
namespace {

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

std::int64_t registers_per_warp(const OccupancyLimits& limits, const isa::Kernel& kernel) {
    const std::int64_t registers =
        limits.occupancy_registers > 0 ? limits.occupancy_registers : std::int64_t{kernel.registers_per_thread()};
    return rounded_up(registers * isa::kWarpSize, limits.register_unit);
}

std::int64_t shared_bytes_per_cta(const OccupancyLimits& limits, const isa::Kernel& kernel,
                                  std::uint32_t dynamic_shared_bytes) {
    return rounded_up(std::int64_t{kernel.static_shared_bytes} + dynamic_shared_bytes, limits.shared_unit);
}

}  // namespace

Occupancy occupancy_of(const OccupancyLimits& limits, const isa::Kernel& kernel, const isa::Dim3& block,
                       std::uint32_t dynamic_shared_bytes) {
    const auto warps = static_cast<std::int64_t>(isa::warps_per_cta(block));
    const std::int64_t registers = registers_per_warp(limits, kernel);
    const std::int64_t shared = shared_bytes_per_cta(limits, kernel, dynamic_shared_bytes);
    std::int64_t ctas = std::numeric_limits<std::int64_t>::max();
    Occupancy result;
    const auto bounded_by = [&](OccupancyBound bound, std::int64_t available, std::int64_t needed) {
        if (needed > 0 && available / needed < ctas) {
            ctas = available / needed;
            result.bound = bound;
        }
    };
    bounded_by(OccupancyBound::ctas, limits.max_ctas, 1);
    bounded_by(OccupancyBound::threads, limits.max_threads, static_cast<std::int64_t>(block.count()));
    bounded_by(OccupancyBound::warps, limits.max_warps, warps);
    bounded_by(OccupancyBound::registers, limits.registers, registers * warps);
    bounded_by(OccupancyBound::shared_memory, limits.shared_bytes, shared + limits.shared_reserved);
    result.ctas = static_cast<std::uint32_t>(ctas);
    result.warps_per_cta = static_cast<std::uint32_t>(warps);
    result.rows_per_warp = static_cast<std::uint32_t>(
        std::max((registers + isa::kWarpSize - 1) / isa::kWarpSize, std::int64_t{kernel.registers}));
    result.shared_bytes_per_cta = static_cast<std::uint32_t>(shared);
    result.shared_bytes = static_cast<std::uint32_t>(ctas * (shared + limits.shared_reserved));
    return result;
}

void require_occupancy(const Occupancy& occupancy, const OccupancyLimits& limits, const isa::Kernel& kernel,
                       const isa::Dim3& block, std::uint32_t dynamic_shared_bytes) {
    if (occupancy.ctas > 0) { return; }
    const auto refuse = [&](const std::string& resource, std::int64_t needed, std::int64_t available) {
        throw ProgramError("launch of {}: one CTA of {} threads needs {} {}; an SM has {}", kernel.name, block.count(),
                           needed, resource, available);
    };
    switch (occupancy.bound) {
        case OccupancyBound::threads:
            return refuse("threads", static_cast<std::int64_t>(block.count()), limits.max_threads);
        case OccupancyBound::warps:
            return refuse("warps", occupancy.warps_per_cta, limits.max_warps);
        case OccupancyBound::ctas:
            return refuse("CTA slots", 1, limits.max_ctas);
        case OccupancyBound::registers:
            return refuse("registers", registers_per_warp(limits, kernel) * occupancy.warps_per_cta, limits.registers);
        case OccupancyBound::shared_memory:
            return refuse("bytes of shared memory",
                          shared_bytes_per_cta(limits, kernel, dynamic_shared_bytes) + limits.shared_reserved,
                          limits.shared_bytes);
    }
}

}  // namespace lookahead::gpu
