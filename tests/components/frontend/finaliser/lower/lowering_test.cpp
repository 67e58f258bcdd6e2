#include <doctest/doctest.h>
#include <bit>

#include "components/frontend/finaliser/finalise.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

std::uint32_t bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}

TEST_CASE("a parameter that is loaded into one register becomes a constant operand") {
    const isa::Kernel kernel = kernel_of("add.s32 %r0, %a, %b; st.global.u32 [%out], %r0;");
    CHECK(lines_of(kernel) == std::vector<std::string>{"ADD.S32 R0, c[param+0x8], c[param+0xc] ;",
                                                       "ST.GLOBAL.U32 [c[param+0x0]], R0 ;", "EXIT ;"});
}

TEST_CASE("a parameter that is loaded into a register with other definitions is copied") {
    const std::string body =
        "mov.u32 %r0, %a; setp.eq.u32 %p0, %b, 0; @%p0 mov.u32 %r0, %b; st.global.u32 [%out], %r0;";
    CHECK(run(body, 7, 1)[0] == 7);
    CHECK(run(body, 7, 0)[0] == 0);
}

TEST_CASE("narrow parameters are cut out of their row") {
    const ptx::Module module = ptx::Module(module_of(""));
    CHECK(module.functions.back().parameters.size() == 3);
    CHECK(run("ld.param.u8 %rs0, [a+1]; cvt.u32.u16 %r0, %rs0; st.global.u32 [%out], %r0;", 0x1234abcd)[0] == 0xab);
    CHECK(run("ld.param.s8 %rs0, [a+1]; cvt.s32.s16 %r0, %rs0; st.global.u32 [%out], %r0;", 0x1234abcd)[0] ==
          0xffffffab);
    CHECK(run("ld.param.u16 %rs0, [a+2]; cvt.u32.u16 %r0, %rs0; st.global.u32 [%out], %r0;", 0x1234abcd)[0] == 0x1234);
}

TEST_CASE("sizes of block and grid are constant operands, positions are read from special registers") {
    const isa::Kernel kernel = kernel_of(
        "mov.u32 %r0, %tid.y; mov.u32 %r1, %ntid.z; mov.u32 %r2, %nctaid.x; add.s32 %r0, %r0, %r1;"
        "add.s32 %r0, %r0, %r2; st.global.u32 [%out], %r0;");
    CHECK(count(kernel, "S2R") == 1);
    CHECK(count(kernel, "SR_TID.Y") == 1);
    CHECK(count(kernel, "c[ntid.z]") == 1);
    CHECK(count(kernel, "c[nctaid.x]") == 1);
    CHECK(count(kernel, "MOV") == 0);
}

TEST_CASE("equal literals share a row and zero needs none") {
    const isa::Kernel kernel = kernel_of(
        "add.s32 %r0, %a, 77; mul.lo.s32 %r1, %b, 77; st.global.u32 [%out], %r0; st.global.u32 [%out+4], %r1;"
        "st.global.u32 [%out+8], 0;");
    CHECK(kernel.literals == std::vector<std::uint32_t>{77});
    CHECK(count(kernel, "RZ") == 1);
}

TEST_CASE("literals that no instruction uses any more are dropped") {
    const isa::Kernel kernel = kernel_of("mov.u32 %r0, 5; add.s32 %r1, %r0, 6; st.global.u32 [%out], %r1;");
    CHECK(kernel.literals == std::vector<std::uint32_t>{11});
}

TEST_CASE("operations that change nothing vanish") {
    const isa::Kernel kernel = kernel_of(
        "add.s32 %r0, %a, 0; mul.lo.s32 %r1, %r0, 1; shl.b32 %r2, %r1, 0; or.b32 %r3, 0, %r2;"
        "mad.lo.s32 %r4, %r3, %b, 0; st.global.u32 [%out], %r4;");
    CHECK(kernel.code.size() == 3);
    CHECK(count(kernel, "MUL.LO.S32 R0, c[param+0x8], c[param+0xc]") == 1);
}

