// Every workload at size tiny on the timing model: on all ranks together and on each rank alone.
#include <doctest/doctest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/component/catalogue.h"
#include "core/transport/in_process/in_process_transport.h"
#include "core/transport/transport.h"
#include "experiments/machines/machines.h"
#include "experiments/run/run.h"
#include "experiments/workloads/manifest.h"

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

RunRequest request_for(std::string_view workload, const std::string& simt, const std::string& sync) {
    RunRequest request;
    request.workload = workload;
    request.size = "tiny";
    request.context = {Size::tiny, 3};
    request.configuration = load_machine(request.machine);
    if (!simt.empty()) { request.configuration.override_value("sm.simt=" + simt); }
    request.sync = sync;
    request.progress = ProgressMode::none;  // and without a file
    return request;
}

// Each on one SIMT model; workloads_full runs all of them on all models.
TEST_CASE("every workload matches its reference, and its results do not depend on the number of ranks") {
    const std::unique_ptr<Transport> world = make_transport();
    InProcessTransport alone;
    const std::vector<std::string> models = simt_models();
    const std::span<const ManifestEntry> workloads = workload_manifest();
    for (std::size_t m = 0; m < models.size(); ++m) {
        for (std::size_t i = m; i < workloads.size(); i += models.size()) {
            const ManifestEntry& workload = workloads[i];
            const std::string& simt = models[m];
            CAPTURE(simt);
            CAPTURE(workload.name);
            const RunOutcome serial = run(request_for(workload.name, simt, "serial"), alone);
            const RunOutcome together = run(request_for(workload.name, simt, "window"), *world);
            CHECK_MESSAGE(serial.record.outputs == "match", serial.record.message);
            CHECK_MESSAGE(together.record.outputs == "match", together.record.message);
            CHECK(together.record.state_hash == serial.record.state_hash);
        }
    }
}

}  // namespace
}  // namespace lookahead
