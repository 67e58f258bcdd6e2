#include "core/sync/sharing_trial.h"

#include <doctest/doctest.h>

namespace lookahead {
namespace {

/// The number of `windows` of that size that are shared, if a shared one takes `time` for 1000 of computing.
unsigned shared(SharingTrial& trial, unsigned windows, std::uint64_t size, double time) {
    unsigned chosen = 0;
    for (unsigned i = 0; i < windows; ++i) {
        if (trial.choose(size)) {
            ++chosen;
            trial.took(time, 1000);
        }
    }
    return chosen;
}

TEST_CASE("windows are shared as long as they take less than their threads compute") {
    SharingTrial worth, worthless;
    CHECK(shared(worth, 1000, 100, 990) == 1000);
    CHECK(shared(worthless, 1000, 100, 1400) < 20);
    CHECK(shared(worthless, 1000, 100, 1010) < 5);
}

TEST_CASE("what gains nothing is tried again, more and more seldom") {
    SharingTrial trial;
    shared(trial, 1000, 100, 2000);
    const unsigned later = shared(trial, 10'000, 100, 2000);
    CHECK(later >= 5);
    CHECK(later < 20);
    CHECK(shared(trial, 2000, 100, 500) > 900);  // all since the first gain
    CHECK(shared(trial, 100, 100, 500) == 100);
    CHECK(shared(trial, 100, 100, 2000) < 20);
}

TEST_CASE("one window that is held up does not end sharing") {
    SharingTrial trial;
    CHECK(shared(trial, 1, 100, 1e9) == 1);
    CHECK(shared(trial, 100, 100, 600) == 100);
    CHECK(shared(trial, 1, 100, 1e9) == 1);
    CHECK(shared(trial, 100, 100, 600) == 100);
}

TEST_CASE("what holds for small windows is not taken to hold for large ones") {
    SharingTrial trial;
    shared(trial, 1000, 10, 2000);
    CHECK(shared(trial, 100, 10'000, 600) == 100);
    CHECK(shared(trial, 100, 10, 2000) < 10);
}

}  // namespace
}  // namespace lookahead