TEST_CASE("integer constants are computed exactly when the kernel is finalised, modulo their width") {
    const isa::Kernel kernel = kernel_of(
        "mov.u32 %r0, 0xffffffff; add.u32 %r1, %r0, 3; mul.lo.u32 %r2, %r0, %r0; shl.b32 %r3, %r0, 31;"
        "mov.u32 %r4, 40; shl.b32 %r5, %r0, %r4; xor.b32 %r6, %r0, 0xf0f0f0f0; mov.u64 %rd0, -1; add.u64 %rd1, %rd0, 2;"
        "mul.lo.u64 %rd2, %rd0, 3; st.global.v4.u32 [%out], {%r1, %r2, %r3, %r5}; st.global.u32 [%out+16], %r6;"
        "st.global.u64 [%out+24], %rd1; st.global.u64 [%out+32], %rd2;");
    for (const char* operation : {"ADD", "MUL", "SHL", "XOR"}) { CHECK(count(kernel, operation) == 0); }
    const std::vector<std::uint32_t> words = run(kernel);
    CHECK(std::vector(words.begin(), words.begin() + 10) ==
          std::vector<std::uint32_t>{2, 1, 0x80000000, 0, 0x0f0f0f0f, 0, 1, 0, 0xfffffffd, 0xffffffff});
}

TEST_CASE("floating-point arithmetic on constants stays in the kernel, where its rounding is the machine's") {
    const isa::Kernel kernel = kernel_of(
        "mov.f32 %f0, 0f3DCCCCCD; add.rz.f32 %f1, %f0, %f0; fma.rn.f32 %f2, %f0, %f0, %f1; st.global.f32 [%out], %f2;");
    CHECK(count(kernel, "ADD") == 1);
    CHECK(count(kernel, "FMA") == 1);
}

TEST_CASE("shared variables lie one after another at their alignment, dynamic ones behind them") {
    const std::string before =
        ".shared .align 1 .b8 first[3];\n.shared .align 8 .b8 second[16];\n.extern .shared .align 16 .b8 rest[];\n";
    const ptx::Module module = module_of(
        "mov.u32 %r0, first; mov.u32 %r1, second; mov.u32 %r2, rest; st.global.u32 [%out], %r0;"
        "st.global.u32 [%out+4], %r1; st.global.u32 [%out+8], %r2;",
        before);
    const isa::Kernel kernel = finalise(module, module.functions.back(), {});
    CHECK(kernel.static_shared_bytes == 32);
    const auto words = run(kernel);
    CHECK(words[0] == 0);
    CHECK(words[1] == 8);
    CHECK(words[2] == 32);
}

TEST_CASE("shared variables of the module that a kernel does not name take no space") {
    const ptx::Module module =
        module_of("st.shared.u32 [used], %a;", ".shared .b8 other[400];\n.shared .align 4 .b8 used[4];\n");
    CHECK(finalise(module, module.functions.back(), {}).static_shared_bytes == 4);
}

TEST_CASE("an addition of a literal to an address becomes the access's offset") {
    const isa::Kernel kernel = kernel_of(
        "mul.wide.u32 %rd0, %a, 4; add.s64 %rd1, %out, %rd0; add.s64 %rd2, %rd1, 8; st.global.u32 [%rd2+4], %b;");
    CHECK(count(kernel, "+0xc]") == 1);
    CHECK(count(kernel, "ADD") == 1);
    CHECK(run(kernel, 2, 99)[5] == 99);
}

TEST_CASE("an addition whose result is more than an address stays") {
    const isa::Kernel kernel = kernel_of("add.s64 %rd2, %out, 8; st.global.u64 [%rd2], %rd2;");
    CHECK(count(kernel, "ADD.S64") == 1);
    CHECK(count(kernel, "+0x8]") == 0);
}

TEST_CASE("a pointer that a loop moves on is not folded into offsets") {
    const std::string body =
        "mov.u64 %rd0, %out; mov.u32 %r0, 0;\nL:\nadd.s64 %rd0, %rd0, 4; st.global.u32 [%rd0], %r0;"
        "add.s32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 3; @%p0 bra L;";
    const auto words = run(body);
    CHECK(words[1] == 0);
    CHECK(words[2] == 1);
    CHECK(words[3] == 2);
}

