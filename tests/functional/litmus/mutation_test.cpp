// Takes the clauses of the memory contract away one by one: the litmus tests and random programs must notice each.
#include <doctest/doctest.h>

#include "components/sm/lsu/coalescing_unit_definitions.h"
#include "tests/functional/litmus/axioms.h"

namespace lookahead::gpu::test {
namespace {

#define LOOKAHEAD_MUTANT(Name, clause)        \
    struct Name : MemoryContract {            \
        static constexpr bool clause = false; \
    };

LOOKAHEAD_MUTANT(StaleFillInstalled, store_detaches_pending_fill)
LOOKAHEAD_MUTANT(StoreLeavesCopy, store_evicts_copy)
LOOKAHEAD_MUTANT(DroppedMerge, store_merges_into_pending_fill)
LOOKAHEAD_MUTANT(CopyNotUpdated, store_updates_copy)
LOOKAHEAD_MUTANT(MergeShownToOlderWaiters, merged_stores_keep_their_place)
LOOKAHEAD_MUTANT(AtomicLeavesFill, atomic_detaches_pending_fill)
LOOKAHEAD_MUTANT(AtomicLeavesCopy, atomic_evicts_copy)
LOOKAHEAD_MUTANT(OrderedLoadHits, ordered_load_bypasses)
LOOKAHEAD_MUTANT(OrderedLoadJoins, ordered_load_never_joins)
LOOKAHEAD_MUTANT(FenceKeepsCopies, generation_drops_copies)
LOOKAHEAD_MUTANT(FenceKeepsFills, generation_detaches_fills)
LOOKAHEAD_MUTANT(HitWithoutSector, hit_needs_its_sectors)
LOOKAHEAD_MUTANT(StaleSectorInstalled, detached_sectors_stay_out)
LOOKAHEAD_MUTANT(FenceBeforeAcknowledgements, fence_waits_for_stores)
LOOKAHEAD_MUTANT(FenceBeforeValues, fence_waits_for_loads)
LOOKAHEAD_MUTANT(FenceForgetsQueue, fence_covers_queued_accesses)
LOOKAHEAD_MUTANT(GenerationTooEarly, fence_starts_generation_at_its_end)
LOOKAHEAD_MUTANT(ReleaseAtOnce, release_waits)
LOOKAHEAD_MUTANT(AcquireKeepsCopies, acquire_starts_generation)
LOOKAHEAD_MUTANT(AcquireOvertaken, acquire_holds_younger_accesses)

/// The first fault that the suite finds, seed by seed, or empty.
template <class Contract>
std::string first_fault(const std::string& policy) {
    const std::vector<Litmus> tests = litmus_tests();
    for (std::uint32_t seed = 1; seed <= 400; ++seed) {
        for (const Litmus& litmus : tests) {
            const LitmusValues values = run_litmus<Contract>(litmus, policy, seed);
            if (const std::string fault = fault_of(litmus, values, policy, seed); !fault.empty()) {
                return fault;
            }
        }
        if (const std::string fault = run_random_program<Contract>(policy, seed); !fault.empty()) {
            return fault;
        }
    }
    return "";
}

TEST_CASE_TEMPLATE("the suite notices the loss of a clause under write-evict", Mutant, StaleFillInstalled,
                   StoreLeavesCopy, AtomicLeavesFill, AtomicLeavesCopy, OrderedLoadHits, OrderedLoadJoins,
                   FenceKeepsCopies, FenceKeepsFills, FenceBeforeAcknowledgements, FenceBeforeValues, FenceForgetsQueue,
                   GenerationTooEarly, ReleaseAtOnce, AcquireKeepsCopies, AcquireOvertaken) {
    const std::string found = first_fault<Mutant>("write_evict");
    MESSAGE(found);
    CHECK(found != "");
}

TEST_CASE_TEMPLATE("the suite notices the loss of a clause under write-through", Mutant, DroppedMerge, CopyNotUpdated,
                   MergeShownToOlderWaiters, AtomicLeavesFill, AtomicLeavesCopy) {
    const std::string found = first_fault<Mutant>("write_through");
    MESSAGE(found);
    CHECK(found != "");
}

TEST_CASE_TEMPLATE("the suite notices the loss of a clause under write-evict with sectors", Mutant, HitWithoutSector,
                   StaleSectorInstalled, StaleFillInstalled, StoreLeavesCopy, AtomicLeavesFill, AtomicLeavesCopy,
                   OrderedLoadHits, OrderedLoadJoins, FenceKeepsCopies, FenceKeepsFills) {
    const std::string found = first_fault<Mutant>("write_evict with sectors");
    MESSAGE(found);
    CHECK(found != "");
}

TEST_CASE_TEMPLATE("the suite notices the loss of a clause under write-through with sectors", Mutant, HitWithoutSector,
                   StaleSectorInstalled, DroppedMerge, CopyNotUpdated, MergeShownToOlderWaiters) {
    const std::string found = first_fault<Mutant>("write_through with sectors");
    MESSAGE(found);
    CHECK(found != "");
}

}  // namespace
}  // namespace lookahead::gpu::test
