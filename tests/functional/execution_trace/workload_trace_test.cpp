// Whole machines execute workloads like the functional emulator: the same instructions of each warp in the same lanes,
// with the same results, whatever extension runs beside the warps' own streams.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "components/device/device_print.h"
#include "components/emulator/emulated_device.h"
#include "components/machine/machine.h"
#include "components/sm/simt/simt_model.h"
#include "core/sync/simulation.h"
#include "core/transport/in_process/in_process_transport.h"
#include "experiments/machines/machines.h"
#include "experiments/run/program.h"
#include "experiments/workloads/manifest.h"
#include "experiments/workloads/workload.h"
#include "partitioning/partitioners/partition.h"
#include "tests/support/execution_trace/trace_checker.h"

namespace lookahead::test {
namespace {

struct Comparison {
    std::vector<std::string> differences;
    std::uint64_t steps = 0;
    std::uint64_t words = 0;
};

std::unique_ptr<Workload> tiny(const std::string& name, const Configuration& configuration) {
    return make_variant<Workload>(name, configuration, WorkloadContext{Size::tiny, 11});
}

Comparison compare(const std::string& name, const std::string& extension, const std::string& simt) {
    Configuration configuration = load_machine("pmode_fermi");
    configuration.override_value("sm.issue_extension=" + extension);
    configuration.override_value("sm.simt=" + simt);

    EmulatedTraces traces;
    {
        const auto workload = tiny(name, configuration);
        EmulatorOptions options;
        options.instructions = &traces;
        options.simt = gpu::simt_model(configuration);
        EmulatedDevice device(load_kernels(*workload, configuration), options);
        PrintingDevice printing(device, device.kernels().image, [](std::string_view) {});
        workload->run(printing);
    }

    TraceChecker checker(traces);
    const auto workload = tiny(name, configuration);
    gpu::Machine machine(configuration, load_kernels(*workload, configuration),
                         [&](Device& device) { workload->run(device); });
    InProcessTransport transport;
    Simulation simulation(machine.model(), partition(machine.model(), 1, "linear"), transport, {});
    const SimulationResult result = simulation.run();
    Comparison comparison{checker.finish(), checker.steps_compared(), checker.words_compared()};
    if (result.outcome != Outcome::finished) { comparison.differences.push_back(result.message); }
    return comparison;
}

void check(const std::string& name) {
    for (const char* extension : {"traced", "traced+pmode"}) {
        for (const char* simt : {"stack", "convergence_barrier"}) {
            CAPTURE(name);
            CAPTURE(std::string(extension));
            CAPTURE(std::string(simt));
            const Comparison comparison = compare(name, extension, simt);
            CHECK_MESSAGE(comparison.differences.empty(), comparison.differences.front());
            CHECK(comparison.steps > 100);
            CHECK(comparison.words > comparison.steps);
        }
    }
}

/// Some workloads that gain from P-mode, including local memory (libor), divergence (mummer, bfs) and barriers (nw,
/// stencil).
TEST_CASE("workloads execute on a plain machine and with P-mode what the emulator executes, on both SIMT models") {
    for (const char* name : {"MonteCarlo", "bfs", "libor", "mummer", "nw", "sgemm", "spmv", "stencil"}) { check(name); }
}

/// ccl's algorithm has races; laplace3d moves words of shared memory that are not yet written, but hold values from
/// another launch's CTA.
TEST_CASE("so do all other workloads whose values the program alone decides" * doctest::skip()) {
    for (const ManifestEntry& entry : workload_manifest()) {
        if (entry.name != "ccl" && entry.name != "laplace3d") { check(std::string(entry.name)); }
    }
}

}  // namespace
}  // namespace lookahead::test
