// The checker finds each broken axiom in hand-written histories, and nothing in valid ones.
#include <doctest/doctest.h>

#include "tests/functional/memory_model/history_checker.h"

namespace lookahead::test {
namespace {

constexpr std::uint32_t kX = 0;
constexpr std::uint32_t kY = 1;

Operation read(std::uint32_t location, std::uint32_t value) {
    return {Operation::Kind::read, location, value, 0};
}
Operation write(std::uint32_t location, std::uint32_t value) {
    return {Operation::Kind::write, location, 0, value};
}
Operation exchange(std::uint32_t location, std::uint32_t old, std::uint32_t value) {
    return {Operation::Kind::exchange, location, old, value};
}
const Operation kFence{};

using Threads = std::vector<std::vector<Operation>>;

std::string fault(const Threads& threads, std::uint32_t x, std::uint32_t y = 0) {
    return check_history({threads, {x, y}});
}
bool broken(const std::string& found, const std::string& axiom) {
    return found.starts_with(axiom);
}

TEST_CASE("a history that one order of writes explains is accepted") {
    CHECK(fault({{write(kX, 1), read(kX, 1), read(kX, 2)}, {write(kX, 2), read(kX, 2)}}, 2) == "");
    CHECK(fault({{write(kX, 1), read(kX, 1)}, {write(kX, 2), read(kX, 1)}}, 1) == "");
    CHECK(fault({{read(kX, 0), read(kX, 5)}, {exchange(kX, 0, 5), exchange(kX, 5, 6)}}, 6) == "");
}

TEST_CASE("a value that nobody wrote is found, in a read and at the end") {
    CHECK(broken(fault({{read(kX, 7)}}, 0), "Values"));
    CHECK(broken(fault({{write(kY, 7), read(kX, 7)}}, 0, 7), "Values"));
    CHECK(broken(fault({{write(kX, 7)}}, 8), "Values"));
}

TEST_CASE("CoRR: reads that go back are found") {
    CHECK(fault({{write(kX, 1)}, {read(kX, 1), read(kX, 0)}}, 1) != "");
    CHECK(fault({{write(kX, 1), write(kX, 2)}, {read(kX, 2), read(kX, 1)}}, 2) != "");
    CHECK(fault({{write(kX, 1)}, {write(kX, 2)}, {read(kX, 1), read(kX, 2)}, {read(kX, 2), read(kX, 1)}}, 2) != "");
}

TEST_CASE("CoWR: a read of something older than the thread's own write is found") {
    CHECK(fault({{write(kX, 1), read(kX, 0)}}, 1) != "");
    CHECK(fault({{write(kX, 1), read(kX, 2)}, {write(kX, 2), read(kX, 1)}}, 2) != "");
}

TEST_CASE("CoRW: a write that comes before one that its thread has read is found") {
    CHECK(fault({{write(kX, 1)}, {read(kX, 1), write(kX, 2)}}, 1) != "");
}

TEST_CASE("CoWW: a thread's writes that change their order, or get lost at the end, are found") {
    CHECK(fault({{write(kX, 1), write(kX, 2)}}, 1) != "");
    CHECK(fault({{write(kX, 1), write(kX, 2)}}, 0) != "");
}

TEST_CASE("atomicity: two exchanges of one value, a write between, and a circle are found") {
    CHECK(broken(fault({{exchange(kX, 0, 1)}, {exchange(kX, 0, 2)}}, 2), "Atomicity"));
    CHECK(broken(fault({{exchange(kX, 2, 1)}, {exchange(kX, 1, 2)}}, 2), "Atomicity"));
    // 1 is written, read, and exchanged for 3; a reader sees 2 between 1 and 3.
    CHECK(fault({{write(kX, 1), exchange(kX, 1, 3)}, {write(kX, 2)}, {read(kX, 1), read(kX, 2), read(kX, 3)}}, 3) !=
          "");
    CHECK(fault({{write(kX, 1), exchange(kX, 1, 3)}, {write(kX, 2)}, {read(kX, 1), read(kX, 3), read(kX, 2)}}, 2) ==
          "");
}

TEST_CASE("causality: stale data behind a flag are found if both threads have fences, and only then") {
    const auto passing = [](std::vector<Operation> writer, std::vector<Operation> reader) {
        return fault({std::move(writer), std::move(reader)}, 1, 2);
    };
    CHECK(passing({write(kX, 1), kFence, write(kY, 2)}, {read(kY, 2), kFence, read(kX, 0)}) != "");
    CHECK(passing({write(kX, 1), kFence, write(kY, 2)}, {read(kY, 2), kFence, read(kX, 1)}) == "");
    CHECK(passing({write(kX, 1), kFence, write(kY, 2)}, {read(kY, 0), kFence, read(kX, 0)}) == "");
    CHECK(passing({write(kX, 1), write(kY, 2)}, {read(kY, 2), kFence, read(kX, 0)}) == "");
    CHECK(passing({write(kX, 1), kFence, write(kY, 2)}, {read(kY, 2), read(kX, 0)}) == "");
}

TEST_CASE("causality goes through a third thread and through exchanges") {
    CHECK(fault({{write(kX, 1)}, {read(kX, 1), kFence, write(kY, 2)}, {read(kX, 0), read(kY, 2), kFence, read(kX, 0)}},
                1, 2) != "");
    CHECK(fault({{write(kX, 1), kFence, exchange(kY, 0, 2)}, {exchange(kY, 2, 3), kFence, read(kX, 0)}}, 1, 3) != "");
    CHECK(fault({{write(kX, 1), kFence, exchange(kY, 0, 2)}, {exchange(kY, 2, 3), kFence, write(kX, 4)}}, 1, 3) != "");
    CHECK(fault({{write(kX, 1), kFence, exchange(kY, 0, 2)}, {exchange(kY, 2, 3), kFence, write(kX, 4)}}, 4, 3) == "");
}

}  // namespace
}  // namespace lookahead::test
