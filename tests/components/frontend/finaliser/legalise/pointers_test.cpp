// isa.pointers = 32: addresses in one register.
#include <doctest/doctest.h>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/address_space.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/differential.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

FinaliserOptions narrow(bool expand = false) {
    FinaliserOptions options;
    options.isa.pointers = 32;
    options.isa.expand_64bit = options.isa.single_constant = expand;
    return options;
}

isa::Kernel finalised(const std::string& text, const FinaliserOptions& options) {
    return finalise_module(ptx::parse_module(text, "test.ptx"), options)[0];
}

/// Runs the text on the interpreter and finalised with 32-bit pointers. Checks that both agree; returns the words.
std::vector<std::uint32_t> run_narrow(const std::string& text, const LaunchConfiguration& configuration) {
    const ptx::Module module = ptx::parse_module(text, "test.ptx");
    const auto expected = interpret(module, configuration, 3, 64);
    for (const bool expand : {false, true}) {
        for (const unsigned registers : {63U, 8U}) {
            FinaliserOptions options = narrow(expand);
            options.isa.registers = registers;
            CAPTURE(expand);
            CAPTURE(registers);
            CHECK(emulate(module, options, configuration, 3, 64) == expected);
        }
    }
    return expected;
}

/// Checks that 32-bit pointers make the kernel refused, with these words in the message.
void check_refused(const std::string& body, const std::string& before, const char* words) {
    CHECK_THROWS_WITH_AS(finalise_module(kernel_module(body, before), narrow()), doctest::Contains(words), InputError);
}

const std::string kVectorAdd =
    ".version 9.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<10>;\n"
    "ld.param.u64 %rd0, [a];\nld.param.u64 %rd1, [b];\nld.param.u64 %rd2, [c];\nmov.u32 %r0, %tid.x;\n"
    "cvta.to.global.u64 %rd3, %rd0;\nmul.wide.s32 %rd4, %r0, 4;\nadd.s64 %rd5, %rd3, %rd4;\nadd.s64 %rd6, %rd1, %rd4;\n"
    "ld.global.u32 %r1, [%rd5];\nld.global.u32 %r2, [%rd6];\nadd.u32 %r3, %r1, %r2;\nadd.s64 %rd7, %rd2, %rd4;\n"
    "st.global.u32 [%rd7], %r3;\nret;\n}\n";

}  // namespace

TEST_CASE("addresses in one register need no pairs, and no sums of 64 bits") {
    for (const bool expand : {false, true}) {
        FinaliserOptions wide = narrow(expand);
        wide.isa.pointers = 64;
        const isa::Kernel pairs = finalised(kVectorAdd, wide), words = finalised(kVectorAdd, narrow(expand));
        CHECK(words.registers < pairs.registers);
        CHECK(words.registers <= 3);
        CHECK(words.code.size() <= pairs.code.size());
        for (const isa::Instruction& instruction : words.code) {
            CHECK(instruction.destination_rows <= 1);
            if (isa::is_memory(instruction.operation)) {
                CHECK(instruction.source[0].rows == 1);
                CHECK(instruction.address_window == isa::kGlobalBase >> 32);
            }
        }
        CHECK(words.pointer_parameters == std::vector<std::uint32_t>{0, 8, 16});
        CHECK(pairs.pointer_parameters.empty());
    }
}

TEST_CASE("an address that the program looks at or stores keeps its high word, and is the same") {
    const auto words =
        run_narrow(kernel_text("st.global.u64 [%out], %out; add.s64 %rd0, %out, 8; setp.gt.u64 %p0, %rd0, 0x100000000;"
                               "selp.u32 %r0, 7, 8, %p0; st.global.u32 [%rd0], %r0;"),
                   {{1}, {1}});
    CHECK(words[1] == isa::kGlobalBase >> 32);
    CHECK(words[2] == 7);
}

TEST_CASE("negative indices and addresses that go round a loop stay right in one register") {
    const auto words = run_narrow(
        kernel_text(
            "mov.u32 %r0, 0; add.s64 %rd0, %out, 40; mov.u64 %rd2, -4;\n"
            "L: st.global.u32 [%rd0], %r0; add.s64 %rd0, %rd0, %rd2; add.u32 %r0, %r0, 1;"
            "setp.lt.u32 %p0, %r0, 10; @%p0 bra L;"
            "mov.u32 %r1, -2; mul.wide.s32 %rd3, %r1, 4; add.s64 %rd4, %out, %rd3; st.global.u32 [%rd4+8], %r1;"),
        {{1}, {1}});
    CHECK(words[10] == 0);
    CHECK(words[1] == 9);
    CHECK(words[0] == 0xfffffffe);
}

