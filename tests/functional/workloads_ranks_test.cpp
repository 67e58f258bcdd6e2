// Every workload at size tiny on the timing model: on all ranks together and on each rank alone.
#include <doctest/doctest.h>

#include <span>

#include "core/component/catalogue.h"
#include "tests/functional/over_ranks.h"

namespace lookahead {
namespace {

/// The variants of the slot sm.simt; an empty name if the machine has only one model.
std::vector<std::string> simt_models() {
    std::vector<std::string> names;
    for (const VariantEntry& variant : registered_variants()) {
        if (variant.slot == "sm.simt") { names.push_back(variant.name); }
    }
    return names.empty() ? std::vector<std::string>{""} : names;
}

// Each on one SIMT model; workloads_full runs all of them on all models.
TEST_CASE("every workload matches its reference, and its results do not depend on the number of ranks") {
    const std::unique_ptr<Transport> world = make_transport();
    const std::vector<std::string> models = simt_models();
    const std::span<const ManifestEntry> workloads = workload_manifest();
    for (std::size_t m = 0; m < models.size(); ++m) {
        for (std::size_t i = m; i < workloads.size(); i += models.size()) {
            const ManifestEntry& workload = workloads[i];
            const std::string& simt = models[m];
            CAPTURE(simt);
            CAPTURE(workload.name);
            const std::vector<std::string> options{"sm.simt=" + simt};
            test::check_over_ranks(*world, workload.name, RunRequest{}.machine,
                                   simt.empty() ? std::vector<std::string>{} : options);
        }
    }
}

}  // namespace
}  // namespace lookahead
