#pragma once

#include <string>
#include <vector>

#include "core/param/configuration.h"

namespace lookahead {

/// The files that a workload reads, after its parameters have been read from the configuration: like the configuration
/// their contents determine a run, whatever their names.
std::vector<std::string> input_files(const std::string& workload, const Configuration&);

}  // namespace lookahead
