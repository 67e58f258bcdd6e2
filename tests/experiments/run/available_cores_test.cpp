#include "experiments/run/available_cores.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace lookahead {

namespace {

/// A folder with files that replace /proc and /sys.
class Root {
  public:
    Root() : path_(std::filesystem::temp_directory_path() / ("available_cores." + std::to_string(::getpid()))) {}
    ~Root() { std::filesystem::remove_all(path_); }

    void write(const std::string& file, const std::string& text) const {
        const std::filesystem::path whole = path_ / file;
        std::filesystem::create_directories(whole.parent_path());
        std::ofstream(whole) << text;
    }
    std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

}  // namespace

TEST_CASE("without a control group there is no limit") {
    const Root root;
    CHECK(allowed_cores(root.path()) == 0);
    root.write("proc/self/cgroup", "0::/job\n");
    CHECK(allowed_cores(root.path()) == 0);
    root.write("sys/fs/cgroup/job/cpu.max", "max 100000\n");
    CHECK(allowed_cores(root.path()) == 0);
}

TEST_CASE("version 2: the least quota of the group and those around it, rounded up") {
    const Root root;
    root.write("proc/self/cgroup", "0::/slurm/job/step\n");
    root.write("sys/fs/cgroup/slurm/job/step/cpu.max", "max 100000\n");
    root.write("sys/fs/cgroup/slurm/job/cpu.max", "400000 100000\n");
    CHECK(allowed_cores(root.path()) == 4);
    root.write("sys/fs/cgroup/slurm/cpu.max", "300001 100000\n");
    CHECK(allowed_cores(root.path()) == 4);
    root.write("sys/fs/cgroup/slurm/cpu.max", "300000 100000\n");
    CHECK(allowed_cores(root.path()) == 3);
    root.write("sys/fs/cgroup/slurm/job/step/cpu.max", "50000 100000\n");
    CHECK(allowed_cores(root.path()) == 1);
}

TEST_CASE("version 2: the root group itself") {
    const Root root;
    root.write("proc/self/cgroup", "0::/\n");
    root.write("sys/fs/cgroup/cpu.max", "200000 100000\n");
    CHECK(allowed_cores(root.path()) == 2);
}

TEST_CASE("version 1: the controller of CPU time, alone or with another") {
    for (const std::string controllers : {"cpu", "cpu,cpuacct"}) {
        const Root root;
        root.write("proc/self/cgroup", "7:cpuset:/other\n1:" + controllers + ":/job\n");
        root.write("sys/fs/cgroup/cpuset/other/cpu.cfs_quota_us", "100000\n");
        root.write("sys/fs/cgroup/cpuset/other/cpu.cfs_period_us", "100000\n");
        CHECK(allowed_cores(root.path()) == 0);
        root.write("sys/fs/cgroup/" + controllers + "/job/cpu.cfs_quota_us", "-1\n");
        root.write("sys/fs/cgroup/" + controllers + "/job/cpu.cfs_period_us", "50000\n");
        CHECK(allowed_cores(root.path()) == 0);
        root.write("sys/fs/cgroup/" + controllers + "/job/cpu.cfs_quota_us", "150000\n");
        CHECK(allowed_cores(root.path()) == 3);
    }
}

TEST_CASE("the affinity bounds the cores too") {
    cpu_set_t before;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    int core = 0;
    while (!CPU_ISSET(core, &before)) { ++core; }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    CHECK(bound_cores() == CPU_COUNT(&before));
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(bound_cores() == 1);
    CHECK(available_cores() == 1);
    REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
}

TEST_CASE("processes of one host that are bound alike share their cores, others do not") {
    const CoresOfProcess mine{.host = 1, .affinity = 5, .cores = 16};
    const CoresOfProcess elsewhere{.host = 2, .affinity = 5, .cores = 16};
    const CoresOfProcess other_cores{.host = 1, .affinity = 6, .cores = 4};
    using All = std::vector<CoresOfProcess>;
    CHECK(share_of_cores(mine, All{mine}) == 16);
    CHECK(share_of_cores(mine, All{mine, elsewhere, elsewhere}) == 16);
    CHECK(share_of_cores(mine, All{mine, other_cores}) == 16);
    CHECK(share_of_cores(mine, All{mine, elsewhere, mine}) == 8);
    CHECK(share_of_cores(mine, All(5, mine)) == 3);
    CHECK(share_of_cores(mine, All(17, mine)) == 1);
    CHECK(share_of_cores(other_cores, All{mine, other_cores}) == 4);
}

TEST_CASE("a process knows its host and cores, and is told from one with other cores") {
    cpu_set_t before;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    const CoresOfProcess all = cores_of_process();
    CHECK(all.cores == static_cast<std::uint64_t>(available_cores()));
    CHECK(share_of_cores(all, std::vector{all, cores_of_process()}) == std::max(1, available_cores() / 2));
    if (CPU_COUNT(&before) > 1) {
        int core = 0;
        while (!CPU_ISSET(core, &before)) { ++core; }
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
        const CoresOfProcess bound = cores_of_process();
        REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
        CHECK(bound.host == all.host);
        CHECK(bound.affinity != all.affinity);
        CHECK(bound.cores == 1);
    }
}

}  // namespace lookahead
