#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/transport/in_process/in_process_transport.h"
#include "core/transport/transport.h"
#include "experiments/machines/machines.h"
#include "experiments/run/run.h"
#include "experiments/workloads/manifest.h"

namespace lookahead::test {

/// Runs the workload at size tiny, with configuration keys as options, on each rank alone and on all ranks of `world`;
/// checks that it matches its reference and that the results are the same.
inline void check_over_ranks(Transport& world, std::string_view workload, const std::string& machine,
                             const std::vector<std::string>& options) {
    const auto state_hash = [&](Transport& transport, const std::string& sync) {
        RunRequest request;
        request.workload = workload;
        request.size = "tiny";
        request.context = {Size::tiny, 3};
        request.configuration = load_machine(machine);
        for (const std::string& option : options) { request.configuration.override_value(option); }
        request.sync = sync;
        request.progress = ProgressMode::none;  // and without a file
        const RunOutcome outcome = run(request, transport);
        CHECK_MESSAGE(outcome.record.outputs == "match", outcome.record.message);
        return outcome.record.state_hash;
    };
    InProcessTransport alone;
    const auto serial = state_hash(alone, "serial");
    CHECK(state_hash(world, "window") == serial);
}

}  // namespace lookahead::test
