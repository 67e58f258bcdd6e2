// Removes the clauses of the memory contract that keep local memory in L1: random accesses compared with plain arrays
// must detect the loss of each.
#include <doctest/doctest.h>

#include "core/mutation/rule.h"
#include "tests/components/sm/lsu/local_accesses.h"

namespace lookahead::gpu::test {
namespace {

TEST_CASE("random accesses to local memory notice the loss of each clause of the memory contract") {
    for (const std::string clause : {"eviction_writes_back", "fill_keeps_dirty_bytes",
                                     "local_store_detaches_pending_fill", "local_store_waits_for_dirty_fill"}) {
        const mutation::Without rule(clause);
        unsigned found = 0;
        for (unsigned seed = 1; seed <= 40 && found == 0; ++seed) {
            Bench bench(tight(seed, seed % 2 == 0 ? "write_back" : "write_back_fetch"));
            found = RandomAccesses(seed, bench).run(2000) ? 0 : seed;
        }
        CHECK_MESSAGE(found != 0, clause);
    }
}

}  // namespace
}  // namespace lookahead::gpu::test
