#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "components/isa/dim3.h"
#include "components/isa/kernel_frame.h"
#include "components/isa/lane_mask.h"
#include "components/isa/operation.h"

namespace lookahead::isa {

/// One 32-bit word per lane: a warp register, or a constant as handlers read it.
struct alignas(128) Row {
    std::uint32_t lanes[kWarpSize];
};

/// The constant rows of a launch, laid out as in kernel_frame.h: the same value in all lanes. ProgramError if
/// `parameters` does not fit the kernel's parameter list.
std::vector<Row> make_constant_rows(const KernelFrame& kernel, const Dim3& grid, const Dim3& block,
                                    std::uint32_t dynamic_shared_bytes, std::span<const std::byte> parameters);

/// Throws ProgramError unless grid and block are within CUDA's limits and the kernel's .maxntid.
void check_launch(const KernelFrame& kernel, const Dim3& grid, const Dim3& block);

/// The place and time of a warp, for special registers.
struct WarpIdentity {
    Dim3 ctaid{0, 0, 0};
    Dim3 block;
    std::uint32_t first_thread = 0;  ///< linear index in the CTA of the thread in lane 0
    std::uint32_t warp_slot = 0;     ///< %warpid
    std::uint32_t warp_slots = 0;    ///< %nwarpid
    std::uint32_t sm = 0;            ///< %smid
    std::uint32_t sms = 0;           ///< %nsmid
    std::uint64_t clock = 0;         ///< %clock64, cycles
    std::uint64_t nanoseconds = 0;   ///< %globaltimer
    std::uint64_t launch = 0;        ///< %gridid: launches of the run before this one
};

/// Writes a special register's value for all 32 lanes; only clock64, globaltimer and gridid need `high`.
void read_special(SpecialRegister special, const WarpIdentity& warp, std::uint32_t* low, std::uint32_t* high);

inline std::uint32_t warps_per_cta(const Dim3& block) {
    return static_cast<std::uint32_t>((block.count() + kWarpSize - 1) / kWarpSize);
}

/// Lanes of the warp whose lane 0 is thread `first_thread` of a CTA of `threads` threads.
constexpr LaneMask initial_mask(std::uint64_t threads, std::uint32_t first_thread) {
    const std::uint64_t left = threads - first_thread;
    return left >= kWarpSize ? kFullMask : (LaneMask{1} << left) - 1;
}

/// %ctaid of the CTA with the given linear number: x runs fastest.
constexpr Dim3 cta_position(const Dim3& grid, std::uint64_t number) {
    return {static_cast<std::uint32_t>(number % grid.x), static_cast<std::uint32_t>(number / grid.x % grid.y),
            static_cast<std::uint32_t>(number / grid.x / grid.y)};
}

}  // namespace lookahead::isa
