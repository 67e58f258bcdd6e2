#include <doctest/doctest.h>

#include <filesystem>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "experiments/results/instruction_counts.h"
#include "experiments/results/run_writer.h"
#include "tests/core/hdf5/temporary_folder.h"
#include "tests/experiments/results/example_run.h"

namespace lookahead::instruction_counts_tests {
namespace {

std::vector<std::string> places(const InstructionCosts& costs) {
    std::vector<std::string> names;
    for (const InstructionCost& row : costs.rows()) { names.push_back(row.kernel + " " + row.place + " " + row.text); }
    return names;
}

TEST_CASE("counts by instruction are read as they were written") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    const RunRecord record = example_run();
    write_run(record, path);
    const InstructionCounts read = read_instruction_counts(path);
    CHECK(read.values == record.instructions.values);
    REQUIRE(read.rows.size() == 4);
    CHECK(read.rows[1].kernel_name == "first");
    CHECK(read.rows[1].pc == 8);
    CHECK(read.rows[1].text == "ADD.F32 R1, R1, R1 ;");
    CHECK(read.rows[1].line == 15);
    CHECK(read.rows[1].ptx == "add.f32 %f2, %f1, %f1;");
    CHECK(read.rows[1].cuda_line == 7);
    CHECK(read.rows[1].cuda_file == "first.cu");
    REQUIRE(read.counters.size() == 4);
    CHECK(read.counters[1].name == "memory");
    CHECK(read.counters[1].unit == "warp cycle");
    CHECK(read.counters[1].description == "Waits for memory.");
}

TEST_CASE("what has no counts by instruction is refused") {
    const TemporaryFolder folder;
    CHECK_THROWS_AS(read_instruction_counts(folder.file("missing.h5")), InputError);
    const std::string path = folder.file("other.h5");
    hdf5::OutputFile file(path);
    file.root().set_attribute("schema", "lookahead.sweep");
    file.commit();
    CHECK_THROWS_WITH_AS(read_instruction_counts(path), doctest::Contains("is no result file of a run"), InputError);
}

TEST_CASE("costs are of an instruction, or of all instructions of a line") {
    const InstructionCounts counts = example_run().instructions;
    const InstructionCosts each(counts, CostPlace::instruction);
    CHECK(places(each) == std::vector<std::string>{"first 0x0000 LD.GLOBAL.F32 R1, [R2] ;",
                                                   "first 0x0008 ADD.F32 R1, R1, R1 ;", "first 0x0010 EXIT ;",
                                                   "second 0x0000 EXIT ;"});
    CHECK(each.kernels() == std::vector<std::string>{"first", "second"});
    const InstructionCosts ptx(counts, CostPlace::ptx);
    CHECK(places(ptx) == std::vector<std::string>{"first 14 ld.global.f32 %f1, [%rd1];",
                                                  "first 15 add.f32 %f2, %f1, %f1;", "first  ", "second 30 ret;"});
    const InstructionCosts cuda(counts, CostPlace::cuda);
    CHECK(places(cuda) == std::vector<std::string>{"first first.cu:7 ", "first  ", "second  "});
    CHECK(cuda.rows()[0].counts == std::vector<std::uint64_t>{20, 300, 25, 300});
}

TEST_CASE("a row's cycles are those of its waits, and its main wait has the most") {
    const InstructionCosts costs(example_run().instructions, CostPlace::instruction);
    const InstructionCost& add = costs.rows()[1];
    CHECK(costs.count(add, "issued") == 10);
    CHECK(costs.count(add, "waited_for") == 0);
    CHECK(costs.count(add, "no_such") == 0);
    CHECK(costs.warp_cycles(add) == 305);
    CHECK(costs.main_wait(add) == "memory");
    CHECK(costs.main_wait(costs.rows()[0]) == "turn");
    CHECK(costs.main_wait(costs.rows()[3]).empty());
    CHECK(costs.total("first").counts == std::vector<std::uint64_t>{30, 300, 32, 300});
}

}  // namespace
}  // namespace lookahead::instruction_counts_tests
