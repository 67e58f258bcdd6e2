// Decoupled affine computation on all workloads, without timing: the affine stream's entries equal the original's
// values, and the two streams together give the right outputs.
#include <doctest/doctest.h>

#include "components/emulator/emulated_device.h"
#include "core/param/configuration.h"
#include "experiments/machines/machines.h"
#include "experiments/run/program.h"
#include "experiments/workloads/manifest.h"
#include "tests/functional/dac/reference_queues.h"
#include "tests/functional/dac/shadow.h"

using namespace lookahead;

namespace {

Configuration machine(const std::string& transform, bool reports) {
    Configuration configuration = load_machine("dac_gtx480");
    configuration.override_value("kernel.transform=" + transform);
    configuration.override_value(std::string("dac.reports=") + (reports ? "true" : "false"));
    return configuration;
}

std::unique_ptr<Workload> tiny(std::string_view name, const Configuration& configuration) {
    return make_variant<Workload>(std::string(name), configuration, WorkloadContext{Size::tiny, 1});
}

}  // namespace

TEST_CASE("what is enqueued is what the original kernels compute, on all workloads") {
    bool reports = false;
    SUBCASE("control by affine values alone") {}
    SUBCASE("with warps' reports") {
        reports = true;
    }
    std::uint64_t compared = 0;
    for (const ManifestEntry& entry : workload_manifest()) {
        CAPTURE(entry.name);
        const Configuration plain = machine("test_marks", reports);
        const auto workload = tiny(entry.name, plain);
        const isa::KernelTable decoupled = load_kernels(*workload, machine("dac", reports));
        dac::Shadow shadow(decoupled, true);
        EmulatorOptions options;
        options.instructions = &shadow;
        EmulatedDevice device(load_kernels(*workload, plain), options);
        CHECK_NOTHROW((workload->run(device), shadow.end()));
        compared += shadow.compared();
    }
    MESSAGE("compared: " << compared);
    CHECK(compared > 100'000);
}

TEST_CASE("the two streams give the workloads' outputs") {
    bool reports = false;
    std::string registers = "isa.registers=63";
    SUBCASE("control by affine values alone") {}
    SUBCASE("with warps' reports") {
        reports = true;
    }
    SUBCASE("with registers so few that warps spill") {
        registers = "isa.registers=10";
    }
    std::uint64_t dequeued = 0, reported = 0;
    for (const ManifestEntry& entry : workload_manifest()) {
        CAPTURE(entry.name);
        Configuration configuration = machine("dac", reports);
        configuration.override_value(registers);
        const auto workload = tiny(entry.name, configuration);
        dac::ReferenceQueues queues(false);
        EmulatorOptions options;
        options.queues = &queues;
        EmulatedDevice device(load_kernels(*workload, configuration), options);
        CHECK_NOTHROW(workload->run(device));
        CHECK(workload->check().outputs != Outputs::mismatch);
        CHECK(queues.most_tuples() <= 4);
        dequeued += queues.dequeued();
        reported += queues.reports();
    }
    CHECK((reported > 1000) == reports);
    MESSAGE("dequeued: " << dequeued);
    CHECK(dequeued > 100'000);
}