TEST_CASE("variables, constants, shared and local memory are reached too, by generic addresses as well") {
    const auto words = run_narrow(
        kernel_text(".local .align 4 .b8 depot[16];\n"
                    "mov.u64 %rd0, g; mul.wide.u32 %rd1, %t, 4; add.s64 %rd0, %rd0, %rd1; ld.global.u32 %r0, [%rd0];"
                    "mov.u64 %rd2, c; add.s64 %rd2, %rd2, %rd1; ld.const.u32 %r1, [%rd2];"
                    "cvta.const.u64 %rd3, %rd2; ld.u32 %r2, [%rd3];"
                    "mov.u32 %r3, s; cvt.u64.u32 %rd4, %r3; cvta.shared.u64 %rd4, %rd4; add.s64 %rd4, %rd4, %rd1;"
                    "st.u32 [%rd4], %t; atom.add.u32 %r4, [%rd4], 100; ld.shared.u32 %r5, [s+4];"
                    "mov.u64 %rd5, depot; cvta.local.u64 %rd5, %rd5; st.u32 [%rd5+4], %a; ld.local.u32 %r6, [depot+4];"
                    "add.u32 %r0, %r0, %r1; add.u32 %r0, %r0, %r2; add.u32 %r0, %r0, %r4; add.u32 %r0, %r0, %r6;"
                    "st.global.u32 [%out], %r0;",
                    ".global .u32 g[4] = {1000, 2000, 3000, 4000};\n.const .u32 c[4] = {10, 20, 30, 40};\n"
                    ".shared .align 4 .b8 s[16];\n"),
        {{1}, {4}});
    for (std::uint32_t t = 0; t < 4; ++t) { CHECK(words[t] == 1000 * (t + 1) + 2 * 10 * (t + 1) + t + 3); }
}

TEST_CASE("pointers that come from memory reach global memory") {
    run_narrow(kernel_text("st.global.u64 [%out+8], %out; ld.global.u64 %rd0, [%out+8]; st.global.u32 [%rd0], %a;"),
               {{1}, {1}});
}

TEST_CASE("a choice between null and a variable's address, or between two parameters, is no ambiguity") {
    run_narrow(kernel_text("mov.u64 %rd0, 0; setp.eq.u32 %p0, %a, 3; @%p0 mov.u64 %rd0, g; ld.global.u32 %r0, [%rd0];"
                           "st.global.u32 [%out], %r0;",
                           ".global .u32 g = 77;\n"),
               {{1}, {1}});
}

TEST_CASE("addresses that one register cannot tell apart are refused with the line and what would be right") {
    for (const char* words : {"test.ptx:", "isa.pointers = 64"}) {
        check_refused(
            "setp.eq.u32 %p0, %t, 0; mov.u64 %rd0, g;\nselp.b64 %rd1, %rd0, %out, %p0;\n"
            "st.global.u32 [%rd1], %a;",
            ".global .u32 g;\n", words);
    }
    check_refused("setp.eq.u32 %p0, %t, 0; mov.u64 %rd0, %out; @%p0 mov.u64 %rd0, g; st.global.u32 [%rd0], %a;",
                  ".global .u32 g;\n", "several windows");
    check_refused("ld.global.u64 %rd0, [%out]; st.global.u32 [%rd0], %a;", ".global .u32 g;\n",
                  "takes addresses from memory");
    const std::string store = "mov.u64 %rd1, s; cvta.shared.u64 %rd1, %rd1; st.global.u64 [%out], %rd1;";
    check_refused(store + "ld.global.u64 %rd0, [%out]; st.u32 [%rd0], %a;", ".shared .u32 s;\n",
                  "takes addresses from memory");
    CHECK_NOTHROW(finalise_module(kernel_module(store, ".shared .u32 s;\n"), narrow()));
    FinaliserOptions odd;
    odd.isa.pointers = 48;
    CHECK_THROWS_AS(finalised(kVectorAdd, odd), ConfigurationError);
}

TEST_CASE("a parameter that is an address beyond reach is refused at launch") {
    const isa::KernelTable table = finalise_module(ptx::parse_module(kVectorAdd, "test.ptx"), narrow());
    EmulatedDevice device(table);
    const DeviceAddress good = device.allocate(512);
    device.launch("add", {{1}, {32}}, pack_parameters(good, good + 128, good + 256));
    for (const DeviceAddress bad : {isa::kGlobalBase + isa::kPointerReach, isa::kModuleBase, isa::kSharedWindowBase}) {
        CHECK_THROWS_AS(device.launch("add", {{1}, {32}}, pack_parameters(good, bad, good)), ProgramError);
    }
    CHECK(table.reach == isa::kPointerReach);
    CHECK_NOTHROW(device.allocate(isa::kPointerReach - 512));
    CHECK_THROWS_AS(device.allocate(1), ProgramError);
}
