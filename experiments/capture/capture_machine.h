#pragma once

#include <string>

#include "components/frontend/cudart/protocol.h"
#include "components/frontend/finaliser/code/options.h"
#include "components/sm/occupancy.h"
#include "core/param/configuration.h"

namespace lookahead {

/// The machine that a captured program sees.
struct CaptureMachine {
    cudart::DeviceInformation information{.name = "Lookahead",
                                          .memory_bytes = std::uint64_t{4} << 30,
                                          .multiprocessors = 15,
                                          .clock_kilohertz = 1'400'000,
                                          .memory_clock_kilohertz = 1'848'000,
                                          .memory_bus_bits = 384,
                                          .l2_bytes = 768 * 1024,
                                          .shared_bytes_per_block = 48 * 1024,
                                          .shared_bytes_per_multiprocessor = 48 * 1024,
                                          .registers_per_multiprocessor = 32768,
                                          .threads_per_multiprocessor = 1536,
                                          .blocks_per_multiprocessor = 8};
    gpu::OccupancyLimits limits{};
    finaliser::FinaliserOptions options{};
};

/// Makes it from a machine's configuration.
CaptureMachine capture_machine(const std::string& name, const Configuration& configuration);

}  // namespace lookahead
