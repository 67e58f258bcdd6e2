// The memory contract as seen by programs: litmus tests and random programs with random delays.
#include <doctest/doctest.h>

#include "tests/functional/litmus/axioms.h"

namespace lookahead::gpu::test {
namespace {

/// The first fault over the seeds, or empty.
std::string run_seeds(const Litmus& litmus, const std::string& policy, unsigned seeds) {
    bool seen = litmus.expected_some_time == nullptr;
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
        const LitmusValues values = run_litmus(litmus, policy, seed);
        if (const std::string fault = fault_of(litmus, values, policy, seed); !fault.empty()) { return fault; }
        seen = seen || litmus.expected_some_time(values);
    }
    return seen ? "" : litmus.name + ", " + policy + ": an allowed outcome was never seen";
}

TEST_CASE("no litmus test shows what the contract forbids, and each shows what it is built to show") {
    for (const std::string& policy : kPolicies) {
        for (const Litmus& litmus : litmus_tests()) { CHECK(run_seeds(litmus, policy, 200) == ""); }
    }
}

TEST_CASE("random programs obey coherence, and causality through fences") {
    for (const std::string& policy : kPolicies) {
        for (std::uint32_t seed = 1; seed <= 200; ++seed) { CHECK(run_random_program(policy, seed) == ""); }
    }
}

}  // namespace
}  // namespace lookahead::gpu::test
