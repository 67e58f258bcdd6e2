// Random programs on the timing model over several ranks.
#include <doctest/doctest.h>

#include <memory>

#include "tests/functional/simt/random_program.h"

using namespace lookahead;
using namespace lookahead::test;

TEST_CASE("random divergent programs give on several ranks, under both models, what each thread computes") {
    const std::unique_ptr<Transport> world = make_transport();
    const std::uint64_t first = first_seed();
    MESSAGE("seeds from " << first);
    for (std::uint64_t seed = first + 3; seed < first + 9; ++seed) {
        CAPTURE(seed);
        const isa::SimtModel simt = kModels[seed / 7 % 2];
        const Program program = random_program(seed, simt == isa::SimtModel::convergence_barrier);
        check_on_ranks(*world, program, simt, interpret(program));
    }
}
