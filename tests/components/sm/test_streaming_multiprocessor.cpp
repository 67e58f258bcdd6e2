#include <doctest/doctest.h>

#include "tests/components/sm/kernels.h"
#include "tests/components/sm/sm_harness.h"

namespace lookahead::test {
namespace {

TEST_CASE("a kernel's loads, arithmetic and stores give the right memory") {
    SmHarness harness({add_index()});
    for (unsigned i = 0; i < 500; ++i) {
        harness.memory().set_global_word((1 << 14) + 4 * i, 1000 + i);
    }
    harness.launch({.grid = {5, 1, 1}, .block = {100, 1, 1}, .parameters = global_parameters()});
    REQUIRE(harness.run());
    for (unsigned i = 0; i < 500; ++i) {
        CHECK(harness.memory().global_word(4 * i) == 1000 + 2 * i);
    }
    CHECK(harness.memory().global_word(4 * 500) == 0);
    CHECK(harness.counters().ctas == 5);
    CHECK(harness.counters().warp_instructions == 5 * 4 * 9);
    CHECK(harness.counters().thread_instructions == 500 * 9);
}

}  // namespace
}  // namespace lookahead::test
