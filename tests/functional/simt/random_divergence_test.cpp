// Random programs: the scalar interpreter, the emulator and the timing model, both SIMT models, several register limits.
#include <doctest/doctest.h>

#include "tests/functional/simt/random_program.h"

using namespace lookahead;
using namespace lookahead::test;

TEST_CASE("random divergent programs give on emulator and timing model, under both models, what each thread computes") {
    const std::uint64_t first = first_seed();
    MESSAGE("seeds from " << first);
    for (std::uint64_t seed = first; seed < first + 20; ++seed) {
        CAPTURE(seed);
        const Program program = random_program(seed);
        expect_everywhere(program, interpret(program));
    }
}

TEST_CASE("random programs whose lanes meet at different places and take locks end with convergence barriers") {
    const std::uint64_t first = first_seed();
    MESSAGE("seeds from " << first);
    for (std::uint64_t seed = first; seed < first + 10; ++seed) {
        CAPTURE(seed);
        const Program program = random_program(seed, true);
        expect_with_convergence_barriers(program, interpret(program));
    }
}
