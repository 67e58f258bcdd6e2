#include <doctest/doctest.h>

#include "tests/components/frontend/ptx/test_support.h"

namespace lookahead::ptx {
namespace {

using test::first_instruction;
using test::parse;
using test::with_body;

const Function kernel_of(const std::string& body) {
    return *parse(with_body(body)).find_kernel("k");
}

}  // namespace

TEST_CASE("operands are typed by the instruction, destinations first") {
    const Instruction i = first_instruction("add.s32 %r1, %r2, -5;");
    CHECK(i.opcode == Opcode::add);
    CHECK(i.type() == Type::s32);
    REQUIRE(i.destinations().size() == 1);
    REQUIRE(i.sources().size() == 2);
    CHECK(i.destinations()[0].kind == OperandKind::reg);
    CHECK(i.destinations()[0].type == Type::s32);
    CHECK(i.sources()[1].kind == OperandKind::immediate);
    CHECK(i.sources()[1].value == 0xfffffffbU);
}

TEST_CASE("only registers that are used become registers of the function") {
    const Function kernel = kernel_of("add.s32 %r7, %r2, %r7;");
    REQUIRE(kernel.registers.size() == 2);
    CHECK(kernel.registers[0].name == "%r7");
    CHECK(kernel.registers[0].type == Type::b32);
    CHECK(kernel.instructions[0].operands[2].reg == 0);
}

TEST_CASE("a wide product has a destination of twice the width") {
    const Instruction i = first_instruction("mul.wide.s32 %rd1, %r1, 4;");
    CHECK(i.modifiers.mul_mode == MulMode::wide);
    CHECK(i.operands[0].type == Type::s64);
    CHECK(i.operands[1].type == Type::s32);
    const Instruction j = first_instruction("mad.wide.u16 %r1, %rs1, %rs2, %r2;");
    CHECK(j.operands[3].type == Type::u32);
}

TEST_CASE("the value of a load or store may be a vector of one element, which is the element") {
    const Instruction load = first_instruction("ld.global.b32 { %r1 }, [ %rd1 + 4 ];");
    CHECK(load.modifiers.vector_width == 1);
    CHECK(load.operands[0].kind == OperandKind::reg);
    CHECK(load.operands[0].type == Type::b32);
    const Instruction store = first_instruction("@%p1 st.global.b32 [ %rd1 + 0 ], { %r2 };");
    CHECK(store.operands[1].kind == OperandKind::reg);
    CHECK(first_instruction("st.shared.u32 [%r1], {7};").operands[1].value == 7);
}

TEST_CASE("guards name a predicate and may be negated") {
    const Instruction plain = first_instruction("@%p3 mov.u32 %r1, 1;");
    REQUIRE(plain.guard);
    CHECK_FALSE(plain.guard->negated);
    const Instruction negated = first_instruction("@!%p3 mov.u32 %r1, 1;");
    REQUIRE(negated.guard);
    CHECK(negated.guard->negated);
    CHECK_FALSE(first_instruction("mov.u32 %r1, 1;").guard);
}

TEST_CASE("a comparison may have two destinations and a further predicate") {
    const Instruction i = first_instruction("setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3;");
    CHECK(i.modifiers.comparison == Comparison::lt);
    CHECK(i.modifiers.combine == Combine::and_);
    CHECK(i.destination_count == 2);
    REQUIRE(i.sources().size() == 3);
    CHECK(i.sources()[2].negated);
    CHECK(i.sources()[2].type == Type::pred);
    const Instruction j = first_instruction("setp.ne.f32 _|%p2, %f1, %f2;");
    CHECK(j.operands[0].kind == OperandKind::sink);
    CHECK(j.operands[1].kind == OperandKind::reg);
}

TEST_CASE("lo, ls, hi, hs are the unsigned comparisons") {
    CHECK(first_instruction("setp.lo.u32 %p1, %r1, 5;").modifiers.comparison == Comparison::lt);
    CHECK(first_instruction("setp.ls.u32 %p1, %r1, 5;").modifiers.comparison == Comparison::le);
    CHECK(first_instruction("setp.hi.u64 %p1, %rd1, 5;").modifiers.comparison == Comparison::gt);
    CHECK(first_instruction("setp.hs.u16 %p1, %rs1, 5;").modifiers.comparison == Comparison::ge);
}

TEST_CASE("rounding, flushing and saturation are told apart") {
    const Modifiers m = first_instruction("fma.rz.ftz.sat.f32 %f1, %f2, %f3, 0f3F800000;").modifiers;
    CHECK(m.rounding == Rounding::rz);
    CHECK(m.ftz);
    CHECK(m.saturate);
    const Modifiers plain = first_instruction("add.f32 %f1, %f2, %f3;").modifiers;
    CHECK(plain.rounding == Rounding::none);
    CHECK_FALSE(plain.ftz);
    CHECK_FALSE(plain.saturate);
}

TEST_CASE("conversions have two types, and wider registers may stand on both sides") {
    const Instruction i = first_instruction("cvt.rzi.ftz.s32.f32 %rd1, %f1;");
    CHECK(i.modifiers.types[0] == Type::s32);
    CHECK(i.modifiers.types[1] == Type::f32);
    CHECK(i.modifiers.rounding == Rounding::rzi);
    CHECK(i.operands[0].type == Type::s32);
    CHECK(i.operands[1].type == Type::f32);
    CHECK(first_instruction("cvt.u8.u32 %r1, %rd1;").operands[1].type == Type::u32);
}

TEST_CASE("loads have a space, an address and defaults for ordering") {
    const Instruction i = first_instruction("ld.global.nc.v4.f32 {%f1,%f2,_,%f4}, [%rd1+-16];");
    CHECK(i.modifiers.space == StateSpace::global);
    CHECK(i.modifiers.non_coherent);
    CHECK(i.modifiers.vector_width == 4);
    CHECK(i.modifiers.semantics == Semantics::weak);
    CHECK(i.modifiers.scope == Scope::none);
    REQUIRE(i.operands[0].kind == OperandKind::vector);
    CHECK(i.operands[0].elements[2].kind == OperandKind::sink);
    const Operand& address = i.sources()[0];
    CHECK(address.kind == OperandKind::address);
    CHECK(address.has_base);
    CHECK(address.offset() == -16);
    CHECK(address.type == Type::u64);
}

TEST_CASE("modifiers may come in any order") {
    for (const char* body : {"ld.volatile.shared.u32 %r1, [%r2];", "ld.shared.volatile.u32 %r1, [%r2];"}) {
        const Modifiers m = first_instruction(body).modifiers;
        CHECK(m.semantics == Semantics::volatile_);
        CHECK(m.scope == Scope::sys);
        CHECK(m.space == StateSpace::shared);
    }
    for (const char* body :
         {"ld.relaxed.gpu.global.v2.u32 {%r1,%r2}, [%rd1];", "ld.global.relaxed.gpu.v2.u32 {%r1,%r2}, [%rd1];"}) {
        const Modifiers m = first_instruction(body).modifiers;
        CHECK(m.semantics == Semantics::relaxed);
        CHECK(m.scope == Scope::gpu);
    }
}

TEST_CASE("a generic access to a variable is one to the variable's state space") {
    CHECK(first_instruction("ld.u32 %r1, [shm+4];").modifiers.space == StateSpace::shared);
    CHECK(first_instruction("ld.u32 %r1, [p0];").modifiers.space == StateSpace::param);
    CHECK(first_instruction("ld.u32 %r1, [%rd1];").modifiers.space == StateSpace::generic);
    const Instruction store = first_instruction("st.u32 [sym+8], 7;");
    CHECK(store.modifiers.space == StateSpace::global);
    CHECK(store.destination_count == 0);
    CHECK(store.operands[0].symbol == SymbolReference{SymbolKind::module_variable, 0});
    CHECK(store.operands[0].offset() == 8);
    CHECK(store.operands[1].value == 7);
}

TEST_CASE("parameters are addresses of their own kind") {
    const Instruction i = first_instruction("ld.param.f64 %fd1, [st+8];");
    CHECK(i.operands[1].symbol == SymbolReference{SymbolKind::parameter, 1});
    CHECK(i.operands[1].offset() == 8);
}

TEST_CASE("shared memory may be addressed with 32 bits") {
    CHECK(first_instruction("ld.shared.u32 %r1, [%r2+4];").operands[1].type == Type::u32);
}

TEST_CASE("atomics are relaxed at the scope of the GPU unless they say otherwise") {
    const Modifiers plain = first_instruction("atom.global.add.u32 %r1, [%rd1], 1;").modifiers;
    CHECK(plain.semantics == Semantics::relaxed);
    CHECK(plain.scope == Scope::gpu);
    CHECK(plain.atomic == AtomicOperation::add);
    const Modifiers strong = first_instruction("atom.acq_rel.sys.shared.exch.b64 %rd1, [%r1], %rd2;").modifiers;
    CHECK(strong.semantics == Semantics::acq_rel);
    CHECK(strong.scope == Scope::sys);
    CHECK(strong.space == StateSpace::shared);
    const Instruction swap = first_instruction("atom.cas.b32 %r1, [%rd1], %r2, 3;");
    CHECK(swap.sources().size() == 3);
    CHECK(first_instruction("atom.global.min.s32 _, [%rd1], %r2;").operands[0].kind == OperandKind::sink);
    CHECK(first_instruction("red.global.add.f32 [%rd1], %f2;").destination_count == 0);
}

TEST_CASE("moves read special registers, symbols and constants") {
    CHECK(first_instruction("mov.u32 %r1, %ctaid.y;").operands[1].special == SpecialRegister::ctaid_y);
    CHECK(first_instruction("mov.u64 %rd1, %clock64;").operands[1].special == SpecialRegister::clock64);
    CHECK(first_instruction("mov.u32 %r1, WARP_SZ;").operands[1].value == 32);
    CHECK(first_instruction("mov.f32 %f1, 0f3F800000;").operands[1].value == 0x3f800000U);
    CHECK(first_instruction("mov.f64 %fd1, 0d3FF0000000000000;").operands[1].value == 0x3ff0000000000000U);
    const Instruction symbol = first_instruction("mov.u64 %rd1, sym+12;");
    CHECK(symbol.operands[1].kind == OperandKind::symbol);
    CHECK(symbol.operands[1].offset() == 12);
    CHECK(first_instruction("mov.pred %p1, !%p2;").operands[1].negated);
    CHECK(first_instruction("mov.u64 %rd1, foo;").operands[1].symbol.kind == SymbolKind::function);
}

TEST_CASE("moves pack and unpack vectors") {
    const Instruction pack = first_instruction("mov.b64 %rd1, {%r1, %r2};");
    CHECK(pack.operands[1].kind == OperandKind::vector);
    CHECK(pack.operands[1].elements[0].type == Type::b32);
    const Instruction unpack = first_instruction("mov.b32 {_, %rs2}, %r1;");
    CHECK(unpack.destination_count == 1);
    CHECK(unpack.operands[0].elements[0].kind == OperandKind::sink);
    CHECK(unpack.operands[0].elements[1].type == Type::b16);
    CHECK(first_instruction("mov.b64 %fd1, {%rs1, %rs2, %rs3, 4};").operands[1].elements[3].value == 4);
}

TEST_CASE("cvta goes both ways and takes symbols only from their own space") {
    CHECK(first_instruction("cvta.to.global.u64 %rd1, %rd2;").modifiers.to);
    const Instruction from = first_instruction("cvta.shared.u64 %rd1, shm;");
    CHECK_FALSE(from.modifiers.to);
    CHECK(from.operands[1].kind == OperandKind::symbol);
}

TEST_CASE("barriers have a kind, an id and perhaps a count") {
    const Instruction all = first_instruction("bar.sync 0;");
    CHECK(all.modifiers.barrier == BarrierKind::sync);
    CHECK(all.modifiers.aligned);
    CHECK(all.operands.size() == 1);
    CHECK(first_instruction("bar.sync 1, 64;").operands[1].value == 64);
    CHECK_FALSE(first_instruction("barrier.sync %r1;").modifiers.aligned);
    CHECK(first_instruction("barrier.sync.aligned 0;").modifiers.aligned);
    CHECK(first_instruction("bar.warp.sync -1;").opcode == Opcode::bar_warp_sync);
    const Instruction count = first_instruction("bar.red.popc.u32 %r1, 0, %p1;");
    CHECK(count.modifiers.combine == Combine::popc);
    CHECK(count.operands.size() == 3);
    const Instruction some = first_instruction("bar.red.and.pred %p1, 0, 64, !%p2;");
    CHECK(some.operands[2].value == 64);
    CHECK(some.operands[3].negated);
}

TEST_CASE("membar is a sequentially consistent fence") {
    CHECK(first_instruction("membar.gl;").modifiers.scope == Scope::gpu);
    CHECK(first_instruction("membar.gl;").modifiers.semantics == Semantics::sc);
    CHECK(first_instruction("fence.cta;").modifiers.semantics == Semantics::acq_rel);
    CHECK(first_instruction("fence.sc.sys;").modifiers.semantics == Semantics::sc);
}

TEST_CASE("warp-wide instructions have modes, and old ones no mask") {
    const Instruction i = first_instruction("shfl.sync.bfly.b32 %r1|%p1, %f2, 1, 31, -1;");
    CHECK(i.modifiers.shuffle == ShuffleMode::bfly);
    CHECK(i.modifiers.sync);
    CHECK(i.destination_count == 2);
    CHECK(i.sources().size() == 4);
    const Instruction old = first_instruction("shfl.down.b32 %r1, %r2, 1, 31;");
    CHECK_FALSE(old.modifiers.sync);
    CHECK(old.destination_count == 1);
    CHECK(first_instruction("vote.sync.ballot.b32 %r1, %p1, -1;").modifiers.vote == VoteMode::ballot);
    CHECK(first_instruction("match.all.sync.b64 %r1|%p1, %rd1, -1;").modifiers.vote == VoteMode::all);
    CHECK(first_instruction("redux.sync.max.s32 %r1, %r2, -1;").modifiers.atomic == AtomicOperation::max);
}

TEST_CASE("textures have an object, coordinates and four results") {
    const Instruction i = first_instruction("tex.a2d.v4.f32.f32 {%f1,%f2,%f3,_}, [%rd1, {%r1,%f1,%f2,%f3}];");
    CHECK(i.modifiers.geometry == TextureGeometry::a2d);
    CHECK(i.operands[0].elements.size() == 4);
    REQUIRE(i.operands[1].kind == OperandKind::texture);
    REQUIRE(i.operands[1].elements.size() == 5);
    CHECK(i.operands[1].elements[0].type == Type::b64);
    CHECK(i.operands[1].elements[1].type == Type::u32);
    CHECK(i.operands[1].elements[2].type == Type::f32);
    CHECK(first_instruction("tex.1d.v4.s32.s32 {%r1,%r2,%r3,%r4}, [%rd1, {%r1}];").operands[1].elements.size() == 2);
}

TEST_CASE("surfaces have an object, coordinates, vectors of one to four elements and what to do outside") {
    const Instruction load = first_instruction("suld.b.2d.b8.clamp {%rs1}, [%rd1, {%r3, %r2}];");
    CHECK(load.opcode == Opcode::suld);
    CHECK(load.modifiers.surface_bound == SurfaceBound::clamp);
    CHECK(load.operands[0].elements.size() == 1);
    CHECK(load.operands[1].elements.size() == 3);
    const Instruction store = first_instruction("sust.b.a2d.v2.b32.zero [%rd1, {%r1, %r2, %r3, %r3}], {%r4, %r5};");
    CHECK(store.opcode == Opcode::sust);
    CHECK(store.destination_count == 0);
    CHECK(store.operands[0].elements.size() == 5);
    CHECK(store.operands[1].elements.size() == 2);
}

TEST_CASE("calls pass .param variables of the block around them") {
    const Function kernel = kernel_of(
        "{ // callseq\n.param .b32 param0;\nst.param.b32 [param0+0], %r1;\n.param .b32 retval0;\n"
        "call.uni (retval0),\nfoo,\n(\nparam0\n);\nld.param.b32 %r2, [retval0+0];\n}");
    const Instruction& call = kernel.instructions[1];
    CHECK(call.opcode == Opcode::call);
    CHECK(call.modifiers.uniform);
    REQUIRE(call.destination_count == 1);
    CHECK(call.operands[0].elements[0].symbol.kind == SymbolKind::function_variable);
    CHECK(call.operands[1].symbol.kind == SymbolKind::function);
    CHECK(call.operands[2].elements.size() == 1);
    CHECK(call.line == test::kBodyLine + 4);
}

TEST_CASE("indirect calls name their prototype") {
    const Function kernel = kernel_of(
        "{ .param .b32 a; .param .b32 r; proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "call (r), %rd1, (a), proto; }");
    const Instruction& call = kernel.instructions[0];
    CHECK(call.operands[1].kind == OperandKind::reg);
    CHECK(call.operands[3].kind == OperandKind::prototype);
    CHECK(kernel.prototypes[call.operands[3].target].parameters.size() == 1);
}

TEST_CASE("labels lead to the instruction that follows them") {
    const Function kernel = kernel_of("bra.uni END;\nTOP: L2: add.s32 %r1, %r1, 1;\n@%p1 bra L2;\nEND:");
    CHECK(kernel.instructions[0].operands[0].target == 3);
    CHECK(kernel.instructions[0].modifiers.uniform);
    CHECK(kernel.instructions[2].operands[0].target == 1);
    CHECK(kernel.labels.size() == 3);
}

TEST_CASE("a label may stand at the very end of a function") {
    const Module module = parse(test::with_header(".entry k() { bra E; E: }"));
    CHECK(module.functions[0].instructions[0].operands[0].target == 1);
}

TEST_CASE("blocks have labels and registers of their own, and see those around them") {
    const Function kernel = kernel_of(
        "{ .reg .u32 x; .reg .pred p; L: mov.u32 x, %r1; @p bra L; @p bra OUT; }\n"
        "{ .reg .f32 x; L: mov.f32 x, %f1; bra L; }\nOUT:");
    CHECK(kernel.instructions[1].operands[0].target == 0);
    CHECK(kernel.instructions[2].operands[0].target == 5);
    CHECK(kernel.instructions[4].operands[0].target == 3);
    CHECK(kernel.registers[kernel.instructions[0].operands[0].reg].type == Type::u32);
    CHECK(kernel.registers[kernel.instructions[3].operands[0].reg].type == Type::f32);
}

TEST_CASE("an inner register hides an outer one only inside its block") {
    const Function kernel = kernel_of("{ .reg .b32 %r1; mov.u32 %r1, 1; } mov.u32 %r1, 2;");
    CHECK(kernel.instructions[0].operands[0].reg != kernel.instructions[1].operands[0].reg);
}

TEST_CASE("prefixes of register ranges may end with digits") {
    const Function kernel = kernel_of(".reg .b64 %x1<5>; .reg .b32 %x<9>; mov.u64 %x14, 1; mov.u32 %x8, 2;");
    CHECK(kernel.registers[kernel.instructions[0].operands[0].reg].type == Type::b64);
    CHECK(kernel.registers[kernel.instructions[1].operands[0].reg].type == Type::b32);
}

TEST_CASE("an indexed branch has the targets of its list") {
    const Function kernel = kernel_of("T: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: mov.u32 %r1, 1;\nB:");
    REQUIRE(kernel.instructions[0].operands[1].kind == OperandKind::labels);
    CHECK(kernel.instructions[0].operands[1].targets == std::vector<std::uint32_t>{1, 2, 1});
}

TEST_CASE("device functions may have registers as parameters") {
    const Module module =
        parse(test::with_header(".func (.reg .b32 r) f(.reg .b32 a, .reg .f64 b) { mov.b32 r, a; ret; }\n"
                                ".entry k() { .reg .b32 %r<3>; .reg .f64 %d; call (%r1), f, (%r2, %d); ret; }"));
    const Function& f = *module.find_function("f");
    CHECK(f.parameters[0].in_register);
    CHECK(f.instructions[0].operands[1].reg == f.parameters[0].reg);
    CHECK(f.instructions[0].operands[0].reg == f.return_parameters[0].reg);
}

TEST_CASE("packed and carrying arithmetic keeps its modifiers") {
    CHECK(first_instruction("mad.hi.cc.u32 %r1, %r2, %r3, %r4;").modifiers.carry_out);
    CHECK_FALSE(first_instruction("addc.u32 %r1, %r2, %r3;").modifiers.carry_out);
    const Modifiers shift = first_instruction("shf.r.wrap.b32 %r1, %r2, %r3, %r4;").modifiers;
    CHECK(shift.direction == ShiftDirection::right);
    CHECK(shift.overflow == ShiftOverflow::wrap);
    CHECK(first_instruction("bfind.shiftamt.s32 %r1, %r2;").modifiers.shift_amount);
    CHECK(first_instruction("prmt.b32.rc8 %r1, %r2, %r3, %r4;").modifiers.permute == PermuteMode::rc8);
    const Modifiers dot = first_instruction("dp4a.u32.s32 %r1, %r2, %r3, %r4;").modifiers;
    CHECK(dot.types[0] == Type::u32);
    CHECK(dot.types[1] == Type::s32);
    CHECK(first_instruction("vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;").modifiers.accumulate);
    CHECK(first_instruction("prefetch.global.L2 [%rd1];").modifiers.prefetch_level == PrefetchLevel::l2);
    CHECK(first_instruction("lop3.b32 %r1, %r2, %r3, %r4, 0xE8;").operands[4].value == 0xe8);
}

}  // namespace lookahead::ptx
