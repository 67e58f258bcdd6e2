// Generic instructions behave according to the address, not to the instruction's form.
#include <doctest/doctest.h>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "tests/functional/simt/three_devices.h"

using namespace lookahead;
using namespace lookahead::test;
using isa::SimtModel;

namespace {

/// Sums of f32 in a word of shared and one of global memory, in generic and plain form: a subnormal to a subnormal, a
/// subnormal to a normal number, and normal numbers with a subnormal sum. Words 0 to 7: the values that `atom` found
/// and the final ones, in shared and then in global memory; 8 to 15: the same for the plain form.
constexpr const char* kWord = ".shared .align 8 .b8 word[16];";

std::string sums(const std::string& operation, const std::string& old_value, const std::string& operand) {
    std::string text = R"(
    setp.ne.u32 %p0, %t, 0;
    @%p0 exit;
    mov.u64 %rd1, word;
    cvta.shared.u64 %rd2, %rd1;
    cvta.global.u64 %rd3, %base;
    add.u64 %rd3, %rd3, 256;
)";
    unsigned to = 0;
    const auto add = [&](const std::string& space, const std::string& address) {
        const bool returns = operation.starts_with("atom");
        text += "st" + space + ".b32 [" + address + "], " + old_value + ";\n";
        text += operation + space + ".add.f32 " + (returns ? "%r1, [" : "[") + address + "], " + operand + ";\n";
        text += "ld" + space + ".b32 %r2, [" + address + "];\n";
        if (returns) { text += "st.global.b32 [%base+" + std::to_string(4 * to) + "], %r1;\n"; }
        text += "st.global.b32 [%base+" + std::to_string(4 * to + 4) + "], %r2;\n";
        to += 2;
    };
    add("", "%rd2");
    add("", "%rd3");
    add(".shared", "%rd1");
    add(".global", "%base+256");
    return text;
}

struct Sum {
    std::uint32_t old_value, operand, in_shared, in_global;
};
constexpr Sum kSums[] = {
    {0x00000003, 0x00000004, 0x00000007, 0x00000000},  // both subnormal
    {0x80000001, 0x80000001, 0x80000002, 0x80000000},
    {0x00800000, 0x00000001, 0x00800001, 0x00800000},  // the least normal number and the least subnormal one
    {0x00800001, 0x80800000, 0x00000001, 0x00000000},  // only the sum is subnormal
    {0x3f800000, 0x3f800000, 0x40000000, 0x40000000},
};

TEST_CASE("generic atom and red add f32 with subnormals in shared memory and without them in global memory") {
    for (const char* operation : {"atom", "red"}) {
        for (const Sum& sum : kSums) {
            const Program program = launched(kOneWarp, 65,
                                             sums(
                                                 operation, std::to_string(sum.old_value),
                                                 "0f" +
                                                     [&] {
                                                         char digits[9];
                                                         std::snprintf(digits, sizeof digits, "%08X", sum.operand);
                                                         return std::string(digits);
                                                     }()),
                                             kWord);
            CAPTURE(program.text);
            const std::uint32_t found = std::string(operation) == "atom" ? sum.old_value : 0;
            std::vector<std::uint32_t> expected = {found, sum.in_shared, found, sum.in_global,
                                                   found, sum.in_shared, found, sum.in_global};
            expected.resize(65);
            expected[64] = sum.in_global;
            CHECK(interpret(program) == expected);
            expect_everywhere(program, expected);
        }
    }
}

TEST_CASE("lanes of one generic atomic add f32 by the memory that each lane's address leads to") {
    const Program program = launched(kOneWarp, 64, R"(
    mov.u64 %rd1, words;
    cvta.shared.u64 %rd1, %rd1;
    mul.wide.u32 %rd2, %t, 4;
    add.u64 %rd1, %rd1, %rd2;
    cvta.global.u64 %rd3, %out;
    and.b32 %r0, %t, 1;
    setp.ne.u32 %p0, %r0, 0;
    selp.b64 %rd3, %rd1, %rd3, %p0;
    st.b32 [%rd3], 2;
    atom.add.f32 %r1, [%rd3], 0f00000001;
    ld.b32 %r2, [%rd3];
    st.global.b32 [%out], %r1;
    st.global.b32 [%out+128], %r2;)",
                                     ".shared .align 4 .b8 words[128];");
    std::vector<std::uint32_t> expected(64, 2);
    for (unsigned lane = 0; lane < 32; ++lane) { expected[32 + lane] = lane % 2 == 0 ? 0 : 3; }
    CHECK(interpret(program) == expected);
    expect_everywhere(program, expected);
}

