// Random programs on whole machines of four SMs keep the memory model's axioms.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/functional/memory_model/held_up_messages.h"
#include "tests/functional/memory_model/random_programs.h"

namespace lookahead::gpu {
namespace {

using test::kDense;
using test::kSparse;

/// Never destroyed: MPI ends before static objects do.
Transport& transport() {
    static Transport& it = *make_transport().release();
    return it;
}

/// A dense program has 12 288 operations; two of them and ten sparse ones for each of these machines give more than
/// 10^5.
const std::vector<std::vector<std::string>> kMachines{
    {"l1d.write_policy=write_evict"},
    {"l1d.write_policy=write_through"},
    {"l1d.write_policy=write_evict", "l1d.set_index=linear", "l1d.sets=4", "l1d.ways=2", "l1d.pinned_ways=1",
     "l1d.mshrs=4", "l1d.merges=2", "l1d.miss_queue=2", "l2.sets=4", "l2.ways=2", "l2.mshrs=4", "l2.merges=2"},
    {"l1d.write_policy=write_through", "l1d.set_index=linear", "l1d.sets=4", "l1d.ways=2", "l1d.pinned_ways=1",
     "l1d.mshrs=4", "l1d.merges=3", "l1d.miss_queue=2", "l1d.merged_stores=2", "l2.sets=4", "l2.ways=2"},
    {"l1d.write_policy=write_evict", "l1d.sector_bytes=32", "l2.sector_bytes=32"},
    {"l1d.write_policy=write_through", "l1d.sector_bytes=32", "l2.sector_bytes=32", "coalescing.lines_per_cycle=4",
     "l1d.ways=14", "l1d.shared_sizes=0 16 52"},
    {"l1d.write_policy=write_through", "l1d.sector_bytes=32", "l2.sector_bytes=32", "sm.warp_scheduler=lrr"},
    {"l1d.write_policy=write_evict", "l1d.cached_loads=local", "l1d.mshrs=8", "l1d.miss_queue=2"}};

void check_keeps_axioms(std::uint32_t seed, const test::ProgramShape& shape, const std::vector<std::string>& options,
                        bool waits = false) {
    std::string what = "seed " + std::to_string(seed) + ", ";
    for (const std::string& each : options) { what += each + " "; }
    const std::string fault = test::random_program_fault(seed, shape, options, transport(), waits);
    const bool good = fault.empty();
    CHECK_MESSAGE(good, (what + ": " + fault));
}

TEST_CASE("random programs on four SMs keep the axioms of the memory model") {
    for (std::size_t machine = 0; machine < kMachines.size(); ++machine) {
        for (std::uint32_t program = 0; program < 12; ++program) {
            const auto seed = static_cast<std::uint32_t>(1000 + 17 * machine + program);
            check_keeps_axioms(seed, program < 2 ? kDense : kSparse, kMachines[machine]);
        }
    }
}

TEST_CASE("random programs that use local memory keep the axioms, and read of it what the thread stored last") {
    const std::vector<std::string> tight{"l1d.set_index=linear", "l1d.sets=4",   "l1d.ways=2",      "l1d.pinned_ways=1",
                                         "l1d.mshrs=4",          "l1d.merges=2", "l1d.miss_queue=2"};
    const std::vector<std::string> policies{"write_back", "write_back_fetch", "write_back_no_allocate", "write_through",
                                            "write_evict"};
    for (std::uint32_t program = 0; program < 10; ++program) {
        std::vector<std::string> options{
            "l1d.local_write_policy=" + policies[program % 5],
            program % 3 == 0 ? "l1d.write_policy=write_through" : "l1d.write_policy=write_evict",
            program % 8 < 4 ? "l1d.sector_bytes=128" : "l1d.sector_bytes=32", "l2.sector_bytes=32"};
        if (program % 8 != 1) { options.insert(options.end(), tight.begin(), tight.end()); }
        check_keeps_axioms(7000 + program, test::kLocal, options);
    }
}

/// Pre-execution runs ahead of fences, stores and atomics, and brings lines into L1 that others write.
TEST_CASE("random programs keep the axioms of the memory model with P-mode") {
    const std::vector<std::string> policies{"l1d.write_policy=write_evict", "l1d.write_policy=write_through"};
    for (std::uint32_t program = 0; program < 16; ++program) {
        std::vector<std::string> options{"sm.issue_extension=pmode", "pmode.check=true", policies[program % 2]};
        if (program % 4 > 1) {
            options.insert(options.end(), {"l1d.set_index=linear", "l1d.sets=4", "l1d.ways=2", "l1d.pinned_ways=1",
                                           "l1d.mshrs=4", "l1d.merges=3", "l1d.miss_queue=2"});
        }
        check_keeps_axioms(5000 + program, program < 2 ? kDense : kSparse, options, true);
    }
}

TEST_CASE("messages keep their order though one of two slices is held up") {
    for (std::uint32_t pause = 10; pause <= 400; pause += transport().size() > 1 ? 150 : 30) {
        CHECK(test::held_up_message_fault(test::HeldUp::store, pause, transport()) == "");
        CHECK(test::held_up_message_fault(test::HeldUp::load, pause, transport()) == "");
    }
}

}  // namespace
}  // namespace lookahead::gpu
