// Every workload at tiny on the timing model: on all ranks together, and on each rank by itself.
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

RunRequest request_for(std::string_view workload, const std::string& sync) {
    RunRequest request;
    request.workload = workload;
    request.size = "tiny";
    request.context = {Size::tiny, 3};
    request.configuration = load_machine(request.machine);
    request.sync = sync;
    request.progress = ProgressMode::none;  // and no file
    return request;
}

TEST_CASE("every workload matches its reference, and its results do not hang on the number of ranks") {
    const std::unique_ptr<Transport> world = make_transport();
    InProcessTransport alone;
    for (const ManifestEntry& workload : workload_manifest()) {
        CAPTURE(workload.name);
        const RunOutcome serial = run(request_for(workload.name, "serial"), alone);
        const RunOutcome together = run(request_for(workload.name, "window"), *world);
        CHECK_MESSAGE(serial.record.outputs == "match", serial.record.message);
        CHECK_MESSAGE(together.record.outputs == "match", together.record.message);
        CHECK(together.record.state_hash == serial.record.state_hash);
    }
}

}  // namespace
}  // namespace lookahead
