#pragma once

#include <cstdint>

#include "components/isa/dim3.h"
#include "components/protocols/message_types.h"

namespace lookahead::gpu {

/// Messages that start and end kernels: host <-> CTA dispatcher <-> SMs. `launch` numbers the launches of a run from 0.

/// A launch, from the host to the dispatcher and (as KernelBegin) from the dispatcher to every SM. Followed by the last
/// of the `parameter_bytes` bytes of parameters; LaunchParameters messages (send_launch.h) carry those before.
struct LaunchFields {
    std::uint32_t launch;
    std::uint32_t kernel;  ///< index in the run's KernelTable
    isa::Dim3 grid;
    isa::Dim3 block;
    std::uint32_t dynamic_shared_bytes;
    std::uint32_t parameter_bytes;
};

struct LaunchKernel : LaunchFields {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::launch_kernel);
};

/// When it arrives, the SM invalidates L1, sets up constant rows and awaits CTAs.
struct KernelBegin : LaunchFields {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::kernel_begin);
};

/// Followed by `bytes` bytes of the parameters of the next launch on the channel, which arrives at the same time.
struct LaunchParameters {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::launch_parameters);
    std::uint64_t bytes;
};

/// The dispatcher assigns no more CTAs than the SM's occupancy allows (plus those that may wait pre-assigned).
struct CtaAssign {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::cta_assign);
    std::uint64_t cta;  ///< linear index in the grid: x fastest
};

struct CtaCompleted {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::cta_completed);
    std::uint64_t cta;
};

/// No more CTAs will come: the SM drains (stores acknowledged, fills arrived, write-backs done) and answers SmDrained.
struct KernelEnd {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::kernel_end);
    std::uint64_t launch;
};

struct SmDrained {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::sm_drained);
    std::uint64_t launch;
    std::uint64_t warp_instructions;  ///< of this launch on this SM
    std::uint64_t thread_instructions;
};

/// From the dispatcher to every memory partition when a kernel has completed: counts up to now belong to the kernel. It
/// arrives before any request of the next kernel.
struct KernelMark {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::kernel_mark);
    std::uint64_t launch;
};

struct KernelCompleted {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::kernel_completed);
    std::uint64_t launch;
    std::int64_t begin;  ///< time at which the dispatcher began the kernel, fs
    std::int64_t end;    ///< time at which the last SM had drained, fs
    std::uint64_t warp_instructions;
    std::uint64_t thread_instructions;
};

/// From the host to every SM, before the launch that needs it: a change of the map of allocations, by which the SM
/// checks demand accesses.
struct AllocationUpdate {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::allocation_update);
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint64_t released;  ///< 1: the allocation was freed
};

}  // namespace lookahead::gpu