TEST_CASE("a copy that a loop carries is not looked through") {
    // %r1 is the value of %r0 in the previous iteration.
    const std::string body =
        "mov.u32 %r2, 0;\nL:\nsetp.eq.u32 %p0, %r2, 0; @%p0 bra S; st.global.u32 [%out], %r1;\nS:\n"
        "add.s32 %r0, %r2, 10; mov.u32 %r1, %r0; add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra L;";
    CHECK(run(body)[0] == 11);
}

TEST_CASE("an atomic whose old value nobody reads is a reduction, except exchange and compare-and-swap") {
    CHECK(count(kernel_of("atom.global.add.u32 %r0, [%out], %a;"), "RED.GLOBAL.ADD") == 1);
    CHECK(count(kernel_of("atom.global.add.u32 %r0, [%out], %a; st.global.u32 [%out+4], %r0;"), "ATOM.GLOBAL.ADD") ==
          1);
    CHECK(count(kernel_of("atom.global.exch.b32 %r0, [%out], %a;"), "ATOM.GLOBAL.EXCH") == 1);
    CHECK(count(kernel_of("atom.global.cas.b32 %r0, [%out], %a, %b;"), "ATOM.GLOBAL.CAS") == 1);
}

TEST_CASE("results that nobody reads are not computed, volatile loads stay") {
    CHECK(kernel_of("ld.global.u32 %r0, [%out]; add.s32 %r1, %r0, 1;").code.size() == 1);
    CHECK(count(kernel_of("ld.volatile.global.u32 %r0, [%out];"), "LD.GLOBAL.VOLATILE") == 1);
}

TEST_CASE("loads into wider registers extend by the type") {
    const std::string store = "st.global.u64 [%out], %rd0;";
    CHECK(run("st.global.u32 [%out], %a; ld.global.u32 %rd0, [%out];" + store, 0x80000000)[1] == 0);
    CHECK(run("st.global.u32 [%out], %a; ld.global.s32 %rd0, [%out];" + store, 0x80000000)[1] == 0xffffffff);
    CHECK(run("st.global.u32 [%out], %a; ld.global.s8 %r0, [%out]; st.global.u32 [%out], %r0;", 0x80)[0] == 0xffffff80);
}

TEST_CASE("packing and unpacking may overlap their operands") {
    const auto swapped =
        run("mov.b64 %rd0, {%a, %b}; mov.b64 {%r0, %r1}, %rd0; mov.b64 %rd0, {%r1, %r0}; st.global.u64 [%out], %rd0;",
            1, 2);
    CHECK(swapped[0] == 2);
    CHECK(swapped[1] == 1);
    const auto halves =
        run("mov.b32 {%rs0, %rs1}, %a; mov.b32 %r0, {%rs1, %rs0}; st.global.u32 [%out], %r0;", 0x11112222);
    CHECK(halves[0] == 0x22221111);
}

TEST_CASE("taking the low word of a wide value needs no instruction") {
    const isa::Kernel kernel =
        kernel_of("ld.global.u64 %rd0, [%out]; cvt.u32.u64 %r0, %rd0; st.global.u32 [%out+8], %r0;");
    CHECK(kernel.code.size() == 3);
}

TEST_CASE("operations that the machine lacks are made of those that it has") {
    const auto word = [](const std::string& body, std::uint32_t a, std::uint32_t b) {
        return run(body + "st.global.u32 [%out], %r0;", a, b)[0];
    };
    CHECK(word("sad.s32 %r0, %a, %b, 5;", 3, 0xffffffff) == 9);
    CHECK(word("cnot.b32 %r0, %a;", 0, 0) == 1);
    CHECK(word("cnot.b32 %r0, %a;", 6, 0) == 0);
    CHECK(word("slct.s32.s32 %r0, %a, 9, %b;", 4, 0) == 4);
    CHECK(word("slct.s32.s32 %r0, %a, 9, %b;", 4, 0x80000000) == 9);
    CHECK(word("bfi.b32 %r0, %a, %b, 8, 4;", 0x5f, 0xffffffff) == 0xffffffff);
    CHECK(word("bfi.b32 %r0, %a, 0, 8, %b;", 0x5f, 4) == 0xf00);
    CHECK(word("mov.b32 %f0, %a; mov.b32 %f1, %b; copysign.f32 %f2, %f0, %f1; mov.b32 %r0, %f2;", bits(-1.0F),
               bits(3.0F)) == bits(-3.0F));
}

