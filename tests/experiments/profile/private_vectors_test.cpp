#include "experiments/profile/private_vectors.h"

#include <doctest/doctest.h>

#include <string>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"

namespace lookahead::profile {
namespace {

using Values = std::array<std::uint32_t, 32>;
constexpr isa::LaneMask kAll = ~isa::LaneMask{0};

Values affine(std::uint32_t base, std::uint32_t stride) {
    Values values;
    for (std::uint32_t lane = 0; lane < 32; ++lane) { values[lane] = base + lane * stride; }
    return values;
}
VectorVerdict judge(const Values& values, isa::LaneMask lanes = kAll) {
    return judge_vector(values.data(), lanes);
}

TEST_CASE("zero, uniform, affine and generic vectors are told apart, under the mask") {
    CHECK(judge(affine(0, 0)).value == VectorClass::zero);
    CHECK(judge(affine(1, 0)).value == VectorClass::uniform);
    CHECK(judge(affine(0, 1)).value == VectorClass::affine);
    CHECK(judge(affine(64, 64)).value == VectorClass::affine);
    Values values = affine(0, 0);
    values[9] = 1;
    CHECK(judge(values).value == VectorClass::generic);
    CHECK(judge(values, ~(1u << 9)).value == VectorClass::zero);
    CHECK(judge(values, 1u << 9).value == VectorClass::uniform);
    CHECK(judge(affine(0, 4), 1).value == VectorClass::zero);
}

TEST_CASE("strides that are not encoded are counted apart from vectors that have no stride") {
    for (const std::uint32_t stride : {3u, 128u, ~0u, ~0u - 3}) {
        CAPTURE(stride);
        CHECK(judge(affine(128, stride)).value == VectorClass::generic);
        CHECK(judge(affine(128, stride)).reason == Unencoded::stride);
    }
    CHECK(judge(affine(1, 2)).reason == Unencoded::stride);  // the base is not a multiple
    Values values = affine(128, 3);
    values[31] += 1;
    CHECK(judge(values).reason == Unencoded::no);
    CHECK(judge(affine(128, 4)).reason == Unencoded::no);
}

TEST_CASE("sparse masks are those with a hole, and what the encoding unit does not see for one is counted") {
    CHECK_FALSE(judge(affine(0, 4)).sparse);
    CHECK_FALSE(judge(affine(0, 4), 0x00ff'ff00).sparse);
    CHECK_FALSE(judge(affine(0, 4), 1u << 5).sparse);
    CHECK(judge(affine(0, 4), 0x00ff'fd00).sparse);
    CHECK(judge(affine(0, 4), 0x5555'5555).reason == Unencoded::mask);
    CHECK(judge(affine(0, 4), 0x5555'5555).sparse);
    CHECK(judge(affine(0, 4), 0xd555'5555).value == VectorClass::affine);
}

TEST_CASE("generic vectors of two affine halves are counted") {
    Values blocks = affine(64, 4);
    for (std::uint32_t lane = 16; lane < 32; ++lane) { blocks[lane] = 4096 + 4 * (lane - 16); }
    CHECK(judge(blocks).value == VectorClass::generic);
    CHECK(judge(blocks).halves);
    CHECK_FALSE(judge(affine(64, 4)).halves);
    blocks[20] += 1;
    CHECK_FALSE(judge(blocks).halves);
}

/// Runs a kernel whose threads have an array `mine` in private memory.
PrivateTraffic traffic_of(const std::string& body, unsigned threads = 64) {
    const std::string text =
        ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 array)\n{\n"
        ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n.local .align 8 .b8 mine[64];\n"
        "ld.param.u64 %rd0, [array];\nmov.u32 %r0, %tid.x;\n" +
        body + "red.global.xor.b32 [%rd0], %r9;\nret;\n}\n";
    isa::KernelTable kernels = finaliser::finalise_module(ptx::parse_module(text, "k.ptx"), {});
    PrivateVectors vectors(kernels);
    EmulatedDevice device(std::move(kernels), EmulatorOptions{.observer = &vectors});
    device.launch("k", {{1, 1, 1}, {threads, 1, 1}}, pack_parameters(device.allocate(256)));
    return vectors.traffic(0);
}

TEST_CASE("each warp's load and store of a word of private memory is one transaction, with the value that it moves") {
    const PrivateTraffic traffic = traffic_of("st.local.u32 [mine], %r0;\nld.local.u32 %r9, [mine];\n");
    CHECK(traffic.stores[static_cast<std::size_t>(VectorClass::affine)] == 2);
    CHECK(traffic.loads[static_cast<std::size_t>(VectorClass::affine)] == 2);
    CHECK(traffic.transactions() == 4);
    const PrivateTraffic unwritten = traffic_of("ld.local.u32 %r9, [mine+8];\n", 40);
    CHECK(unwritten.loads[static_cast<std::size_t>(VectorClass::zero)] == 2);
    CHECK(unwritten.transactions() == 2);
}

TEST_CASE("lanes at different addresses make a transaction for each, and those and parts of words are generic") {
    const PrivateTraffic scattered = traffic_of(
        "and.b32 %r1, %r0, 1;\nshl.b32 %r1, %r1, 2;\nmov.u32 %r2, mine;\nadd.u32 %r1, %r1, %r2;\n"
        "st.local.u32 [%r1], %r0;\n",
        32);
    CHECK(scattered.of(VectorClass::generic) == 2);
    CHECK(scattered.divergent == 2);
    const PrivateTraffic parts = traffic_of("st.local.u8 [mine+1], %r0;\n", 32);
    CHECK(parts.of(VectorClass::generic) == 1);
    CHECK(parts.parts == 1);
}

TEST_CASE("generic accesses to private memory count, those to other memory do not") {
    const PrivateTraffic traffic = traffic_of(
        "mov.u64 %rd2, mine;\ncvta.local.u64 %rd2, %rd2;\nst.u32 [%rd2], %r0;\n"
        "setp.lt.u32 %p0, %r0, 16;\nselp.b64 %rd3, %rd2, %rd0, %p0;\nld.u32 %r9, [%rd3];\n",
        32);
    CHECK(traffic.stores[static_cast<std::size_t>(VectorClass::affine)] == 1);
    CHECK(traffic.loads[static_cast<std::size_t>(VectorClass::affine)] == 1);
    CHECK(traffic.transactions() == 2);
}

}  // namespace
}  // namespace lookahead::profile
