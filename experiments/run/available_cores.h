#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lookahead {

/// The number of cores on which this process may run: its affinity, which launchers and `taskset` set.
int bound_cores();

/// The CPU time that the process's control group allows, in cores, rounded up: the least quota of the group and its
/// parents, in version 2 (cpu.max) or 1 (cpu.cfs_quota_us) of control groups. 0: no limit. `root`: the folder with
/// /proc and /sys.
int allowed_cores(const std::string& root = "");

/// The smaller of the two, at least 1.
int available_cores();

/// Where a process may run, for comparison with other processes.
struct CoresOfProcess {
    std::uint64_t host;      ///< equal for processes on one host
    std::uint64_t affinity;  ///< equal for processes that may run on the same cores of a host
    std::uint64_t cores;     ///< available_cores()
};

/// The cores of this process.
CoresOfProcess cores_of_process();

/// The share of one of several processes that run at once: its cores divided by the number of processes on its host
/// that are bound to the same cores, or are all unbound. At least 1.
int share_of_cores(const CoresOfProcess& mine, std::span<const CoresOfProcess> all);

}  // namespace lookahead
