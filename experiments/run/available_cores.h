#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lookahead {

/// The number of cores on which this process may run: its affinity, which launchers and `taskset` set.
int bound_cores();

/// The CPU time that the process's control group allows, in cores, rounded up: the least over the group and its
/// parents, of version 2 (cpu.max) or 1 (cpu.cfs_quota_us). 0: no limit. `root`: the folder with /proc and /sys.
int allowed_cores(const std::string& root = "");

/// The least of both, at least 1.
int available_cores();

/// The place of a process, for comparison with others.
struct CoresOfProcess {
    std::uint64_t host;      ///< the same for those of one host
    std::uint64_t affinity;  ///< the same for those that may run on the same cores there
    std::uint64_t cores;     ///< available_cores()
};

CoresOfProcess cores_of_process();

/// The share of one of several processes that run at once: its cores, divided among the processes of its host that are
/// bound to the same cores, like all unbound ones. At least 1.
int share_of_cores(const CoresOfProcess& mine, std::span<const CoresOfProcess> all);

}  // namespace lookahead
