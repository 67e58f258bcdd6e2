#pragma once

#include <cstdint>

namespace lookahead::gpu {

/// Numbers of the GPU's message types; the engine's own models use numbers from 200 up.
enum class GpuMessage : std::uint8_t {
    // memory.h
    read_request = 1,
    write_request,
    atomic_request,
    read_reply,
    write_acknowledge,
    atomic_reply,
    credit,
    // host_memory.h
    host_write = 20,
    host_read,
    host_fill,
    host_read_reply,
    host_acknowledge,
    // launch.h
    launch_kernel = 40,
    kernel_completed,
    kernel_begin,
    cta_assign,
    cta_completed,
    kernel_end,
    sm_drained,
    allocation_update,
    launch_parameters,
    kernel_mark,
};

}  // namespace lookahead::gpu
