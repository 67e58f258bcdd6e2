#include <doctest/doctest.h>

#include "tests/components/frontend/ptx/test_support.h"

namespace lookahead::ptx {
namespace {

using test::refusal;
using test::with_body;
using test::with_header;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Checks that `body` is refused on its first line with `hint`, and that the message shows the statement.
void check_refused(const std::string& body, const std::string& hint) {
    const std::string message = refusal(with_body(body));
    CAPTURE(body);
    CAPTURE(message);
    CHECK(message.starts_with("test.ptx:" + std::to_string(test::kBodyLine) + ": "));
    CHECK(contains(message, hint));
    CHECK(contains(message, "`" + body.substr(0, body.find(';')) + "`"));
}

void check_text_refused(const std::string& text, const std::string& place, const std::string& hint) {
    const std::string message = refusal(text);
    CAPTURE(message);
    CHECK(message.starts_with(place));
    CHECK(contains(message, hint));
}

}  // namespace

TEST_CASE("unsupported instructions are refused with what is supported") {
    check_refused("wmma.load.a.sync.aligned.m16n16k16.f16 %r1, [%rd1];", "instruction `wmma` is not supported");
    check_refused("frob %r1;", "supported: abs, activemask, add,");
}

TEST_CASE("unsupported modifiers are named with the forms that there are") {
    check_refused("add.f128 %r1, %r2, %r3;", ".f128 is not supported with add");
    check_refused("add.f128 %r1, %r2, %r3;", "add.sat.s32");
    check_refused("add.sat.u32 %r1, %r2, %r3;", "add.sat.u32 is not a supported combination");
    check_refused("mul.s32 %r1, %r2, %r3;", "mul(.lo|.hi)");
    check_refused("div.f32 %f1, %f2, %f3;", "(.approx|.full)");
    check_refused("ld.relaxed.global.u32 %r1, [%rd1];", "not a supported combination");
    check_refused("setp.lt.b32 %p1, %r1, %r2;", "not a supported combination");
    check_refused("ld.volatile.param.u32 %r1, [p0];", "not a supported combination");
    check_refused("ld.acquire.gpu.local.u32 %r1, [%rd1];", "not a supported combination");
    check_refused("st.volatile.cg.u32 [%rd1], %r1;", "not a supported combination");
    check_refused("set.lt.ftz.u32.f64 %r1, %fd1, %fd2;", "not a supported combination");
    check_refused("setp.lt.f16 %p1|%p2, %rs1, %rs2;", "no second destination");
    check_refused("ld.relaxed.gpu.u32 %r1, [p0];", "parameter `p0` is in state space param");
    check_refused("add.s32.s32 %r1, %r2, %r3;", "not a supported combination");
    check_refused("st.const.u32 [%rd1], %r1;", ".const is not supported with st");
}

TEST_CASE("wrong numbers of operands are refused") {
    check_refused("add.s32 %r1, %r2;", "takes 3 operands, not 2");
    check_refused("bar.sync;", "takes 1 to 2 operands, not 0");
    check_refused("bar.red.popc.u32 %r1, 0;", "takes 3 or 4 operands, not 2");
    check_refused("mov.u32 %r1;", "mov takes 2 operands");
    check_refused("ret %r1;", "takes 0 operands, not 1");
}

TEST_CASE("registers of another type are refused") {
    check_refused("add.s32 %f1, %r1, %r2;", "register %f1 is .f32 where .s32 is needed");
    check_refused("add.f32 %f1, %f2, %fd1;", "register %fd1 is .f64 where .f32 is needed");
    check_refused("add.s32 %r1, %r2, %rd1;", "register %rd1 is .b64 where .s32 is needed");
    check_refused("shl.b64 %rd1, %rd2, %rd3;", "register %rd3 is .b64 where .u32 is needed");
    check_refused("ld.global.u64 %r1, [%rd1];", "register %r1 is .b32 where .u64 is needed (or a wider one");
    check_refused("ld.global.u8 %f1, [%rd1];", "register %f1 is .f32");
    check_refused("selp.b32 %r1, 1, 0, %r2;", "register %r2 is .b32 where .pred is needed");
    check_refused("mov.u32 %f1, %r1;", "register %f1 is .f32");
    check_refused("@%r1 mov.u32 %r1, 1;", "not a register of type .pred");
    check_refused("add.s32 %r1, !%r2, 1;", "! can stand only before a predicate register");
}

TEST_CASE("constants of another kind are refused") {
    check_refused("mov.f32 %f1, 1;", "an integer constant cannot be .f32");
    check_refused("add.s32 %r1, %r2, 1.5;", "a floating-point constant of this size cannot be .s32");
    check_refused("mov.b64 %rd1, 0f3F800000;", "a floating-point constant of this size cannot be .b64");
    check_refused("lop3.b32 %r1, %r2, %r3, %r4, %r5;", "must be a constant");
    check_refused("mov.u32 %r1, 0f3F8;", "is not a number");
    check_refused("mov.u32 %r1, 99999999999999999999;", "is not a number");
}

TEST_CASE("undeclared names are refused") {
    check_refused("add.s32 %r1, %r2, %q3;", "unknown name `%q3`");
    check_refused("add.s32 %r10, %r2, %r3;", "unknown name `%r10`");
    check_refused("add.s32 %r01, %r2, %r3;", "unknown name `%r01`");
    check_refused("ld.global.u32 %r1, [nothing];", "unknown name `nothing`");
    check_refused("@%q bra L;", "unknown predicate register `%q`");
    check_refused("call later, (%r1);", "unknown function `later`");
    check_refused("bra nowhere;", "no label `nowhere`");
}

TEST_CASE("a label inside a block cannot be reached from outside") {
    check_text_refused(with_body("{ L: mov.u32 %r1, 1; }\nbra L;"), "test.ptx:10: `bra L`", "no label `L`");
}

TEST_CASE("duplicate declarations are refused") {
    const auto duplicate = [](const std::string& body) { return refusal(with_body(body)); };
    CHECK(contains(duplicate(".reg .b32 %r3;"), "`%r3` is declared twice"));
    CHECK(contains(duplicate(".reg .b32 %r<3>;"), "`%r<...>` are declared twice"));
    CHECK(contains(duplicate(".reg .b32 a; .reg .b32 a;"), "`a` is declared twice"));
    CHECK(contains(duplicate(".reg .b32 %q2; .reg .b32 %q<3>;"), "`%q2` is declared twice"));
    CHECK(contains(duplicate("L: mov.u32 %r1, 1; L: mov.u32 %r1, 1;"), "`L` is declared twice"));
    CHECK(contains(refusal(with_header(".global .u32 a; .global .u32 a;")), "`a` is declared twice"));
    CHECK(contains(refusal(with_header(".entry k() { ret; } .entry k() { ret; }")), "`k` has two bodies"));
    CHECK(contains(refusal(with_header(".entry k(.param .u32 a, .param .u32 a) { ret; }")), "`a` is declared twice"));
    CHECK(contains(refusal(with_header(".func f(.param .u32 a); .func f(.param .u64 a) { ret; }")),
                   "with other parameters on line 4"));
}

TEST_CASE("a declaration that agrees with neither its register range nor its end is accepted at the range's edge") {
    CHECK(refusal(with_body(".reg .b32 %q3; .reg .b32 %q<3>; mov.u32 %q2, %q3;")) == "accepted");
}

TEST_CASE("addresses must fit their state space") {
    check_refused("ld.global.u32 %r1, [shm];", "variable `shm` is in state space shared");
    check_refused("ld.global.u32 %r1, [%r1];", "a global address has 64 bits, not 32");
    check_refused("ld.u32 %r1, [%r1];", "a generic address has 64 bits, not 32");
    check_refused("ld.global.u32 %r1, [%f1];", "cannot hold an address");
    check_refused("ld.global.u32 %r1, [16];", "only in state space local");
    check_refused("ld.global.u32 %r1, %rd1;", "expected an address in brackets");
    check_refused("ld.global.u32 %r1, [foo];", "function `foo` is not data");
    check_refused("ld.global.u32 %r1, [%tid.x];", "a special register cannot be an address");
    check_refused("ld.global.u32 %r1, [sym+%rd1];", "expected a constant");
    check_refused("st.param.u32 [p0], %r1;", "is an input and cannot be written");
    check_refused("st.u32 [cst], %r1;", "in state space const");
    check_refused("atom.add.u32 %r1, [depot], 1;", "in state space local");
    check_refused("cvta.global.u64 %rd1, shm;", "in state space shared, not in global");
    check_refused("mov.u32 %r1, sym;", "a global address has 64 bits, not 32");
}

TEST_CASE("special registers and symbols are operands of few instructions") {
    check_refused("add.u32 %r1, %tid.x, 1;", "%tid.x can be read only by mov");
    check_refused("add.u64 %rd1, sym, 1;", "the address of variable `sym` can be an operand only of mov and cvta");
    check_refused("mov.u64 %rd1, %tid.x;", "%tid.x is .u32");
    check_refused("mov.f32 %f1, %tid.x;", "cannot be read as .f32");
    check_refused("mov.u32 %r1, %envreg3;", "special register %envreg3 is not supported");
    check_refused("mov.u32 %r1, %clusterid.x;", "special register %clusterid.x is not supported");
}

TEST_CASE("conversions need exactly the rounding that they can have") {
    check_refused("cvt.f32.s32 %f1, %r1;", "needs .rn, .rz, .rm or .rp");
    check_refused("cvt.rzi.f32.s32 %f1, %r1;", "needs .rn, .rz, .rm or .rp");
    check_refused("cvt.s32.f32 %r1, %f1;", "needs .rni, .rzi, .rmi or .rpi");
    check_refused("cvt.rn.f64.f32 %fd1, %f1;", "takes no rounding");
    check_refused("cvt.rn.f32.f32 %f1, %f2;", ".rni, .rzi, .rmi, .rpi or no rounding");
    check_refused("cvt.rzi.s32.s32 %r1, %r2;", "takes no rounding");
    check_refused("cvt.ftz.f64.f64 %fd1, %fd2;", ".ftz applies only to conversions from or to .f32");
}

TEST_CASE("vectors have the width that the instruction says, and 16 bytes at most") {
    check_refused("ld.global.v2.u32 {%r1,%r2,%r3}, [%rd1];", "a vector of 2 elements");
    check_refused("ld.global.v2.u32 %rd1, [%rd1];", "a vector of 2 elements");
    check_refused("ld.global.v4.u64 {%rd1,%rd2,%rd3,%rd4}, [%rd1];", "at most 16 bytes");
    check_refused("mov.b64 {%r1,%r2}, {%r3,%r4};", "mov packs");
    check_refused("mov.u64 %rd1, {%r3,%r4};", "mov packs");
    check_refused("mov.b32 %r1, {%rs1,%rs2,%rs3};", "mov packs");
    check_refused("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1}];", "takes 2 coordinates");
    check_refused("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [sym, {%f1,%f2}];", "as texture objects");
    check_refused("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, %rd2, {%f1,%f2}];", "separate sampler");
}

TEST_CASE("results are registers") {
    check_refused("add.s32 5, %r1, %r2;", "expected a register as the destination");
    check_refused("add.s32 _, %r1, %r2;", "expected a register as the destination");
    check_refused("add.s32 %r1|%p1, %r1, %r2;", "no second destination");
    check_refused("setp.eq.s32 %p1|%r1, %r1, %r2;", "register %r1 is .b32 where .pred is needed");
    check_refused("and.pred !%p1, %p2, %p3;", "a destination cannot be negated");
}

TEST_CASE("calls must agree with what they call") {
    check_refused("call foo;", "the callee has 1 results, the call 0");
    check_refused("call (%r1), foo;", "the callee has 1 parameters, the call 0");
    check_refused("call (%r1), foo, (%rd1);", "does not agree with parameter `a`");
    check_refused("call k, (%rd1);", "not a device function");
    check_refused("call sym, (%rd1);", "not a device function");
    check_refused("call (%r1), %rd1, (%r1), proto;", "no .callprototype `proto`");
    check_refused("call (%r1), %rd1, (%r1);", "expected ',' before an indirect call's .callprototype");
    check_refused("call %rd1;", "needs the name of its .callprototype");
    check_refused("brx.idx %r1, list;", "no .branchtargets list `list`");
}

TEST_CASE("malformed statements are refused where they are") {
    check_text_refused(with_body("add.s32 %r1, %r2, %r3\nmov.u32 %r1, 1;"), "test.ptx:10: ", "expected ';'");
    check_text_refused(with_body("mov.u32 %r1, {;"), "test.ptx:9: ", "expected an operand, found `;`");
    check_text_refused(with_body("ld.global.u32 %r1, [%rd1;"), "test.ptx:9: ", "expected ']'");
    check_text_refused(with_body(";"), "test.ptx:9: ", "expected an instruction");
    check_text_refused(with_body("} ret;"), "test.ptx:9: ", "expected a directive");
    check_text_refused(with_header(".entry k() { ret;"), "test.ptx:4: ", "has no closing }");
    check_text_refused(with_body(".frob x;"), "test.ptx:9: ", "directive .frob is not supported in a function");
    check_text_refused(with_body(".reg .v2 .f32 v;"), "test.ptx:9: ", "vector registers are not supported");
    check_text_refused(with_body(".reg .b128 v;"), "test.ptx:9: ", "registers of type .b128 are not supported");
    check_text_refused(with_body(".reg .b32 %big<99999999>;"), "test.ptx:9: ", "a number of registers");
}

TEST_CASE("files must begin with a version that is known") {
    check_text_refused("", "test.ptx:1: ", "begins with .version");
    check_text_refused(".target sm_75", "test.ptx:1: ", "begins with .version");
    check_text_refused(".version 1.4\n.target sm_10", "test.ptx:1: ", "2.0 to 9.x");
    check_text_refused(".version 10.0\n.target sm_75", "test.ptx:1: ", "2.0 to 9.x");
    check_text_refused(".version nine", "test.ptx:1: ", "not a PTX version");
    check_text_refused(".version 9.0\n", "test.ptx:2: ", "needs a .target");
    check_text_refused(".version 9.0\n.target gpu", "test.ptx:2: ", "target option `gpu`");
    check_text_refused(".version 9.0\n.target sm_75\n.address_size 16", "test.ptx:3: ", "32 or 64 bits");
}

TEST_CASE("malformed and unsupported declarations are refused") {
    const auto refused = [](const std::string& declaration, const std::string& hint) {
        check_text_refused(with_header(declaration), "test.ptx:4: ", hint);
    };
    refused(".global .texref t;", ".texref is not supported");
    refused(".global .pred p;", ".pred is not supported in a variable's declaration");
    refused(".global .align 3 .u32 x;", "a power of two");
    refused(".global .u32 x[99999999999999];", "an array's size");
    refused(".global .u32 x[1000000][1000000][1000000];", "too large");
    refused(".global .u32 x[];", "has no size");
    refused(".global .u32 x[2] = {1,2,3};", "more initial values than the 2");
    refused(".global .u32 x[2] = 1;", "expected '{'");
    refused(".global .f32 x = 1;", "cannot be .f32");
    refused(".global .u16 x = y;", "unknown symbol `y`");
    refused(".global .u16 y; .global .u16 x = y;", "an address does not fit into .u16");
    refused(".global .u8 y; .global .u8 x = 0xF0(y);", "selects one byte");
    refused(".shared .u32 x = 1;", "only .global and .const");
    refused(".local .u32 x;", "must be declared inside functions");
    refused(".global .attribute(.unified) .u32 x;", "attribute .unified is not supported; supported: .managed");
    refused(".global .attribute(.managed .u32 x;", "expected ')' after the attribute");
    refused(".alias a, b;", "`.alias` is not supported at the top");
    refused(".extern .func f(.param .b8 a[]);", "variable argument lists");
    refused(".entry k() .unknown { ret; }", "directive .unknown is not supported");
    refused(".entry k(.param .b8 a[40000]) { ret; }", "40000 bytes of parameters; 32764 are supported");
    refused(".entry k(.reg .u32 a) { ret; }", "a kernel's parameters must be .param");
    refused(".global .u32 x", "expected ';'");
    refused("x", "expected a directive");
}

TEST_CASE("a short text cannot ask for unlimited memory") {
    check_text_refused(with_header(".global .u8 x[67108865] = {1};"), "test.ptx:4: ", "larger than 67108864 bytes");
    std::string many;
    for (int i = 0; i < 5; ++i) { many += ".global .u8 x" + std::to_string(i) + "[67108864] = {1};\n"; }
    check_text_refused(with_header(many), "test.ptx:8: ", "larger than 268435456 bytes together");
}

TEST_CASE("long statements are shortened in messages") {
    const std::string message = refusal(with_body("frob " + std::string(5000, 'x') + ";"));
    CHECK(message.find(" ...`") != std::string::npos);
    CHECK(message.size() < 1500);
}

TEST_CASE("deep nesting is refused, not followed until the stack ends") {
    CHECK(contains(refusal(with_body(std::string(100000, '{'))), "nested too deeply"));
    CHECK(contains(refusal(with_body("mov.u32 %r1, " + std::string(100000, '(') + ";")), "nested too deeply"));
    std::string dimensions;
    for (int i = 0; i < 100000; ++i) { dimensions += "[1]"; }
    CHECK(contains(refusal(with_header(".global .u8 x" + dimensions + " = " + std::string(100000, '{'))),
                   "too many dimensions"));
}

}  // namespace lookahead::ptx
