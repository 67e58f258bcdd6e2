// Every slot has a contract test that takes the slot's variants from the catalogue.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "core/component/catalogue.h"

using namespace lookahead;

namespace {

struct ContractTest {
    std::string file;
    std::string variants;
};

const std::map<std::string, ContractTest> kTests{
    {"dram.scheduler", {"components/dram/dram_scheduler_test.cpp", "variant_names<DramScheduler>()"}},
    {"interconnect.topology",
     {"components/interconnect/topology_contract_test.cpp", "variant_names<InterconnectTopology>()"}},
    {"kernel.transform",
     {"contract/kernel_transform/kernel_transform_contract_test.cpp", "variant_names<KernelTransform>()"}},
    {"l1d.companion", {"components/sm/lsu/companion_contract_test.cpp", "variant_names<L1Companion>()"}},
    {"l1d.replacement", {"components/cache/replacement_test.cpp", "variant_names<ReplacementPolicy>()"}},
    {"memory.request_path", {"components/sm/lsu/request_path_contract_test.cpp", "variant_names<RequestPath>()"}},
    {"partition", {"partitioning/partitioning_test.cpp", "variants_of(\"partition\")"}},
    {"sm.issue_extension", {"components/sm/sm_lp_contract_test.cpp", "variant_names<gpu::IssueExtension>()"}},
    {"sm.load_store_unit", {"components/sm/lsu/load_store_unit_contract_test.cpp", "variant_names<LoadStoreUnit>()"}},
    {"sm.prefetcher",
     {"components/mechanisms/prefetchers/prefetcher_contract_test.cpp", "variant_names<Prefetcher>()"}},
    {"sm.simt", {"components/sm/many_warps_test.cpp", "variant_names<gpu::SimtModel>()"}},
    {"sm.warp_scheduler", {"components/sm/sm_contract_test.cpp", "variant_names<gpu::WarpScheduler>()"}},
    {"sync", {"core/sync/determinism_test.cpp", "variants_of(\"sync\", {\"serial\"})"}},
    {"workload", {"functional/workloads_ranks_test.cpp", "registered_variants()"}},
};

std::string text_of(const std::string& file) {
    std::ifstream in(std::string(LOOKAHEAD_SOURCE_DIR) + "/tests/" + file);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("every slot has a contract test that takes its variants from the catalogue") {
    CHECK(registered_slots().size() >= kTests.size());
    for (const SlotEntry& slot : registered_slots()) {
        CAPTURE(slot.name);
        const auto found = kTests.find(slot.name);
        REQUIRE(found != kTests.end());
        CAPTURE(found->second.file);
        CHECK(text_of(found->second.file).find(found->second.variants) != std::string::npos);
    }
}

}  // namespace
