// Kernels made by the pass, on the timing model: on all ranks together and on each rank alone.
#include <doctest/doctest.h>

#include "tests/functional/over_ranks.h"

namespace lookahead {
namespace {

// Workloads use the lengths in turn.
TEST_CASE("the paper's workloads match their references, and the results do not depend on the number of ranks") {
    const std::unique_ptr<Transport> world = make_transport();
    static constexpr const char* kLengths[] = {"4", "8", "16", "best"};
    unsigned runs = 0;
    for (const ManifestEntry& workload : workload_manifest()) {
        if (!workload.is_in("vector memory")) { continue; }
        const std::string length = kLengths[runs++ % 4];
        CAPTURE(workload.name);
        CAPTURE(length);
        test::check_over_ranks(*world, workload.name, "vecmem_nvidia",
                               {"isa.expand_64bit=true", "kernel.transform=vecmem", "vecmem.length=" + length,
                                std::string(workload.name) + ".form=looped"});
    }
    CHECK(runs == 16);
}

}  // namespace
}  // namespace lookahead
