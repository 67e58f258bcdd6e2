#pragma once

#include <span>
#include <string>

#include "experiments/sweep/index_facts.h"

namespace lookahead {

/// A row for each point, with the columns of the index's /points.
std::string points_as_csv(const Study&, std::span<const SweepPoint>, const IndexFacts&);

/// A row for each counter of each point (kernel is empty) and of each of its kernels (min and max are empty): point,
/// workload, kernel, kernel_name, kind, counter, unit, sum, min, max.
std::string counters_as_csv(std::span<const SweepPoint>, const IndexFacts&);

}  // namespace lookahead
