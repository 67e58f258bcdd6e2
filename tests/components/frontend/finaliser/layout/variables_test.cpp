#include <doctest/doctest.h>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/layout/layout.h"
#include "components/isa/address_space.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/differential.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

TEST_CASE("global and constant variables hold their initial values, at every alignment") {
    const auto words = run_everywhere(
        kernel_text("ld.global.u32 %r0, [g]; ld.global.u32 %r1, [h+8]; ld.const.u32 %r2, [c+4];"
                    "ld.const.v2.u32 {%r3, %r4}, [d]; ld.global.u8 %r5, [tail]; ld.global.u32 %r6, [zero];"
                    "st.global.v4.u32 [%out], {%r0, %r1, %r2, %r3}; st.global.u32 [%out+16], %r4;"
                    "st.global.u32 [%out+20], %r5; st.global.u32 [%out+24], %r6;",
                    ".global .u32 g = 7;\n.global .align 16 .u32 h[4] = {1, 2, 0x80000003, 4};\n"
                    ".const .u32 c[2] = {10, 11};\n.global .u8 tail = 255;\n.const .align 8 .u32 d[2] = {20, 21};\n"
                    ".global .u32 zero;\n"),
        {{1}, {1}});
    CHECK(std::vector(words.begin(), words.begin() + 7) ==
          std::vector<std::uint32_t>{7, 0x80000003, 11, 20, 21, 255, 0});
}

TEST_CASE("addresses of variables can be taken, computed with, made generic and come back from memory") {
    const auto words =
        run_everywhere(kernel_text("mov.u64 %rd0, table; mul.wide.u32 %rd1, %t, 4; add.s64 %rd0, %rd0, %rd1;"
                                   "ld.const.u32 %r0, [%rd0+4];"  // constants by thread
                                   "cvta.const.u64 %rd2, %rd0; ld.u32 %r1, [%rd2]; add.u32 %r0, %r0, %r1;"
                                   "ld.global.u64 %rd3, [pointer]; ld.global.u32 %r2, [%rd3]; add.u32 %r0, %r0, %r2;"
                                   "mov.u64 %rd4, g; cvta.global.u64 %rd4, %rd4; atom.add.u32 %r3, [%rd4+4], 1;"
                                   "st.global.u32 [%out], %r0;",
                                   ".const .u32 table[40] = {1, 2, 4, 8, 16, 32};\n.global .u32 g[2] = {1000, 0};\n"
                                   ".global .u64 pointer = generic(g);\n"),
                       {{1}, {37}});
    CHECK(words[0] == 1 + 2 + 1000);
    CHECK(words[4] == 16 + 32 + 1000);
    CHECK(words[30] == 1000);
}

TEST_CASE("addresses in .const may have 32 bits, as LLVM makes them") {
    const auto words = run_everywhere(kernel_text("mov.u32 %r0, table; shl.b32 %r1, %t, 2; add.s32 %r0, %r0, %r1;"
                                                  "ld.const.u32 %r2, [%r0+4]; st.global.u32 [%out], %r2;",
                                                  ".const .u32 table[40] = {1, 2, 4, 8, 16, 32};\n"),
                                      {{1}, {37}});
    CHECK(words[0] == 2);
    CHECK(words[4] == 32);
}

TEST_CASE("variables keep what one launch left for the next, and each device has its own") {
    const ptx::Module module =
        kernel_module("atom.global.add.u32 %r0, [count], 1; st.global.u32 [%out], %r0;", ".global .u32 count = 5;\n");
    for (int device_number = 0; device_number < 2; ++device_number) {
        EmulatedDevice device(finalise_module(module, {}));
        const DeviceAddress out = device.allocate(4);
        for (std::uint32_t launch = 0; launch < 3; ++launch) {
            device.launch("k", {{1}, {1}}, pack_parameters(out, 0u));
            CHECK(device.download<std::uint32_t>(out, 1)[0] == 5 + launch);
        }
    }
}

TEST_CASE("a byte array can hold an address byte by byte") {
    std::string bytes;
    for (unsigned i = 0; i < 8; ++i) {
        bytes += std::string(i == 0 ? "" : ", ") + "0xFF" + std::string(2 * i, '0') + "(g)";
    }
    const auto words =
        run_everywhere(kernel_text("ld.global.u64 %rd0, [a8]; ld.global.u32 %r0, [%rd0]; st.global.u32 [%out], %r0;",
                                   ".global .u32 g = 99;\n.global .align 8 .u8 a8[8] = {" + bytes + "};\n"),
                       {{1}, {1}});
    CHECK(words[0] == 99);
}

TEST_CASE("dynamic shared memory lies behind the static and has addresses") {
    const auto words = run_everywhere(
        kernel_text("mov.u32 %r0, dynamic; shl.b32 %r1, %t, 2; add.u32 %r2, %r0, %r1; st.shared.u32 [%r2], %t;"
                    "mov.u64 %rd0, fixed; cvta.shared.u64 %rd0, %rd0; cvt.u64.u32 %rd1, %r1; add.s64 %rd0, %rd0, %rd1;"
                    "mul.lo.u32 %r3, %t, 1000; st.u32 [%rd0], %r3; bar.sync 0;"
                    "xor.b32 %r4, %r1, 28; add.u32 %r5, %r0, %r4; ld.shared.u32 %r6, [%r5];"
                    "mov.u32 %r7, fixed; add.u32 %r7, %r7, %r4; ld.shared.u32 %r8, [%r7]; add.u32 %r6, %r6, %r8;"
                    "st.global.u32 [%out], %r6;",
                    ".extern .shared .align 16 .b8 dynamic[];\n.shared .align 4 .b8 fixed[32];\n"),
        {{1}, {8}, 32});
    for (std::uint32_t i = 0; i < 8; ++i) { CHECK(words[i] == (7 - i) * 1001); }
}

TEST_CASE("the image lists variables by address, without overlap") {
    const ptx::Module module =
        kernel_module("",
                      ".const .u32 c = 1;\n.global .u8 a;\n.global .align 64 .b8 b[100];\n.global .u64 p = c;\n"
                      ".shared .u32 s;\n.extern .global .u32 e;\n");
    const isa::ModuleImage image = finalise_module(module, {}).image;
    REQUIRE(image.size() == 4);
    CHECK(image[0].address == isa::kModuleBase);
    CHECK(image[0].contents.empty());
    CHECK(image[1].address == isa::kModuleBase + 64);
    CHECK(image[2].contents.size() == 8);
    CHECK(image[3].address == isa::kConstantBase);
    CHECK(image[3].is_constant);
    for (std::size_t i = 1; i < image.size(); ++i) {
        CHECK(image[i - 1].address + image[i - 1].bytes <= image[i].address);
    }
}

TEST_CASE("what has no address is refused with its place") {
    CHECK_THROWS_WITH_AS(
        finalise_module(
            kernel_module("ld.global.u32 %r0, [e]; st.global.u32 [%out], %r0;", ".extern .global .u32 e;\n"), {}),
        doctest::Contains("linking is not supported"), InputError);
    CHECK_THROWS_WITH_AS(finalise_module(kernel_module("", ".shared .u32 s;\n.global .u64 p = s;\n"), {}),
                         doctest::Contains("initial value of p names s"), InputError);
}

TEST_CASE("an access beyond a variable is reported") {
    const ptx::Module module =
        kernel_module("ld.global.u32 %r0, [g+64]; st.global.u32 [%out], %r0;", ".global .u32 g;\n");
    CHECK_THROWS_AS(emulate(module, {}, {{1}, {1}}, 0, 1), ProgramError);
}
