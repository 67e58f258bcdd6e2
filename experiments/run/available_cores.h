#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lookahead {

/// Cores on which this process may run: those of its affinity, which launchers and `taskset` set.
int bound_cores();

/// The cores that the CPU time which the process's control group allows is worth, rounded up: the least over the group and
/// those around it, of version 2 (cpu.max) or 1 (cpu.cfs_quota_us). 0: no limit. `root` holds what is /proc and /sys.
int allowed_cores(const std::string& root = "");

/// Both together, at least 1.
int available_cores();

/// Where a process runs, for comparing it with others.
struct CoresOfProcess {
    std::uint64_t host;      ///< the same for those of one host
    std::uint64_t affinity;  ///< the same for those that may run on the same cores there
    std::uint64_t cores;     ///< available_cores()
};

CoresOfProcess cores_of_process();

/// What falls to one of several processes that run at once: its cores, divided among those of its host that are bound to
/// the same ones, as all are that are not bound at all. At least 1.
int share_of_cores(const CoresOfProcess& mine, std::span<const CoresOfProcess> all);

}  // namespace lookahead
