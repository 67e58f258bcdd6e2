#include "core/sync/process_profile.h"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "core/sync/host_clock.h"
#include "tests/core/sync/wanderer.h"

namespace lookahead {
namespace {

constexpr std::uint32_t kMillisecond = 1'000'000;

void compute(std::uint64_t nanoseconds) {
    const std::uint64_t end = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) + nanoseconds;
    while (nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) < end) {}
}

TEST_CASE(
    "a log of windows has what each LP computed in each, and nothing of the time in which its thread did not run") {
    testing::WandererOptions options;
    options.processes = 3;
    const Model model = testing::make_wanderers(options);
    ProcessProfile profile(model, {0, 1, 2}, true);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the counter's rate becomes known
    profile.begin_window(0);
    std::uint64_t mark = ProcessProfile::now();
    compute(4 * kMillisecond);
    mark = profile.advanced(0, mark);
    compute(2 * kMillisecond);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // as where the host runs another thread
    profile.advanced(1, mark);
    profile.end_window();
    const std::vector<std::uint32_t> computed = profile.log().nanoseconds;
    REQUIRE(computed.size() == 3);
    CHECK(computed[0] >= 3.9 * kMillisecond);
    CHECK(computed[0] + computed[1] >= 5.9 * kMillisecond);
    CHECK(computed[0] + computed[1] < 150 * kMillisecond);
    CHECK(computed[2] == 0);
}

}  // namespace
}  // namespace lookahead
