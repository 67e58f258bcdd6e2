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

/// One window in which LP 0 computes for 4 ms, LP 1 for 2 ms and sleeps for 200 ms, and LP 2 does nothing.
struct Window {
    std::vector<std::uint32_t> logged;  ///< nanoseconds by LP
    std::uint64_t computed;             ///< CPU time of the thread, in nanoseconds
    std::uint64_t waited;               ///< time without the core outside the sleep, in nanoseconds
};

Window measure(const Model& model) {
    ProcessProfile profile(model, {0, 1, 2}, true);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // measures the counter's rate
    const std::uint64_t begin = nanoseconds_of(CLOCK_MONOTONIC);
    const std::uint64_t begin_cpu = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
    profile.begin_window(0);
    std::uint64_t mark = ProcessProfile::now();
    compute(4 * kMillisecond);
    mark = profile.advanced(0, mark);
    compute(2 * kMillisecond);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    profile.advanced(1, mark);
    profile.end_window();
    const std::uint64_t computed = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) - begin_cpu;
    const std::uint64_t elapsed = nanoseconds_of(CLOCK_MONOTONIC) - begin;
    return {profile.log().nanoseconds, computed, elapsed - computed - 200 * kMillisecond};
}

TEST_CASE(
    "a log of windows has what each LP computed in each, and nothing of the time in which its thread did not run") {
    lookahead::test::WandererOptions options{.processes = 3};
    const Model model = lookahead::test::make_wanderers(options);
    bool is_undisturbed = false;
    for (int attempt = 0; attempt < 20 && !is_undisturbed; ++attempt) {
        const Window window = measure(model);
        REQUIRE(window.logged.size() == 3);
        CHECK(window.logged[0] + window.logged[1] <= window.computed);
        CHECK(window.logged[0] + window.logged[1] >= 5.9 * kMillisecond);
        CHECK(window.logged[2] == 0);
        // Only a wait longer than the sleep can be cut in the sleep's place.
        is_undisturbed = window.waited < 100 * kMillisecond;
        if (is_undisturbed) { CHECK(window.logged[0] >= 3.9 * kMillisecond); }
    }
}

}  // namespace
}  // namespace lookahead
