#include "experiments/profile/access_patterns.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"

namespace lookahead::profile {
namespace {

/// Runs a kernel with one parameter, an array that initially holds the given words.
class Run {
  public:
    explicit Run(const std::string& body, std::vector<std::uint32_t> words, unsigned threads = 32)
        : table_(kernels(body)), streams_(table_), device_(table_, EmulatorOptions{.instructions = &streams_}) {
        const DeviceAddress array = device_.allocate(4 * words.size());
        device_.copy_to_device(array, std::as_bytes(std::span(words)));
        device_.launch("k", {{1, 1, 1}, {threads, 1, 1}}, pack_parameters(array));
    }

    /// The accesses in the order of the PTX.
    std::vector<AccessReport> accesses(PatternOptions options = {}) const {
        std::vector<AccessReport> found = report_patterns(device_, streams_, options).at(0).accesses;
        std::ranges::stable_sort(found, {}, &AccessReport::line);
        return found;
    }
    PatternSums sums() const { return sum_of(report_patterns(device_, streams_, {})); }

  private:
    static isa::KernelTable kernels(const std::string& body) {
        const std::string text =
            ".version 7.8\n.target sm_70\n.address_size 64\n"
            ".visible .entry k(.param .u64 array)\n{\n"
            ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n"
            ".shared .align 4 .b8 tile[512];\n"
            "ld.param.u64 %rd0, [array];\ncvta.to.global.u64 %rd0, %rd0;\nmov.u32 %r0, %tid.x;\n" +
            body + "red.global.xor.b32 [%rd0], %r9;\nret;\n}\n";  // keeps everything loaded alive
        return finaliser::finalise_module(ptx::parse_module(text, "k.ptx"), {});
    }

