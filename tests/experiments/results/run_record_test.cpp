#include <doctest/doctest.h>

#include <fstream>

#include "core/error/error.h"
#include "experiments/results/provenance.h"
#include "experiments/results/run_record.h"
#include "tests/core/hdf5/temporary_folder.h"

namespace lookahead {
namespace {

TEST_CASE("a run's identity depends on workload, size, seed, configuration and limits") {
    const std::string id = make_run_id("vecadd", "tiny", 1, 2);
    CHECK(id.size() == 16);
    CHECK(make_run_id("vecadd", "tiny", 1, 2) == id);
    CHECK(make_run_id("sgemm", "tiny", 1, 2) != id);
    CHECK(make_run_id("vecadd", "small", 1, 2) != id);
    CHECK(make_run_id("vecadd", "tiny", 2, 2) != id);
    CHECK(make_run_id("vecadd", "tiny", 1, 3) != id);
    CHECK(make_run_id("vecadd", "tiny", 1, 2, {"--max-cycles=5"}) != id);
}

TEST_CASE("hashes are written with 16 digits") {
    CHECK(hash_text(0x1f) == "000000000000001f");
    CHECK(hash_text(0xfedcba9876543210u) == "fedcba9876543210");
}

TEST_CASE("instructions a cycle of an empty run are none") {
    RunRecord record;
    CHECK(record.ipc() == 0);
    record.cycles = 4;
    record.warp_instructions = 6;
    CHECK(record.ipc() == 1.5);
}

TEST_CASE("the meta data say what was run and when") {
    const RunMeta meta = make_run_meta({"lookahead", "run"});
    CHECK(meta.argv.size() == 2);
    CHECK_FALSE(meta.git_revision.empty());
    CHECK(meta.program_hash == build_id());
    CHECK_FALSE(meta.program_hash.empty());
    CHECK_FALSE(meta.host.empty());
    CHECK(meta.started.size() == std::string("2026-01-01T00:00:00Z").size());
    CHECK(meta.compiler.find('.') != std::string::npos);
    CHECK(peak_resident_bytes() > 1'000'000);
}

TEST_CASE("an input's hash depends on its bytes, and a missing input is an error") {
    const TemporaryFolder folder;
    std::ofstream(folder.file("a")) << "abc";
    std::ofstream(folder.file("b")) << "abc";
    std::ofstream(folder.file("c")) << "abd";
    CHECK(hash_of_file(folder.file("a")) == hash_of_file(folder.file("b")));
    CHECK(hash_of_file(folder.file("a")) != hash_of_file(folder.file("c")));
    CHECK_THROWS_AS(hash_of_file(folder.file("d")), InputError);
}

}  // namespace
}  // namespace lookahead
