#include "core/sync/trial.h"

#include <doctest/doctest.h>

namespace lookahead {
namespace {

/// How often the second way is chosen in `times` trials, if the ways take this long.
unsigned second_choices(Trial& trial, unsigned times, std::uint64_t size, double first, double second) {
    unsigned chosen = 0;
    for (unsigned i = 0; i < times; ++i) {
        const bool is_second = trial.choose(size);
        chosen += is_second;
        trial.took(is_second ? second : first);
    }
    return chosen;
}

TEST_CASE("both ways are tried at once, and then mostly the quicker one is taken") {
    Trial slower, quicker;
    CHECK(second_choices(slower, 2, 100, 1, 2) == 1);
    CHECK(second_choices(quicker, 2, 100, 2, 1) == 1);
    CHECK(second_choices(slower, 1000, 100, 1, 2) < 20);
    CHECK(second_choices(quicker, 1000, 100, 2, 1) > 980);
}

TEST_CASE("a way that has become the quicker one is found again") {
    Trial trial;
    second_choices(trial, 1000, 100, 1, 2);
    second_choices(trial, 5000, 100, 2, 1);
    CHECK(second_choices(trial, 1000, 100, 2, 1) > 950);
}

TEST_CASE("one slow try does not rule a way out") {
    for (const bool slow_is_second : {false, true}) {
        CAPTURE(slow_is_second);
        Trial trial;
        unsigned tries_of_quicker = 0;
        for (unsigned i = 0; i < 100; ++i) {
            const bool is_quicker = trial.choose(100) != slow_is_second;
            tries_of_quicker += is_quicker;
            trial.took(!is_quicker ? 1 : tries_of_quicker == 1 ? 20 : 0.6);
        }
        CHECK(tries_of_quicker > 85);
    }
}

TEST_CASE("what holds for small work is not taken to hold for large") {
    Trial trial;
    second_choices(trial, 1000, 10, 1, 2);
    second_choices(trial, 1000, 10'000, 2, 1);
    CHECK(second_choices(trial, 100, 10, 1, 2) < 10);
    CHECK(second_choices(trial, 100, 10'000, 2, 1) > 90);
}

}  // namespace
}  // namespace lookahead
