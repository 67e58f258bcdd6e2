#include "tests/components/mechanisms/dac/machine_bench.h"

#include <doctest/doctest.h>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/machine/machine.h"
#include "components/mechanisms/dac/dac.h"
#include "components/sm/multiprocessor/streaming_multiprocessor.h"
#include "core/sync/simulation.h"
#include "core/transport/in_process/in_process_transport.h"
#include "experiments/run/program.h"
#include "partitioning/partitioners/partition.h"
#include "tests/functional/dac/bench.h"
#include "tests/functional/dac/random_kernel.h"

namespace lookahead::dac::test {

namespace {

Configuration configuration_of(const std::vector<std::string>& options, const std::string& extension,
                               const std::string& transform) {
    Configuration configuration;
    configuration.override_value("gpu.sms=1");
    configuration.override_value("sm.issue_extension=" + extension);
    configuration.override_value("kernel.transform=" + transform);
    if (extension.find("dac") != std::string::npos) { configuration.override_value("dac.check=true"); }
    if (extension == "cae") { configuration.override_value("cae.check=true"); }
    for (const std::string& option : options) { configuration.override_value(option); }
    return configuration;
}

isa::Kernel kernel_of(const std::string& text, const Configuration& configuration) {
    const ptx::Module module = ptx::parse_module(text, "test.ptx");
    return finaliser::finalise(module, module.functions[0], finaliser_options(configuration));
}

}  // namespace

MachineRun run_on_machine(const std::string& ptx, isa::Dim3 grid, isa::Dim3 block,
                          const std::vector<std::uint32_t>& parameters, const std::vector<std::string>& options,
                          const std::string& extension, const std::string& transform) {
    const Configuration configuration = configuration_of(options, extension, transform);
    isa::KernelTable kernels;
    kernels.push_back(kernel_of(ptx, configuration));
    MachineRun run;
    gpu::Machine machine(configuration, kernels, [&](Device& device) {
        run.words = buffer_after(device, kernels[0], {grid, block}, parameters);
    });
    InProcessTransport transport;
    Simulation simulation(machine.model(), partition(machine.model(), 1, "linear"), transport, {});
    const SimulationResult result = simulation.run();
    run.fault = result.outcome == lookahead::Outcome::finished ? result.message : "did not finish: " + result.message;
    run.state_hash = result.state_hash;
    for (LogicalProcess* process : simulation.local_processes()) {
        const auto* sm = dynamic_cast<const gpu::StreamingMultiprocessor*>(process);
        if (sm == nullptr) { continue; }
        run.warp_instructions = sm->counters().warp_instructions;
        for (const gpu::SchedulerCounters& scheduler : sm->scheduler_counters()) {
            run.slot_held += scheduler[gpu::SchedulerCycle::slot_held];
        }
        run.cycles = static_cast<Cycle>(sm->counters().cycles);
        if (extension == "dac") { run.dac = dynamic_cast<const Dac&>(sm->extensions()[0]).counters(); }
        if (extension == "cae") { run.cae = dynamic_cast<const cae::Cae&>(sm->extensions()[0]).counters(); }
    }
    return run;
}

MachineRun run_rightly(const std::string& ptx, isa::Dim3 grid, isa::Dim3 block,
                       const std::vector<std::uint32_t>& parameters, const std::vector<std::string>& options,
                       const std::string& extension, const std::string& transform) {
    MachineRun run = run_on_machine(ptx, grid, block, parameters, options, extension, transform);
    CHECK(run.fault == "");
    CHECK((run.words == right_words(ptx, grid, block, parameters)));
    return run;
}

MachineRun good(const std::string& body, isa::Dim3 grid, isa::Dim3 block, const std::vector<std::string>& options) {
    return run_rightly(kernel_text(body), grid, block, kParameters, options);
}

MachineRun run_random_kernel(std::uint64_t seed, const std::vector<std::string>& options, const std::string& extension,
                             const std::string& transform) {
    return run_rightly(kernel_text(RandomKernel(seed).body() + "END:"), kRandomGrids[seed % 3], kRandomBlocks[seed % 6],
                       {static_cast<std::uint32_t>(seed % 19), static_cast<std::uint32_t>(seed * 77)}, options,
                       extension, transform);
}

std::vector<std::uint32_t> right_words(const std::string& ptx, isa::Dim3 grid, isa::Dim3 block,
                                       const std::vector<std::uint32_t>& parameters) {
    return buffer_after(kernel_of(ptx, {}), {grid, block}, parameters);
}

}  // namespace lookahead::dac::test
