// The memory contract as programs see it: litmus tests and random programs with random delays.
#include <doctest/doctest.h>

#include "tests/functional/litmus/axioms.h"

namespace lookahead::gpu::test {
namespace {

TEST_CASE("no litmus test shows what the contract forbids, and each shows what it is built to show") {
    for (const std::string policy : {"write_evict", "write_through"}) {
        for (const Litmus& litmus : litmus_tests()) {
            CHECK(run_litmus<MemoryContract>(litmus, policy, 200) == "");
        }
    }
}

TEST_CASE("random programs obey coherence, and causality through fences") {
    for (const std::string policy : {"write_evict", "write_through"}) {
        CHECK(run_random_programs<MemoryContract>(policy, 200) == "");
    }
}

}  // namespace
}  // namespace lookahead::gpu::test