TEST_CASE("generic addresses of shared memory lie in a window, those of global memory are the same") {
    const ptx::Module module = module_of(
        "mov.u64 %rd0, s; cvta.shared.u64 %rd1, %rd0; add.s64 %rd1, %rd1, 4; st.u32 [%rd1], %a;"
        "cvta.to.shared.u64 %rd2, %rd1; ld.shared.u32 %r0, [%rd2]; cvta.global.u64 %rd3, %out; st.u32 [%rd3], %r0;"
        "isspacep.shared %p0, %rd1; isspacep.global %p1, %rd1; isspacep.global %p2, %out;"
        "selp.u32 %r1, 1, 0, %p0; selp.u32 %r2, 1, 0, %p1; selp.u32 %r3, 1, 0, %p2; st.global.u32 [%out+4], %r1;"
        "st.global.u32 [%out+8], %r2; st.global.u32 [%out+12], %r3;",
        ".shared .align 4 .b8 s[8];\n");
    const auto words = run(finalise(module, module.functions.back(), {}), 1234);
    CHECK(words[0] == 1234);
    CHECK(words[1] == 1);
    CHECK(words[2] == 0);
    CHECK(words[3] == 1);
}

TEST_CASE("cvta of a global address is an instruction with keep_cvta, and gives the same") {
    const ptx::Module module = module_of("cvta.to.global.u64 %rd0, %out; st.global.u32 [%rd0], %a;");
    for (const bool keep : {false, true}) {
        CAPTURE(keep);
        FinaliserOptions options;
        options.simplify = false;
        options.keep_cvta = keep;
        const isa::Kernel kernel = finalise(module, module.functions.back(), options);
        CHECK(count(kernel, "OR.B64") == (keep ? 2 : 0));  // and that of the parameter
        CHECK(run(kernel, 77)[0] == 77);
    }
}

TEST_CASE("a branch to the kernel's end is an exit") {
    const isa::Kernel kernel = kernel_of("setp.eq.u32 %p0, %a, 0; @%p0 bra END; st.global.u32 [%out], %a;\nEND:");
    CHECK(count(kernel, "@P0 EXIT") == 1);
    CHECK(count(kernel, "BRA") == 0);
    CHECK(run(kernel, 0)[0] == 0);
    CHECK(run(kernel, 8)[0] == 8);
}

TEST_CASE("code that cannot be reached and branches to the next instruction vanish") {
    const isa::Kernel kernel =
        kernel_of("bra L; st.global.u32 [%out], 1; st.global.u32 [%out], 3;\nL:\nst.global.u32 [%out], 2;");
    CHECK(kernel.code.size() == 2);
    CHECK(run(kernel)[0] == 2);
}

TEST_CASE("a wide product is made again in each sum that reads it where sums of addresses are two instructions") {
    const std::string body =
        "mov.u32 %r0, %tid.x; mul.wide.u32 %rd0, %r0, %a; add.u64 %rd1, %rd0, 8; add.u64 %rd2, %rd0, %out;"
        "st.global.u64 [%out], %rd1; st.global.u64 [%rd2], %rd1;";
    FinaliserOptions options;
    options.fuse_products = true;
    const isa::Kernel whole = kernel_of(body, options);
    CHECK(count(whole, "MUL.WIDE") == 1);
    CHECK(count(whole, "MAD.WIDE") == 0);
    options.isa.expand_64bit = true;
    const isa::Kernel words = kernel_of(body, options);
    CHECK(count(words, "MUL.WIDE") == 0);
    CHECK(count(words, "MAD.WIDE") == 2);
    CHECK(run(words, 5) == run(whole, 5));
    options.isa.wide_multiply = false;
    CHECK(run(kernel_of(body, options), 5) == run(whole, 5));
}

