// Removes clauses of the memory contract one by one, on whole machines: the checker must detect each loss. On one rank
// only, because mutants behave the same on more.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/mutation/rule.h"
#include "core/transport/in_process/in_process_transport.h"
#include "tests/functional/memory_model/held_up_messages.h"
#include "tests/functional/memory_model/random_programs.h"

namespace lookahead::gpu {
namespace {

using Options = std::vector<std::string>;
using test::HeldUp;

const Options kWriteEvict{"l1d.write_policy=write_evict"};
const Options kWriteThrough{"l1d.write_policy=write_through"};
const Options kSectors{"l1d.write_policy=write_evict", "l1d.sector_bytes=32", "l2.sector_bytes=32"};

Transport& transport() {
    static InProcessTransport it;
    return it;
}

/// Checks that an axiom detected the loss, not a machine that stops.
void check_found(const std::string& clause, const std::string& found) {
    MESSAGE(clause << ": " << found);
    CHECK_MESSAGE((found.starts_with("Coherence") || found.starts_with("Causality")), clause);
}

struct Mutant {
    const char* clause;
    const Options& options;
};

TEST_CASE("random programs notice the loss of a clause of the memory contract") {
    for (const auto& [clause, machine] :
         {Mutant{"store_invalidates", kWriteEvict}, Mutant{"atomic_invalidates", kWriteEvict},
          Mutant{"generation_invalidates", kWriteEvict}, Mutant{"invalidation_drops_copies", kWriteEvict},
          Mutant{"invalidation_detaches_fills", kWriteEvict}, Mutant{"store_merges_into_pending_fill", kWriteThrough},
          Mutant{"store_updates_copy", kWriteThrough}, Mutant{"store_invalidates", kSectors},
          Mutant{"invalidation_detaches_fills", kSectors}}) {
        const mutation::Without rule(clause);
        std::string found;
        for (std::uint32_t seed = 1; seed <= 400 && found.empty(); ++seed) {
            found =
                test::random_program_fault(seed, seed % 8 == 0 ? test::kDense : test::kSparse, machine, transport());
        }
        check_found(clause, found);
    }
}

TEST_CASE("random programs notice the loss of bytes of local memory") {
    for (const char* clause : {"eviction_writes_back", "fill_keeps_dirty_bytes"}) {
        const mutation::Without rule(clause);
        const Options options{"l1d.set_index=linear", "l1d.sets=4", "l1d.ways=2", "l1d.pinned_ways=1"};
        std::string found;
        for (std::uint32_t seed = 1; seed <= 40 && found.empty(); ++seed) {
            found = test::random_program_fault(seed, test::kLocal, options, transport());
        }
        CHECK_MESSAGE(found.starts_with("Local memory"), (std::string(clause) + ": " + found));
    }
}

std::string first_held_up_fault(HeldUp what, const std::string& clause) {
    const mutation::Without rule(clause);
    std::string found;
    for (std::uint32_t pause = 10; pause <= 400 && found.empty(); pause += 10) {
        found = test::held_up_message_fault(what, pause, transport());
    }
    return found;
}

TEST_CASE("messages through a slice that is held up notice a fence that does not wait") {
    for (const auto& [clause, what] : {std::pair{"fence_waits_for_accesses", HeldUp::store},
                                       std::pair{"fence_covers_queued_accesses", HeldUp::store},
                                       std::pair{"fence_waits_for_accesses", HeldUp::load}}) {
        check_found(clause, first_held_up_fault(what, clause));
    }
}

}  // namespace
}  // namespace lookahead::gpu
