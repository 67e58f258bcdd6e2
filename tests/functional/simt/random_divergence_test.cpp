// Random programs on the scalar interpreter, the emulator and the timing model, under both SIMT models and several
// register limits.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <fstream>

#include "tests/core/hdf5/temporary_folder.h"
#include "tests/functional/simt/random_program.h"
#include "tests/support/seed.h"

using namespace lookahead;
using namespace lookahead::test;

TEST_CASE("random divergent programs give on emulator and timing model, under both models, what each thread computes") {
    const std::uint64_t first = first_seed();
    MESSAGE("seeds from " << first);
    for (std::uint64_t seed = first; seed < first + 20; ++seed) {
        CAPTURE(seed);
        const Program program = random_program(seed);
        expect_everywhere(program, interpret(program));
    }
}

namespace {

/// Several mechanisms at once, drawn at random.
std::vector<std::string> composition(std::mt19937_64& draw) {
    std::vector<std::string> options;
    const auto now_and_then = [&](unsigned times, std::initializer_list<const char*> choices) {
        if (draw() % times == 0) { options.emplace_back(choices.begin()[draw() % choices.size()]); }
    };
    now_and_then(2, {"kernel.transform=vecmem"});
    now_and_then(2, {"sm.issue_extension=pmode", "sm.issue_extension=dac", "sm.issue_extension=cae",
                     "sm.issue_extension=dac+pmode", "sm.issue_extension=cae+pmode", "sm.issue_extension=cae+dac"});
    now_and_then(2, {"sm.prefetcher=nlp", "sm.prefetcher=caps", "sm.prefetcher=mta", "sm.prefetcher=stride_per_warp"});
    now_and_then(3, {"sm.warp_scheduler=ccws", "sm.warp_scheduler=two_level", "sm.warp_scheduler=gto"});
    now_and_then(3, {"l1d.companion=avc"});
    now_and_then(3, {"memory.request_path=batch"});
    now_and_then(2, {"isa.registers=14", "isa.registers=18", "finaliser.register_share=0.5"});
    return options;
}

}  // namespace

TEST_CASE("random programs give what each thread computes with mechanisms drawn at random, or are refused") {
    const std::uint64_t first = first_seed();
    MESSAGE("seeds from " << first);
    const std::uint64_t count = often(25);
    std::uint64_t refused = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        std::mt19937_64 draw(seed);
        Program program = random_program(seed);
        program.options.pop_back();
        const std::vector<std::string> options = composition(draw);
        const isa::SimtModel simt = kModels[draw() % 2];
        CAPTURE(seed);
        CAPTURE(fmt::format("{} {}", fmt::join(options, " "), simt == isa::SimtModel::stack ? "stack" : "barriers"));
        const Ending ending = ending_of_simulation(program, simt, options, interpret(program));
        INFO(ending.message);
        CHECK((ending.code == ExitCode::done || ending.code == ExitCode::usage));
        refused += ending.code == ExitCode::usage;
    }
    CHECK(refused < count / 2);
}

TEST_CASE("random programs whose lanes meet at different places and take locks end with convergence barriers") {
    const std::uint64_t first = first_seed();
    MESSAGE("seeds from " << first);
    for (std::uint64_t seed = first; seed < first + 10; ++seed) {
        CAPTURE(seed);
        const Program program = random_program(seed, true);
        expect_with_convergence_barriers(program, interpret(program));
    }
}

TEST_CASE("random programs are PTX for NVIDIA's own assembler, where it is installed") {
    if (std::system("ptxas --version > /dev/null 2>&1") != 0) {
        MESSAGE("no ptxas on the PATH");
        return;
    }
    const std::uint64_t first = first_seed();
    MESSAGE("seeds from " << first);
    const TemporaryFolder folder;
    const std::string file = folder.file("program.ptx");
    const std::uint64_t count = often(5);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        CAPTURE(seed);
        std::string text = random_program(seed, seed % 2 != 0).text;
        text.replace(text.find("sm_75"), 5, "sm_80");  // it has redux
        std::ofstream(file) << text;
        CHECK(std::system(fmt::format("ptxas -arch=sm_80 -O0 -o '{0}.cubin' '{0}'", file).c_str()) == 0);
    }
}
