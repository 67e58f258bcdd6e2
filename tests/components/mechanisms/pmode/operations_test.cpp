// P-mode's pre-executed instructions under way, without an SM.
#include "components/mechanisms/pmode/operations.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace lookahead::test {
namespace {

TEST_CASE("only the last operation that writes a bit of the scoreboard clears it") {
    gpu::Scoreboard scoreboard(2);
    gpu::Operations operations;
    operations.begin_launch(2, 1);
    const std::vector<std::uint64_t> both = {0b11}, first = {0b01};
    scoreboard.reserve(1, both.data(), false);
    const std::uint16_t older = operations.begin({.used = true, .context = 1});
    operations.set_writer(1, both.data(), older);
    const std::uint16_t newer = operations.begin({.used = true, .context = 1});
    operations.set_writer(1, first.data(), newer);
    operations.clear(scoreboard, 1, both.data(), older);
    CHECK(scoreboard.is_pending(1, 0));
    CHECK_FALSE(scoreboard.is_pending(1, 1));
    operations.clear(scoreboard, 1, first.data(), newer);
    CHECK_FALSE(scoreboard.is_pending(1, 0));
}

TEST_CASE("an operation that has ended gives its number to the next one") {
    gpu::Operations operations;
    const std::uint16_t first = operations.begin({.used = true, .pc = 7});
    const std::uint16_t second = operations.begin({.used = true, .pc = 8});
    CHECK(first != second);
    CHECK(operations.under_way() == 2);
    CHECK(operations.end(first).pc == 7);
    CHECK(operations.under_way() == 1);
    CHECK(operations.begin({.used = true, .pc = 9}) == first);
    CHECK(operations[first].pc == 9);
}

}  // namespace
}  // namespace lookahead::test