    isa::KernelTable table_;
    AddressStreams streams_;
    EmulatedDevice device_;
};

std::vector<std::uint32_t> zeros(std::size_t words) {
    return std::vector<std::uint32_t>(words, 0);
}

/// for (r1 = 0; r1 < turns; ++r1) { body }
std::string loop(const std::string& body, const std::string& turns, const std::string& name = "head",
                 const std::string& counter = "%r1") {
    return "mov.u32 " + counter + ", 0;\n" + name + ":\n" + body + "add.u32 " + counter + ", " + counter +
           ", 1;\nsetp.lt.u32 %p0, " + counter + ", " + turns + ";\n@%p0 bra " + name + ";\n";
}
/// %rd1 = array + 4 * index
std::string at(const std::string& index, const std::string& address = "%rd1") {
    return "mul.wide.u32 " + address + ", " + index + ", 4;\nadd.u64 " + address + ", %rd0, " + address + ";\n";
}
std::string load(const std::string& value, const std::string& address, const std::string& space = ".global") {
    return "ld" + space + ".u32 " + value + ", [" + address + "];\nxor.b32 %r9, %r9, " + value + ";\n";
}
const std::string kLoad = load("%r2", "%rd1");

TEST_CASE("A[i] is strided, by the array's step") {
    const Run run(loop(at("%r1") + kLoad, "8"), zeros(64));
    const auto accesses = run.accesses();
    REQUIRE(accesses.size() == 1);
    CHECK(accesses[0].verdict.pattern == Pattern::strided);
    CHECK(accesses[0].strides == std::map<std::int64_t, std::uint64_t>{{4, 32 * 7}});
    CHECK(accesses[0].executed.warps == 8);
    CHECK_FALSE(accesses[0].shared);
    CHECK_FALSE(accesses[0].stores);
}

TEST_CASE("strides are signed, and 0 is one") {
    const Run back(loop("sub.u32 %r3, 20, %r1;\n" + at("%r3") + kLoad, "8"), zeros(64));
    CHECK(back.accesses()[0].strides == std::map<std::int64_t, std::uint64_t>{{-4, 32 * 7}});
    const Run still(loop(at("%r0") + "st.global.u32 [%rd1], %r1;\n", "8"), zeros(64));
    CHECK(still.accesses()[0].verdict.pattern == Pattern::strided);
    CHECK(still.accesses()[0].strides == std::map<std::int64_t, std::uint64_t>{{0, 32 * 7}});
    CHECK(still.accesses()[0].stores);
}

TEST_CASE("one step of another stride is one too many") {
    // i * i: 0, 1 in two iterations, and 4 in three.
    const auto squares = [](const std::string& turns) {
        return Run(loop("mul.lo.u32 %r3, %r1, %r1;\n" + at("%r3") + kLoad, turns), zeros(64)).accesses()[0];
    };
    CHECK(squares("2").verdict.pattern == Pattern::strided);
    CHECK(squares("3").verdict.pattern == Pattern::other);
    CHECK(squares("3").verdict.reason == Unfit::stride_varies);
    CHECK(squares("3").strides.empty());
}

TEST_CASE("an access that no thread repeats has no pattern") {
    const Run once(loop(at("%r1") + kLoad, "1"), zeros(64));
    CHECK(once.accesses()[0].verdict.pattern == Pattern::other);
    CHECK(once.accesses()[0].verdict.reason == Unfit::once_a_visit);
    const Run straight(at("%r0") + kLoad, zeros(64));
    CHECK(straight.accesses()[0].verdict.reason == Unfit::outside_loops);
}

TEST_CASE("the way from one visit of a loop to the next breaks no stride") {
    // Three visits of four iterations: 0 1 2 3, 16 17 18 19, ...
    const std::string inner = loop("shl.b32 %r3, %r4, 4;\nadd.u32 %r3, %r3, %r1;\n" + at("%r3") + kLoad, "4");
    const Run run(loop(inner, "3", "outer", "%r4"), zeros(64));
    CHECK(run.accesses()[0].verdict.pattern == Pattern::strided);
    CHECK(run.accesses()[0].strides == std::map<std::int64_t, std::uint64_t>{{4, 32 * 3 * 3}});
}

TEST_CASE("visits may have strides of their own") {
    // The stride is the outer counter.
    const std::string inner = loop("mul.lo.u32 %r3, %r4, %r1;\n" + at("%r3") + kLoad, "4");
    const Run run(loop(inner, "3", "outer", "%r4"), zeros(64));
    CHECK(run.accesses()[0].verdict.pattern == Pattern::strided);
    CHECK(run.accesses()[0].strides == std::map<std::int64_t, std::uint64_t>{{0, 32 * 3}, {4, 32 * 3}, {8, 32 * 3}});
}

TEST_CASE("a loop around another is not innermost") {
    const std::string inner = loop("add.u32 %r9, %r9, %r1;\n", "4");
    const Run run(loop(at("%r4") + kLoad + inner, "3", "outer", "%r4"), zeros(64));
    CHECK(run.accesses()[0].verdict.reason == Unfit::outside_loops);
}

TEST_CASE("A[B[i]] is regular indirect, and B[i] strided") {
    std::vector<std::uint32_t> words = zeros(64);
    for (std::uint32_t i = 0; i < 8; ++i) { words[i] = (i * i * 5) % 64; }
    const Run run(loop(at("%r1") + kLoad + at("%r2", "%rd2") + load("%r3", "%rd2"), "8"), words);
    CHECK(run.accesses()[0].verdict.pattern == Pattern::strided);
    CHECK(run.accesses()[1].verdict.pattern == Pattern::regular_indirect);
}

TEST_CASE("A[B[i]] is indirect also where the indices are evenly spaced, and in stores") {
    std::vector<std::uint32_t> words = zeros(64);
    for (std::uint32_t i = 0; i < 8; ++i) { words[i] = 3 * i; }
    const Run run(
        loop(at("%r1") + kLoad + "add.u32 %r2, %r2, 32;\n" + at("%r2", "%rd2") + "st.global.u32 [%rd2], %r1;\n", "8"),
        words);
    CHECK(run.accesses()[1].verdict.pattern == Pattern::regular_indirect);
    CHECK(run.accesses()[1].stores);
}

TEST_CASE("A[B[0] + i] is strided: a load that stays where it is hands on a constant") {
    std::vector<std::uint32_t> words = zeros(64);
    words[0] = 5;
    const Run run(
        loop("ld.volatile.global.u32 %r2, [%rd0];\nadd.u32 %r2, %r2, %r1;\n" + at("%r2") + load("%r3", "%rd1"), "8"),
        words);
    CHECK(run.accesses()[1].verdict.pattern == Pattern::strided);
    CHECK(run.accesses()[1].strides.contains(4));
}

TEST_CASE("the followed pointer is irregular, and so is what lies where it points") {
    std::vector<std::uint32_t> words = zeros(64);
    for (std::uint32_t i = 0; i < 32; ++i) { words[i] = (i * 13 + 7) % 32; }
    const std::string follow = at("%r2") + "ld.global.u32 %r2, [%rd1];\n";
    const Run run(
        "mov.u32 %r2, %r0;\n" + loop(follow + "add.u32 %r3, %r2, 32;\n" + at("%r3", "%rd2") + load("%r4", "%rd2"), "8"),
        words);
    CHECK(run.accesses()[0].verdict.pattern == Pattern::irregular_indirect);
    CHECK(run.accesses()[1].verdict.pattern == Pattern::irregular_indirect);
}

TEST_CASE("A[B[C[i]]] is regular: no load comes from itself") {
    std::vector<std::uint32_t> words = zeros(64);
    for (std::uint32_t i = 0; i < 32; ++i) { words[i] = (i * 13 + 7) % 32; }
    const Run run(
        loop(at("%r1") + kLoad + at("%r2", "%rd2") + load("%r3", "%rd2") + at("%r3", "%rd3") + load("%r4", "%rd3"),
             "8"),
        words);
    CHECK(run.accesses()[1].verdict.pattern == Pattern::regular_indirect);
    CHECK(run.accesses()[2].verdict.pattern == Pattern::regular_indirect);
}

TEST_CASE("what an atomic returns is no index that a list gave") {
    const Run run(
        loop("atom.global.add.u32 %r2, [%rd0], 1;\nand.b32 %r2, %r2, 31;\n" + at("%r2") + load("%r3", "%rd1+4"), "8"),
        zeros(64));
    REQUIRE(run.accesses().size() == 1);
    CHECK(run.accesses()[0].verdict.pattern == Pattern::strided);  // 32 by 32, modulo 32
}

TEST_CASE("accesses further apart than the bound have no pattern") {
    std::string filler;
    for (unsigned i = 0; i < 20; ++i) { filler += "mul.lo.u32 %r5, %r5, %r1;\n"; }
    const Run run(loop(at("%r1") + kLoad + filler + "st.global.u32 [%rd0+128], %r5;\n", "8"), zeros(64));
    const std::uint64_t distance = run.accesses()[0].distance;
    CHECK(distance >= 20);
    CHECK(run.accesses({.farthest = distance})[0].verdict.pattern == Pattern::strided);
    CHECK(run.accesses({.farthest = distance - 1})[0].verdict.reason == Unfit::far_apart);
}

TEST_CASE("shared memory counts as such, by its name or by a generic address") {
    const Run run("mov.u32 %r6, tile;\ncvt.u64.u32 %rd4, %r6;\ncvta.shared.u64 %rd4, %rd4;\n" +
                      loop("shl.b32 %r3, %r1, 2;\nadd.u32 %r7, %r6, %r3;\n" + load("%r2", "%r7", ".shared") +
                               "cvt.u64.u32 %rd5, %r3;\nadd.u64 %rd5, %rd4, %rd5;\n" + load("%r5", "%rd5", "") +
                               "add.u64 %rd6, %rd0, 8;\n" + load("%r8", "%rd6", ""),
                           "8"),
                  zeros(64));
    const auto accesses = run.accesses();
    REQUIRE(accesses.size() == 3);
    CHECK(accesses[0].shared);
    CHECK(accesses[1].shared);
    CHECK_FALSE(accesses[2].shared);
    CHECK(run.sums().shared[static_cast<std::size_t>(Pattern::strided)] == 16);
    CHECK(run.sums().global[static_cast<std::size_t>(Pattern::strided)] == 8);
}

TEST_CASE("lanes that a guard holds back have no access there") {
    // Lane l is disabled in its first l iterations, so 31 lanes have fewer steps.
    const Run run(loop("setp.ge.u32 %p1, %r1, %r0;\n" + at("%r1") + "@%p1 " + kLoad, "32"), zeros(64));
    CHECK(run.accesses()[0].verdict.pattern == Pattern::strided);
    CHECK(run.accesses()[0].strides == std::map<std::int64_t, std::uint64_t>{{4, 31 * 32 / 2}});
}

TEST_CASE("every executed warp instruction has one role, and every load and store one pattern") {
    const Run run(loop(at("%r1") + kLoad + "st.shared.u32 [tile], %r2;\n", "8"), zeros(64), 96);
    const PatternSums sums = run.sums();
    CHECK(sums.by_role[static_cast<std::size_t>(Role::memory)] == 3 * (8 * 2 + 1));  // the final sum too
    CHECK(sums.global == std::array<std::uint64_t, kPatterns>{24, 0, 0, 0});
    CHECK(sums.shared == std::array<std::uint64_t, kPatterns>{24, 0, 0, 0});
    CHECK(sums.strides == std::map<std::int64_t, std::uint64_t>{{0, 96 * 7}, {4, 96 * 7}});
}

}  // namespace
}  // namespace lookahead::profile
