#include "components/frontend/finaliser/analysis/affinity.h"

#include <doctest/doctest.h>

#include "components/frontend/finaliser/lower/lower.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

/// The affinity of the last stored word's row.
Affinity of_stored(const std::string& body) {
    const ptx::Module module = module_of(body);
    const VirtualKernel kernel = lower(module, module.functions.back());
    std::uint32_t row = kNone;
    for (const VirtualBlock& block : kernel.blocks) {
        for (const VirtualInstruction& instruction : block.code) {
            if (instruction.machine.operation == isa::Operation::store &&
                instruction.source[1].kind == isa::Operand::Kind::reg) {
                row = instruction.source[1].index;
            }
        }
    }
    REQUIRE(row != kNone);
    return affinities(kernel)[row];
}

/// The affinity of %r0 after `code`.
Affinity of(const std::string& code) {
    return of_stored(code + "st.global.u32 [%out], %r0;");
}

/// %r1 is the thread's number in x, %r2 a generic value, %p1 a condition on it, and %p2 a uniform condition.
const std::string kValues =
    "mov.u32 %r1, %tid.x; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd6, %out, %rd5; ld.global.u32 %r2, [%rd6];"
    "setp.lt.u32 %p1, %r2, 3; setp.lt.u32 %p2, %a, 3;";

}  // namespace

TEST_CASE("launch values, parameters and block indices are uniform, thread and lane numbers affine") {
    CHECK(of("mov.u32 %r0, %ntid.x;") == Affinity::uniform);
    CHECK(of("mov.u32 %r0, %ctaid.y;") == Affinity::uniform);
    CHECK(of("mov.u32 %r0, %tid.y;") == Affinity::uniform);
    CHECK(of("add.u32 %r0, %a, %b;") == Affinity::uniform);
    CHECK(of("mov.u32 %r0, %tid.x;") == Affinity::affine);
    CHECK(of("mov.u32 %r0, %laneid;") == Affinity::affine);
    CHECK(of("mov.u32 %r0, %lanemask_lt;") == Affinity::generic);
}

TEST_CASE("a load from one address gives one value, from addresses of each lane's own anything") {
    CHECK(of("ld.global.u32 %r0, [%out];") == Affinity::uniform);
    CHECK(of(kValues + "mov.u32 %r0, %r2;") == Affinity::generic);
    CHECK(of(".local .align 4 .b8 l[4]; st.local.u32 [l], %a; ld.local.u32 %r0, [l];") == Affinity::generic);
    CHECK(of("atom.global.add.u32 %r0, [%out], 1;") == Affinity::generic);
}

TEST_CASE("sums, and products with a known power of two, of affine values are affine; other products are not") {
    CHECK(of(kValues + "add.u32 %r0, %r1, %a;") == Affinity::affine);
    CHECK(of(kValues + "sub.u32 %r0, %a, %r1;") == Affinity::affine);
    CHECK(of(kValues + "mul.lo.u32 %r0, %r1, 8;") == Affinity::affine);
    CHECK(of(kValues + "mul.lo.u32 %r0, %r1, 12;") == Affinity::generic);
    CHECK(of(kValues + "mul.lo.u32 %r0, %r1, %a;") == Affinity::generic);
    CHECK(of(kValues + "mul.lo.u32 %r0, %a, %b;") == Affinity::uniform);
    CHECK(of(kValues + "mul.lo.u32 %r0, %r1, %r1;") == Affinity::generic);
    CHECK(of(kValues + "mad.lo.u32 %r0, %b, %a, %r1;") == Affinity::affine);
    CHECK(of(kValues + "mad.lo.u32 %r0, %r1, 3, %a;") == Affinity::generic);
    CHECK(of(kValues + "shl.b32 %r0, %r1, %a;") == Affinity::affine);
    CHECK(of(kValues + "shl.b32 %r0, %a, %r1;") == Affinity::generic);
    CHECK(of(kValues + "and.b32 %r0, %r1, 31;") == Affinity::generic);
    CHECK(of(kValues + "and.b32 %r0, %a, 31;") == Affinity::uniform);
    CHECK(of(kValues + "add.u32 %r0, %r1, %r2;") == Affinity::generic);
}

TEST_CASE("floating-point values are uniform or generic") {
    CHECK(of_stored("cvt.rn.f32.u32 %f0, %a; add.f32 %f1, %f0, 0f3F800000; st.global.f32 [%out], %f1;") ==
          Affinity::uniform);
    CHECK(of_stored(kValues + "cvt.rn.f32.u32 %f0, %r1; st.global.f32 [%out], %f0;") == Affinity::generic);
}

TEST_CASE("a choice is as its condition: of lanes apart nothing is known, of all together the more general value") {
    CHECK(of(kValues + "selp.u32 %r0, %r1, %a, %p2;") == Affinity::affine);
    CHECK(of(kValues + "selp.u32 %r0, %r1, %a, %p1;") == Affinity::generic);
    CHECK(of(kValues + "mov.u32 %r0, %b; @%p2 mov.u32 %r0, %r1;") == Affinity::affine);
    CHECK(of(kValues + "mov.u32 %r0, %b; @%p1 mov.u32 %r0, %a;") == Affinity::generic);
}

TEST_CASE("where lanes meet that a branch has parted, what one way has changed is generic") {
    const auto branch = [](const std::string& condition, const std::string& between) {
        return kValues + "mov.u32 %r0, %b; @" + condition + " bra L; " + between + " L: add.u32 %r0, %r0, 1;";
    };
    CHECK(of(branch("%p1", "mov.u32 %r0, %a;")) == Affinity::generic);
    CHECK(of(branch("%p2", "mov.u32 %r0, %a;")) == Affinity::uniform);
    CHECK(of(branch("%p1", "mov.u32 %r5, %a;")) == Affinity::uniform);
}

TEST_CASE("a loop's counter is what it begins with and what is added each turn") {
    const auto loop = [](const std::string& first, const std::string& step) {
        return kValues + "mov.u32 %r0, " + first + "; L: add.u32 %r0, %r0, " + step +
               "; setp.lt.u32 %p3, %a, %b; @%p3 bra L;";
    };
    CHECK(of(loop("%a", "%b")) == Affinity::uniform);
    CHECK(of(loop("%r1", "%b")) == Affinity::affine);
    CHECK(of(loop("%r1", "%r2")) == Affinity::generic);
}
