#pragma once

#include <string>

#include "components/frontend/ptx/module.h"

namespace lookahead::finaliser::test {

/// One of the repository's workloads' PTX: vecadd, sgemm, hotspot, histogram, bfs.
ptx::Module workload_module(const std::string& name);

}  // namespace lookahead::finaliser::test
