#pragma once

#include <string>
#include <vector>

#include "core/param/configuration.h"

namespace lookahead {

/// The files that a workload reads, whose parameters have been read from the configuration: what they hold makes a run as
/// much as the configuration does, wherever that has their names from.
std::vector<std::string> input_files(const std::string& workload, const Configuration&);

}  // namespace lookahead
