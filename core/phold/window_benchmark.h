#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/sync/engine_statistics.h"

namespace lookahead {

class Transport;

struct WindowBenchmarkResult {
    std::uint64_t windows = 0;
    double microseconds_per_window = 0;  ///< wall time of the slowest rank
    std::vector<EngineStatistics> per_rank;
};

/// Measures the cost of a nearly empty window: one LP per rank, connected to all others by channels that it never uses,
/// with one inner event per window.
WindowBenchmarkResult benchmark_windows(std::uint64_t windows, Transport&, const std::string& sync);

}  // namespace lookahead
