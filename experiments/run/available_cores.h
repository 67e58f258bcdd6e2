#pragma once

#include <string>

namespace lookahead {

/// Cores on which this process may run: those of its affinity, which launchers and `taskset` set.
int bound_cores();

/// The cores that the CPU time which the process's control group allows is worth, rounded up: the least over the group and
/// those around it, of version 2 (cpu.max) or 1 (cpu.cfs_quota_us). 0: no limit. `root` holds what is /proc and /sys.
int allowed_cores(const std::string& root = "");

/// Both together, at least 1.
int available_cores();

}  // namespace lookahead
