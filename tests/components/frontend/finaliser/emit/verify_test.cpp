#include <doctest/doctest.h>

#include "components/frontend/finaliser/emit/emit.h"
#include "components/frontend/finaliser/emit/print.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;
using isa::Operation;

namespace {

isa::Kernel good() {
    return kernel_of(
        "setp.eq.u32 %p0, %a, 0; @%p0 bra L; ld.global.u64 %rd0, [%out]; add.s64 %rd0, %rd0, 3; st.global.u64 [%out], "
        "%rd0;"
        "\nL:\nst.global.u32 [%out+8], 1;");
}

isa::Instruction& first(isa::Kernel& kernel, Operation operation) {
    for (isa::Instruction& instruction : kernel.code) {
        if (instruction.operation == operation) { return instruction; }
    }
    throw std::runtime_error("the kernel has no such instruction");
}

template <typename Change>
void check_refused(const char* rule, Change change) {
    isa::Kernel kernel = good();
    REQUIRE_NOTHROW(verify(kernel));
    change(kernel);
    CHECK_THROWS_WITH_AS(verify(kernel), doctest::Contains(rule), InternalError);
}

}  // namespace

TEST_CASE("registers beyond the kernel's count are found") {
    check_refused("register number", [](isa::Kernel& k) { first(k, Operation::load).destination = 2; });
    check_refused("register number", [](isa::Kernel& k) { first(k, Operation::store).source[1].index = 2; });
    check_refused("register number", [](isa::Kernel& k) { k.registers = 1; });
}

TEST_CASE("pairs at odd registers are found") {
    check_refused("aligned", [](isa::Kernel& k) {
        k.registers = 8;
        first(k, Operation::add).destination = 3;
    });
}

TEST_CASE("predicates beyond the kernel's count are found") {
    check_refused("guard", [](isa::Kernel& k) { first(k, Operation::bra).guard = 1; });
    check_refused("destination predicate", [](isa::Kernel& k) { first(k, Operation::setp).destination_predicate = 7; });
    check_refused("source predicate", [](isa::Kernel& k) { first(k, Operation::add).source_predicate = 1; });
    check_refused("too many", [](isa::Kernel& k) { k.predicates = 8; });
}

TEST_CASE("branches out of the code, and targets of other instructions, are found") {
    check_refused("branch target",
                  [](isa::Kernel& k) { first(k, Operation::bra).target = static_cast<std::uint32_t>(k.code.size()); });
    check_refused("only branches", [](isa::Kernel& k) { first(k, Operation::add).target = 0; });
}

TEST_CASE("wrong reconvergence points are found") {
    check_refused("post-dominator", [](isa::Kernel& k) { first(k, Operation::bra).reconvergence = isa::kNoTarget; });
    check_refused("post-dominator", [](isa::Kernel& k) { --first(k, Operation::bra).reconvergence; });
}

TEST_CASE("operands whose rows do not match the type are found") {
    check_refused("source's rows", [](isa::Kernel& k) { first(k, Operation::add).source[0].rows = 1; });
    check_refused("destination's rows", [](isa::Kernel& k) { first(k, Operation::load).type = isa::Type::u32; });
    check_refused("source's rows", [](isa::Kernel& k) { first(k, Operation::store).source[1] = {}; });
    check_refused("without a destination",
                  [](isa::Kernel& k) { first(k, Operation::setp).destination_predicate = isa::kNoPredicate; });
}

TEST_CASE("constant rows beyond the launch's are found") {
    check_refused("constant row", [](isa::Kernel& k) {
        first(k, Operation::add).source[1].index = static_cast<std::uint16_t>(k.constant_rows() - 1);
    });
}

TEST_CASE("code that control can run off is found") {
    check_refused("run off", [](isa::Kernel& k) { k.code.pop_back(); });
    check_refused("run off", [](isa::Kernel& k) { k.code.back().guard = 0; });
    check_refused("no code", [](isa::Kernel& k) { k.code.clear(); });
}

TEST_CASE("a kernel prints as assembly") {
    CHECK(print(good()) ==
          "// k: 2 registers, 1 predicates, 0 bytes of shared memory\n"
          "/*0000*/  SETP.EQ.U32 P0, c[param+0x8], RZ ;\n"
          "/*0008*/  @P0 BRA 0x0028 ;  // joins at 0x0028\n"
          "/*0010*/  LD.GLOBAL.U64 R0:1, [c[param+0x0]] ;\n"
          "/*0018*/  ADD.S64 R0:1, R0:1, 0x3 ;\n"
          "/*0020*/  ST.GLOBAL.U64 [c[param+0x0]], R0:1 ;\n"
          "/*0028*/  ST.GLOBAL.U32 [c[param+0x0]+0x8], 0x1 ;\n"
          "/*0030*/  EXIT ;\n");
}

TEST_CASE("all kinds of operands and modifiers print") {
    const isa::Kernel kernel = kernel_of(
        "mov.u32 %r9, %laneid; setp.lt.u32 %p0, %r9, %a; setp.ge.and.s32 %p1|%p2, %r9, %b, !%p0;"
        "shfl.sync.down.b32 %r1|%p3, %r9, 1, 31, 0xffffffff; selp.b32 %r2, %r1, 5, %p1;"
        "lop3.b32 %r3, %r2, %r1, %r9, 0x96; @!%p2 st.volatile.shared.v2.u32 [%r9+-8], {%r3, %r3};"
        "atom.relaxed.gpu.global.cas.b32 %r4, [%out], %a, %b; @%p3 st.global.u32 [%out], %r4;"
        "cvt.rni.ftz.f32.f32 %f0, 0f40000000; st.global.f32 [%out], %f0; bar.sync 3; fence.acq_rel.cta; trap;");
    for (const char* text :
         {"S2R R", "SR_LANEID", "SETP.GE.AND.S32 P", "!P", "SHFL.DOWN.B32 R", "SEL.B32 R", "LOP3.B32 R", ", 0x96 ;",
          "@!P", "ST.SHARED.VOLATILE", ".V2.U32 [R", "-0x8], R", "ATOM.GLOBAL.CAS.RELAXED.GPU.B32 R",
          "CVT.F32.F32.RNI.FTZ R", "BAR.SYNC 0x3 ;", "MEMBAR.ACQ_REL.CTA ;", "TRAP ;"}) {
        CHECK_MESSAGE(count(kernel, text) >= 1, text, " is not in\n", print(kernel));
    }
}
