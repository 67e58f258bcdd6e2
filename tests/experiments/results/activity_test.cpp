#include "experiments/results/activity.h"

#include <doctest/doctest.h>

#include <vector>

namespace lookahead {
namespace {

/// Four intervals of 1000 cycles at 1 GHz on two SMs, with a kernel between these times in femtoseconds.
RunRecord record_of(std::int64_t start_fs, std::int64_t end_fs) {
    RunRecord record;
    record.config = {{"sm.frequency", std::int64_t{1'000'000'000}, "Hz", "default", "Core clock."}};
    record.kernels = {{.id = 0, .name = "k", .start_fs = start_fs, .end_fs = end_fs}};
    record.series = {{"sm",
                      {1000, 2000, 3000, 4000},
                      {"sm0", "sm1"},
                      {{"warp_instructions", "instruction", "Issued.", {0, 0, 300, 500, 100, 0, 0, 0}}}}};
    return record;
}

constexpr std::int64_t kCycle = 1'000'000;  // femtoseconds

TEST_CASE("the activity is of the intervals in which a kernel may have run") {
    const ActivitySeries activity = activity_of(record_of(1500 * kCycle, 2500 * kCycle));
    CHECK(activity.cycles == std::vector<double>{2000, 3000});
    CHECK(activity.ipc == std::vector<double>{0.8, 0.1});
}

TEST_CASE("an interval that ends where a kernel begins, or begins where it ends, is not of it") {
    CHECK(activity_of(record_of(1000 * kCycle, 2000 * kCycle)).cycles == std::vector<double>{2000});
    CHECK(activity_of(record_of(999 * kCycle, 2001 * kCycle)).cycles == std::vector<double>{1000, 2000, 3000});
}

TEST_CASE("the activity goes from the first kernel's begin to the last one's end") {
    RunRecord record = record_of(2500 * kCycle, 3500 * kCycle);
    record.kernels.push_back({.id = 1, .name = "k", .start_fs = 100 * kCycle, .end_fs = 200 * kCycle});
    CHECK(activity_of(record).cycles == std::vector<double>{1000, 2000, 3000, 4000});
}

TEST_CASE("without kernels, series or clock there is no activity") {
    RunRecord record = record_of(0, 4000 * kCycle);
    CHECK(activity_of(record).cycles.size() == 4);
    record.kernels.clear();
    CHECK(activity_of(record).cycles.empty());
    record = record_of(0, 4000 * kCycle);
    record.config.clear();
    CHECK(activity_of(record).cycles.empty());
    record = record_of(0, 4000 * kCycle);
    record.series.front().columns.front().name = "cycles";
    CHECK(activity_of(record).cycles.empty());
    record.series.clear();
    CHECK(activity_of(record).ipc.empty());
}

}  // namespace
}  // namespace lookahead
