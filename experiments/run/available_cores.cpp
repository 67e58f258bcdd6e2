#include "experiments/run/available_cores.h"

#include <limits.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace lookahead {

namespace {

/// Quota divided by period in a file of version 2: "max 100000" or "150000 100000".
std::optional<double> quota_of_version_2(const std::string& folder) {
    std::ifstream file(fmt::format("{}/cpu.max", folder));
    double quota = 0;
    double period = 0;
    return file >> quota >> period && period > 0 ? std::optional(quota / period) : std::nullopt;
}

/// The same for version 1; a quota of -1 means none.
std::optional<double> quota_of_version_1(const std::string& folder) {
    std::ifstream quota_file(fmt::format("{}/cpu.cfs_quota_us", folder));
    std::ifstream period_file(fmt::format("{}/cpu.cfs_period_us", folder));
    double quota = 0;
    double period = 0;
    return quota_file >> quota && period_file >> period && quota > 0 && period > 0 ? std::optional(quota / period)
                                                                                   : std::nullopt;
}

/// The least quota of the group `path` below `mount` and the groups that contain it.
template <class QuotaOf>
double least_quota(const std::string& mount, std::string path, double least, QuotaOf quota_of) {
    while (true) {
        const auto quota = quota_of(mount + (path == "/" ? "" : path));
        if (quota && (least == 0 || *quota < least)) { least = *quota; }
        if (path.empty() || path == "/") { return least; }
        path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
}

bool is_of_cpu(const std::string& controllers) {
    return (fmt::format(",{},", controllers)).find(",cpu,") != std::string::npos;
}

}  // namespace

int bound_cores() {
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

int allowed_cores(const std::string& root) {
    std::ifstream groups(fmt::format("{}/proc/self/cgroup", root));
    double least = 0;
    for (std::string line; std::getline(groups, line);) {  // "0::/path", or "4:cpu,cpuacct:/path"
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) { continue; }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string path = line.substr(second + 1);
        if (controllers.empty()) {
            least = least_quota(fmt::format("{}/sys/fs/cgroup", root), path, least, quota_of_version_2);
        } else if (is_of_cpu(controllers)) {
            least = least_quota(fmt::format("{}/sys/fs/cgroup/{}", root, controllers), path, least, quota_of_version_1);
        }
    }
    return static_cast<int>(std::ceil(least));
}

int available_cores() {
    const int allowed = allowed_cores();
    return std::max(1, allowed == 0 ? bound_cores() : std::min(bound_cores(), allowed));
}

CoresOfProcess cores_of_process() {
    const auto hash = [](const void* bytes, std::size_t count) {
        return std::uint64_t{std::hash<std::string_view>{}({static_cast<const char*>(bytes), count})};
    };
    std::array<char, HOST_NAME_MAX + 1> name{};
    gethostname(name.data(), HOST_NAME_MAX);
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    return {.host = hash(name.data(), name.size()),
            .affinity = hash(&cores, sizeof cores),
            .cores = static_cast<std::uint64_t>(available_cores())};
}

int share_of_cores(const CoresOfProcess& mine, std::span<const CoresOfProcess> all) {
    const auto sharing = std::ranges::count_if(
        all, [&](const CoresOfProcess& other) { return other.host == mine.host && other.affinity == mine.affinity; });
    return std::max(1, static_cast<int>(mine.cores / static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(sharing, 1))));
}

}  // namespace lookahead
