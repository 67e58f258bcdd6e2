// Kernels made by the pass, on the timing model: on all ranks together and on each rank alone.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "core/transport/in_process/in_process_transport.h"
#include "core/transport/transport.h"
#include "experiments/machines/machines.h"
#include "experiments/run/run.h"
#include "experiments/workloads/manifest.h"

namespace lookahead {
namespace {

RunRequest request_for(std::string_view workload, const std::string& length, const std::string& sync) {
    RunRequest request;
    request.workload = workload;
    request.size = "tiny";
    request.context = {Size::tiny, 3};
    request.configuration = load_machine("vecmem_nvidia");
    for (const std::string& option : {std::string("isa.expand_64bit=true"), std::string("kernel.transform=vecmem"),
                                      "vecmem.length=" + length, std::string(workload) + ".form=looped"}) {
        request.configuration.override_value(option);
    }
    request.sync = sync;
    request.progress = ProgressMode::none;  // and without a file
    return request;
}

// Workloads use the lengths in turn.
TEST_CASE("the paper's workloads match their references, and the results do not depend on the number of ranks") {
    const std::unique_ptr<Transport> world = make_transport();
    InProcessTransport alone;
    static constexpr const char* kLengths[] = {"4", "8", "16", "best"};
    unsigned runs = 0;
    for (const ManifestEntry& workload : workload_manifest()) {
        if (!workload.is_in("vector memory")) { continue; }
        const std::string length = kLengths[runs++ % 4];
        CAPTURE(workload.name);
        CAPTURE(length);
        const RunOutcome serial = run(request_for(workload.name, length, "serial"), alone);
        const RunOutcome together = run(request_for(workload.name, length, "window"), *world);
        CHECK_MESSAGE(serial.record.outputs == "match", serial.record.message);
        CHECK_MESSAGE(together.record.outputs == "match", together.record.message);
        CHECK(together.record.state_hash == serial.record.state_hash);
    }
    CHECK(runs == 16);
}

}  // namespace
}  // namespace lookahead