TEST_CASE("volatile accesses of more than a word go where each lane's generic address leads, local memory included") {
    // Lanes alternately store and load in local, shared and global memory; some lanes do nothing.
    const auto program_of = [](const std::string& type, const std::string& value, const std::string& to) {
        return launched(kOneWarp, 32 + 4 * 32 + 4,
                        R"(
    .local .align 16 .b8 mine[32];
    and.b32 %r0, %t, 3;
    setp.eq.u32 %p0, %r0, 0;
    setp.eq.u32 %p1, %r0, 1;
    setp.ne.u32 %p2, %r0, 3;
    mov.u64 %rd0, mine;
    cvta.local.u64 %rd0, %rd0;
    mov.u64 %rd1, ours;
    cvta.shared.u64 %rd1, %rd1;
    mul.wide.u32 %rd2, %t, 16;
    add.u64 %rd1, %rd1, %rd2;
    add.u64 %rd3, %base, 128;
    cvta.global.u64 %rd3, %rd3;
    add.u64 %rd3, %rd3, %rd2;
    selp.b64 %rd4, %rd0, %rd1, %p0;
    selp.b64 %rd4, %rd3, %rd4, %p1;
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
    mov.u64 %rd5, 0;
    cvt.u64.u32 %rd6, %t;
    mad.lo.u64 %rd6, %rd6, 0x100000003, 0x700000005;
    mad.lo.u32 %r3, %t, 5, 11;
    @%p2 st.volatile.)" + type +
                            " [%rd4], " + value +
                            R"(;
    @%p2 ld.volatile.)" + type +
                            " " + to + R"(, [%rd4];
    cvt.u32.u64 %r4, %rd5;
    shr.u64 %rd5, %rd5, 32;
    cvt.u32.u64 %r5, %rd5;
    mad.lo.u32 %r1, %r1, 3, %r2;
    mad.lo.u32 %r1, %r4, 5, %r1;
    mad.lo.u32 %r1, %r5, 7, %r1;
    st.global.u32 [%out], %r1;)",
                        ".shared .align 16 .b8 ours[512];");
    };
    for (const Program& program :
         {program_of("u64", "%rd6", "%rd5"), program_of("v2.u32", "{%r3, %t}", "{%r1, %r2}"),
          program_of("v4.u32", "{%r3, %t, %r0, %r3}", "{%r1, %r2, %r6, %r7}"),
          program_of("v2.u64", "{%rd6, %rd2}", "{%rd5, %rd7}"), program_of("u64", "%rd6", "%rd4")}) {
        CAPTURE(program.text);
        const std::vector<std::uint32_t> expected = interpret(program);
        CHECK(expected[33 + 3] != 0);  // lane 1's store is in global memory
        expect_everywhere(program, expected);
    }
}

TEST_CASE("a fault of a generic address names the memory that it leads to") {
    const auto ending = [](const char* space) {
        const Program program = launched(kOneWarp, 1,
                                         std::string("mov.u64 %rd1, bytes;\ncvta.") + space +
                                             ".u64 %rd1, %rd1;\nld.u32 %r0, [%rd1+4096];\n"
                                             "st.global.u32 [%base], %r0;",
                                         std::string(".") + space + " .align 4 .b8 bytes[16];");
        return ending_of_emulation(program, SimtModel::stack);
    };
    check_mentions(ending("shared"), {"illegal address", "generic memory at 0x100001000", "the CTA's shared memory"});
}

/// CTA 0 waits for CTA 1, and meanwhile counts its turns in local memory.
Program counting_turns(const std::string& count) {
    return launched({{2}, {32}}, 2, R"(
    .local .align 4 .b8 turns[4];
    mov.u32 %r0, %ctaid.x;
    setp.ne.u32 %p0, %r0, 0;
    mov.u64 %rd1, turns;
    cvta.local.u64 %rd2, %rd1;
    mov.u32 %r2, 0;
    @%p0 bra SET;
WAIT:
    add.u32 %r2, %r2, 1;
)" + count + R"(
    ld.volatile.global.u32 %r1, [%base+4];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra WAIT;
SET:
    mul.wide.u32 %rd3, %r0, 4;
    add.u64 %rd3, %base, %rd3;
    st.volatile.global.u32 [%rd3], 1;)");
}

}  // namespace

TEST_CASE("a CTA that changes its local memory alone seems to wait, whatever form the stores have") {
    for (const char* count : {"st.local.u32 [%rd1], %r2;", "st.u32 [%rd2], %r2;"}) {
        const Program program = counting_turns(count);
        CAPTURE(program.text);
        const ptx::Module module = ptx::parse_module(program.text, "program.ptx");
        EmulatedDevice device(finaliser::finalise_module(module, {}), {.max_warp_instructions = 300'000});
        const DeviceAddress out = device.upload(std::vector<std::uint32_t>(2));
        device.launch("k", program.configuration, pack_parameters(out, 0u, program.table));
        CHECK(device.download<std::uint32_t>(out, 2) == std::vector<std::uint32_t>{1, 1});
    }
}
