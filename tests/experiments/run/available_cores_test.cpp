#include "experiments/run/available_cores.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace lookahead {

namespace {

/// A folder with files in place of /proc and /sys.
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
    while (!CPU_ISSET(core, &before)) ++core;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    CHECK(bound_cores() == CPU_COUNT(&before));
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(bound_cores() == 1);
    CHECK(available_cores() == 1);
    REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
}

}  // namespace lookahead
