#include <fmt/format.h>

#include <doctest/doctest.h>
#include <fstream>
#include <sstream>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/instruction.h"

using namespace lookahead;
using namespace lookahead::finaliser;

namespace {

/// Finalises a workload's kernel; `schedule`: or leaves it in the program's own order.
isa::Kernel make(const std::string& name, unsigned limit, bool schedule = true) {
    const std::string path =
        LOOKAHEAD_SOURCE_DIR "/experiments/workloads/" + name + (name == "vecadd" ? "/kernel.ptx" : "/peer.ptx");
    std::ifstream file(path);
    REQUIRE(file);
    std::stringstream text;
    text << file.rdbuf();
    const ptx::Module module = ptx::parse_module(text.str(), path);
    FinaliserOptions options;
    options.isa.registers = limit;
    options.schedule = schedule;
    const isa::KernelTable table = finalise_module(module, options);
    REQUIRE(table.size() == 1);
    CHECK(table[0].registers <= limit);
    return table[0];
}

}  // namespace

TEST_CASE("the workloads need no more registers than NVIDIA's assembler uses for sm_75, and do with fewer") {
    const struct {
        const char* name;
        unsigned ptxas;  ///< ptxas 13.0 -v -arch=sm_75 on the same PTX
        unsigned fewest;
    } rows[] = {{"vecadd", 12, 6}, {"sgemm", 60, 24}, {"hotspot", 22, 13}, {"histogram", 10, 7}, {"bfs", 18, 11}};
    for (const auto& row : rows) {
        CAPTURE(row.name);
        const isa::Kernel kernel = make(row.name, 63);
        MESSAGE(fmt::format("{}: {} registers (ptxas: {}), {} instructions", row.name, kernel.registers, row.ptxas,
                            kernel.code.size()));
        CHECK(kernel.registers <= row.ptxas);
        make(row.name, 63, false);
        make(row.name, row.fewest);
    }
}