TEST_CASE("what the machine cannot do is refused with file, line and instruction") {
    for (const char* part : {"test.ptx:", "mad24.hi.sat.s32", "not supported"}) {
        CHECK_THROWS_WITH_AS(kernel_of("mad24.hi.sat.s32 %r0, %r1, %r2, %r3;"), doctest::Contains(part), InputError);
    }
    CHECK_THROWS_WITH_AS(kernel_of("bar.sync 0, 65;"), doctest::Contains("multiple of 32"), InputError);
}

TEST_CASE("options out of range are refused") {
    FinaliserOptions options;
    options.isa.registers = 0;
    CHECK_THROWS_AS(kernel_of("", options), ConfigurationError);
    options.isa.registers = 256;
    CHECK_THROWS_AS(kernel_of("", options), ConfigurationError);
    options.isa.registers = 255;
    CHECK_NOTHROW(kernel_of("", options));
    options.predicate_limit = 8;
    CHECK_THROWS_AS(kernel_of("", options), ConfigurationError);
}

FinaliserOptions with(const IsaOptions& isa) {
    FinaliserOptions options;
    options.isa = isa;
    options.schedule = false;
    return options;
}

}  // namespace

TEST_CASE("where the machine has 32-bit units, wide sums carry, comparisons extend and shifts funnel") {
    const isa::Kernel kernel = kernel_of(
        "ld.global.u64 %rd0, [%out]; ld.global.u64 %rd1, [%out+8]; add.s64 %rd2, %rd0, %rd1; setp.lt.s64 %p0, %rd2, "
        "%rd1; shr.s64 %rd3, %rd2, 5; selp.b64 %rd4, %rd3, %rd0, %p0; st.global.u64 [%out], %rd4;",
        with({.expand_64bit = true}));
    CHECK(lines_of(kernel) == std::vector<std::string>{"LD.GLOBAL.U64 R0:1, [c[param+0x0]] ;",
                                                       "LD.GLOBAL.U64 R2:3, [c[param+0x0]+0x8] ;",
                                                       "ADD.C.U32 R4, P0, R0, R2, !PT ;", "ADD.C.U32 R5, R1, R3, P0 ;",
                                                       "SETP.LT.U32 P0, R4, R2 ;", "SETP.EX.LT.S32 P0, R5, R3, P0 ;",
                                                       "SHF.R.U64.S32 R2, R4, R5, 0x5 ;", "SHR.S32 R3, R5, 0x5 ;",
                                                       "SEL.B32 R0, R2, R0, P0 ;", "SEL.B32 R1, R3, R1, P0 ;",
                                                       "ST.GLOBAL.U64 [c[param+0x0]], R0:1 ;", "EXIT ;"});
}

TEST_CASE("where an instruction has one constant at most, the others are put into registers once and before loops") {
    const isa::Kernel kernel = kernel_of(
        "mov.u32 %r0, 0;\nL:\nmad.lo.u32 %r0, %r0, %a, %b; mad.lo.u32 %r0, %r0, %b, %a; setp.lt.u32 %p0, %r0, 1000;"
        "@%p0 bra L; st.global.u32 [%out], %r0; st.global.u32 [%out+4], 0; ld.local.u32 %r1, [64];"
        "st.global.u32 [%out+8], %r1;",
        with({.single_constant = true}));
    CHECK(lines_of(kernel) ==
          std::vector<std::string>{"MOV.B32 R0, RZ ;", "MOV.B32 R1, c[param+0x8] ;", "MOV.B32 R2, c[param+0xc] ;",
                                   "MAD.LO.U32 R0, R0, c[param+0x8], R2 ;", "MAD.LO.U32 R0, R0, c[param+0xc], R1 ;",
                                   "SETP.LT.U32 P0, R0, 0x3e8 ;", "@P0 BRA 0x0018 ;  // joins at 0x0038",
                                   "MOV.B64 R2:3, c[param+0x0] ;", "ST.GLOBAL.U32 [R2:3], R0 ;",
                                   "ST.GLOBAL.U32 [R2:3+0x4], RZ ;", "LD.LOCAL.U32 R0, [RZ+0x40] ;",
                                   "ST.GLOBAL.U32 [R2:3+0x8], R0 ;", "EXIT ;"});
}
