#include <doctest/doctest.h>

#include "components/frontend/finaliser/emit/machine_cfg.h"
#include "components/isa/instruction.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

TEST_CASE("both ways of an if meet behind it") {
    const isa::Kernel kernel = kernel_of(
        "setp.eq.u32 %p0, %a, 0; @%p0 bra ELSE; st.global.u32 [%out], 1; bra END;\nELSE:\nst.global.u32 [%out], 2;\n"
        "END:\nst.global.u32 [%out+4], 3;");
    const isa::Instruction& branch = kernel.code[position(kernel, "@P0 BRA")];
    CHECK(branch.target == position(kernel, "], 0x2"));
    CHECK(branch.reconvergence == position(kernel, "+0x4]"));
}

TEST_CASE("lanes that leave a loop wait behind it") {
    const isa::Kernel kernel = kernel_of(
        "mov.u32 %r0, 0;\nL:\nadd.s32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, %a; @%p0 bra L; st.global.u32 [%out], %r0;");
    const unsigned at = position(kernel, "@P0 BRA");
    CHECK(kernel.code[at].target == position(kernel, "ADD"));
    CHECK(kernel.code[at].reconvergence == at + 1);
}

TEST_CASE("lanes that exit on the way do not keep the others from meeting") {
    const isa::Kernel kernel = kernel_of(
        "setp.eq.u32 %p0, %a, 0; setp.eq.u32 %p1, %b, 0; @%p0 bra END; @%p1 ret; st.global.u32 [%out], 1;\nEND:\n"
        "st.global.u32 [%out+4], 2;");
    CHECK(kernel.code[position(kernel, "@P0 BRA")].reconvergence == position(kernel, "+0x4]"));
}

TEST_CASE("a whole way that only leads to another exit does not keep the others from meeting") {
    const isa::Kernel kernel = kernel_of(
        "setp.eq.u32 %p0, %a, 0; setp.eq.u32 %p1, %b, 0; @%p0 bra END; @%p1 bra GO; st.global.u32 [%out], 9; ret;\n"
        "GO:\nst.global.u32 [%out], 1;\nEND:\nst.global.u32 [%out+4], 2;");
    CHECK(kernel.code[position(kernel, "@P0 BRA")].reconvergence == position(kernel, "+0x4]"));
    // The remaining lanes need not wait for those that exit.
    CHECK(kernel.code[position(kernel, "@P1 BRA")].reconvergence == position(kernel, "], 0x1"));
}

TEST_CASE("branches on a way to another exit meet on that way") {
    const isa::Kernel kernel = kernel_of(
        "setp.eq.u32 %p0, %a, 0; setp.eq.u32 %p1, %b, 0; @!%p0 bra MAIN; @%p1 bra IN; st.global.u32 [%out], 9;\nIN:\n"
        "st.global.u32 [%out+4], 8; ret;\nMAIN:\nsetp.gt.u32 %p2, %b, 5; @%p2 bra END; st.global.u32 [%out+8], 1;\n"
        "END:\nst.global.u32 [%out+12], 2;");
    CHECK(kernel.code[position(kernel, "@P1 BRA")].reconvergence == position(kernel, "+0x4]"));
    CHECK(kernel.code[position(kernel, "@!P0 BRA")].reconvergence == position(kernel, "SETP.GT"));
}

TEST_CASE("a kernel that never ends has reconvergence points too") {
    const isa::Kernel kernel = kernel_of(
        "L:\nsetp.eq.u32 %p0, %a, 0; @%p0 bra SKIP; st.global.u32 [%out], 1;\nSKIP:\nst.global.u32 [%out+4], 2; bra "
        "L;");
    CHECK(kernel.code[position(kernel, "@P0 BRA")].reconvergence == position(kernel, "+0x4]"));
}

TEST_CASE("lanes meet in a loop whose guarded exit is the kernel's only one") {
    // The loop's body is after its end, so that nothing follows the exit.
    const isa::Kernel kernel = kernel_of(
        "mov.u32 %r0, 0; bra BODY;\nONE:\nst.global.u32 [%out], 1;\nMEET:\nbar.sync 0; add.s32 %r0, %r0, 1;\n"
        "setp.eq.s32 %p0, %r0, %b; @%p0 ret;\nBODY:\nsetp.eq.u32 %p1, %a, 0; @%p1 bra ONE;\n"
        "st.global.u32 [%out], 2; bra MEET;");
    CHECK(kernel.code[position(kernel, "@P0 BRA")].reconvergence == position(kernel, "ADD"));
}

TEST_CASE("branches without a guard have no reconvergence point") {
    const isa::Kernel kernel = kernel_of(
        "setp.eq.u32 %p0, %a, 0; @%p0 bra ELSE; st.global.u32 [%out], 1; bra END;\nELSE:\nst.global.u32 [%out], 2;\n"
        "END:\nst.global.u32 [%out+4], 3;");
    for (const isa::Instruction& instruction : kernel.code) {
        if (instruction.guard == isa::kTruePredicate) { CHECK(instruction.reconvergence == isa::kNoTarget); }
    }
}
