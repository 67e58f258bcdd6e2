// Takes clauses of the memory contract away one by one, on whole machines: the checker must notice each. On one rank, for
// the mutants are the same on more.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "components/sm/lsu/coalescing_unit_definitions.h"
#include "core/transport/in_process/in_process_transport.h"
#include "tests/functional/memory_model/held_up_messages.h"
#include "tests/functional/memory_model/random_programs.h"

namespace lookahead::gpu {
namespace {

#define LOOKAHEAD_MUTANT(Name, clause)                \
    struct Name##Contract : MemoryContract {          \
        static constexpr bool clause = false;         \
    };                                                \
    using Name = BasicCoalescingUnit<Name##Contract>; \
    LOOKAHEAD_REGISTER_VARIANT(LoadStoreUnit, Name, "without_" #clause, "A mutant.", "None")

LOOKAHEAD_MUTANT(StoreLeavesCopy, store_evicts_copy)
LOOKAHEAD_MUTANT(StaleFillInstalled, store_detaches_pending_fill)
LOOKAHEAD_MUTANT(DroppedMerge, store_merges_into_pending_fill)
LOOKAHEAD_MUTANT(CopyNotUpdated, store_updates_copy)
LOOKAHEAD_MUTANT(MergeShownToOlderWaiters, merged_stores_keep_their_place)
LOOKAHEAD_MUTANT(AtomicLeavesFill, atomic_detaches_pending_fill)
LOOKAHEAD_MUTANT(AtomicLeavesCopy, atomic_evicts_copy)
LOOKAHEAD_MUTANT(FenceKeepsCopies, generation_drops_copies)
LOOKAHEAD_MUTANT(HitWithoutSector, hit_needs_its_sectors)
LOOKAHEAD_MUTANT(StaleSectorInstalled, detached_sectors_stay_out)
LOOKAHEAD_MUTANT(EvictionForgets, eviction_writes_back)
LOOKAHEAD_MUTANT(FillOverDirtyBytes, fill_keeps_dirty_bytes)
LOOKAHEAD_MUTANT(FenceBeforeAcknowledgements, fence_waits_for_stores)
LOOKAHEAD_MUTANT(FenceBeforeValues, fence_waits_for_loads)
LOOKAHEAD_MUTANT(FenceForgetsQueue, fence_covers_queued_accesses)

using Options = std::vector<std::string>;
using test::HeldUp;

const Options kWriteEvict{"l1d.write_policy=write_evict"};
const Options kWriteThrough{"l1d.write_policy=write_through"};
const Options kSectors{"l1d.write_policy=write_evict", "l1d.sector_bytes=32", "l2.sector_bytes=32"};

Transport& transport() {
    static InProcessTransport it;
    return it;
}

/// By an axiom, not by a machine that stops.
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
         {Mutant{"store_evicts_copy", kWriteEvict}, Mutant{"store_detaches_pending_fill", kWriteEvict},
          Mutant{"atomic_detaches_pending_fill", kWriteEvict}, Mutant{"atomic_evicts_copy", kWriteEvict},
          Mutant{"generation_drops_copies", kWriteEvict}, Mutant{"store_merges_into_pending_fill", kWriteThrough},
          Mutant{"store_updates_copy", kWriteThrough}, Mutant{"merged_stores_keep_their_place", kWriteThrough},
          Mutant{"hit_needs_its_sectors", kSectors}, Mutant{"detached_sectors_stay_out", kSectors}}) {
        Options options = machine;
        options.push_back(std::string("sm.load_store_unit=without_") + clause);
        std::string found;
        for (std::uint32_t seed = 1; seed <= 400 && found.empty(); ++seed) {
            found =
                test::random_program_fault(seed, seed % 8 == 0 ? test::kDense : test::kSparse, options, transport());
        }
        check_found(clause, found);
    }
}

TEST_CASE("random programs notice the loss of bytes of local memory") {
    for (const char* clause : {"eviction_writes_back", "fill_keeps_dirty_bytes"}) {
        const Options options{"l1d.set_index=linear", "l1d.sets=4", "l1d.ways=2", "l1d.pinned_ways=1",
                              std::string("sm.load_store_unit=without_") + clause};
        std::string found;
        for (std::uint32_t seed = 1; seed <= 40 && found.empty(); ++seed) {
            found = test::random_program_fault(seed, test::kLocal, options, transport());
        }
        CHECK_MESSAGE(found.starts_with("Local memory"), (std::string(clause) + ": " + found));
    }
}

std::string first_held_up_fault(HeldUp what, const std::string& unit) {
    std::string found;
    for (std::uint32_t pause = 10; pause <= 400 && found.empty(); pause += 10) {
        found = test::held_up_message_fault(what, pause, unit, transport());
    }
    return found;
}

TEST_CASE("messages through a slice that is held up notice a fence that does not wait") {
    check_found("fence_waits_for_stores", first_held_up_fault(HeldUp::store, "without_fence_waits_for_stores"));
    check_found("fence_covers_queued_accesses",
                first_held_up_fault(HeldUp::store, "without_fence_covers_queued_accesses"));
    check_found("fence_waits_for_loads", first_held_up_fault(HeldUp::load, "without_fence_waits_for_loads"));
}

}  // namespace
}  // namespace lookahead::gpu
