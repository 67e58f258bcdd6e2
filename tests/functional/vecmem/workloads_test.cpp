// The pass on all workloads, unchanged and as loops over several elements (form=looped): at two lengths drawn for each,
// they give the right outputs; at all lengths with LOOKAHEAD_TEST_TIMES=2.
#include <doctest/doctest.h>

#include "components/emulator/emulated_device.h"
#include "components/isa/instruction.h"
#include "core/param/configuration.h"
#include "experiments/machines/machines.h"
#include "experiments/run/program.h"
#include "experiments/workloads/manifest.h"
#include "tests/support/seed.h"

using namespace lookahead;

namespace {

/// Vector memory instructions executed by warps. `unroll`: factor of form=looped; 0: the original.
std::uint64_t executed(std::string_view name, const std::string& length, unsigned unroll) {
    Configuration configuration = load_machine("vecmem_nvidia");
    configuration.override_value("isa.expand_64bit=true");
    configuration.override_value("kernel.transform=vecmem");
    configuration.override_value("vecmem.length=" + length);
    if (unroll != 0) {
        configuration.override_value(std::string(name) + ".form=looped");
        configuration.override_value(std::string(name) + ".unroll=" + std::to_string(unroll));
    }
    const auto workload = make_variant<Workload>(std::string(name), configuration, WorkloadContext{Size::tiny, 1});
    EmulatedDevice device(load_kernels(*workload, configuration));
    CHECK_NOTHROW(workload->run(device));
    CHECK(workload->check().outputs != Outputs::mismatch);
    std::uint64_t vectors = 0;
    for (std::uint32_t kernel = 0; kernel < device.kernels().size(); ++kernel) {
        for (std::size_t pc = 0; pc < device.executed(kernel).size(); ++pc) {
            if (isa::is_vector_memory(device.kernels()[kernel].code[pc].operation)) {
                vectors += device.executed(kernel)[pc].warps;
            }
        }
    }
    return vectors;
}

}  // namespace

TEST_CASE("all workloads with vectors of 4, 8, 16 and as long as can be") {
    std::mt19937 random(test::random_seed());
    unsigned looped = 0, packed = 0;
    std::uint64_t vectors = 0;
    for (const ManifestEntry& entry : workload_manifest()) {
        for (const unsigned unroll : {0U, 1U, 4U}) {
            if (unroll != 0 && !entry.is_in("vector memory")) {
                continue;  // the paper's are loops already
            }
            looped += unroll == 1;
            for (const std::string& length : test::some_of<std::string>({"4", "8", "16", "best"}, 2, random)) {
                CAPTURE(entry.name);
                CAPTURE(unroll);
                CAPTURE(length);
                const std::uint64_t count = executed(entry.name, length, unroll);
                packed += count != 0;
                vectors += count;
            }
        }
    }
    MESSAGE("vector memory instructions executed: " << vectors << ", in workloads and forms: " << packed);
    CHECK(looped == 16);
    CHECK(packed > 15);
}
