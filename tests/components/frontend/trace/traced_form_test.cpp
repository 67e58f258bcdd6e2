#include "components/frontend/trace/traced_form.h"

#include <doctest/doctest.h>

#include "core/error/error.h"

namespace lookahead::trace {
namespace {

using isa::Operation;
using isa::Space;
using isa::Type;

constexpr std::uint16_t kZeros = 8;

isa::Instruction form(const char* opcode, std::vector<std::uint32_t> destinations, std::vector<std::uint32_t> sources,
                      std::uint32_t width = 0) {
    return machine_form({opcode, std::move(destinations), std::move(sources), width}, kZeros);
}

TEST_CASE("Arithmetic has its class, its registers, and P0 as its guard") {
    const isa::Instruction fma = form("FFMA.FTZ", {3}, {3, 255, 7});
    CHECK(fma.operation == Operation::fma);
    CHECK(fma.type == Type::f32);
    CHECK(fma.guard == 0);
    CHECK(fma.destination == 3);
    CHECK(fma.destination_rows == 1);
    CHECK(fma.source[0].index == 3);
    CHECK(fma.source[1].index == 7);  // RZ is no register that is waited for
    CHECK(fma.source[2].kind == isa::Operand::Kind::none);
    const isa::Instruction wide = form("IMAD.WIDE.U32", {4}, {6, 7});
    CHECK(wide.operation == Operation::mad_lo);
    CHECK(wide.destination_rows == 2);
    CHECK(form("IMAD.MOV.U32", {4}, {6}).destination_rows == 1);
    const isa::Instruction dfma = form("DFMA", {4}, {6, 8, 10});
    CHECK(dfma.type == Type::f64);
    CHECK(dfma.destination_rows == 2);
    CHECK(dfma.source[2].rows == 2);
    CHECK(form("ISETP.GE.AND", {}, {2}).destination_rows == 0);
    CHECK(form("F2F.F64.F32", {4}, {2}).type == Type::f64);
    CHECK(form("F2F.F16.F32", {4}, {2}).type == Type::f32);
    CHECK(form("LDC.64", {4}, {}).source[0].kind == isa::Operand::Kind::constant);
    CHECK(form("MOV", {4}, {}).source[0].kind == isa::Operand::Kind::none);
    CHECK(form("UIADD3", {}, {}).uniform);
    CHECK_FALSE(form("IADD3", {2}, {2}).uniform);
}

TEST_CASE("The registers of a pair or a vector stay within a warp's") {
    CHECK(form("DADD", {254}, {254}).destination_rows == 2);
    CHECK(form("LDG.E.128", {253}, {2}, 16).destination == kScratchRegister);
    CHECK(form("LDG.E.128", {252}, {2}, 16).destination == 252);
}

TEST_CASE("Memory instructions have no address and wait for its registers") {
    const isa::Instruction load = form("LDG.E.64.CONSTANT", {4}, {2}, 8);
    CHECK(load.operation == Operation::load);
    CHECK(load.space == Space::global);
    CHECK(load.type == Type::b32);
    CHECK(load.vector == 2);
    CHECK(load.destination_rows == 2);
    CHECK(load.source[0].kind == isa::Operand::Kind::none);
    CHECK(load.source[1].index == 2);
    CHECK(load.source[1].rows == 2);
    CHECK(form("LDS.U8", {4}, {2}, 1).type == Type::u8);
    CHECK(form("LDS", {4}, {2}, 4).source[1].rows == 1);
    CHECK(form("LD.E", {4}, {2}, 4).space == Space::generic);
    CHECK(form("LDL.LU", {4}, {2}, 4).space == Space::local);
    CHECK(form("LDGSTS.E.BYPASS.128", {}, {9, 2}, 16).destination == kScratchRegister);

    const isa::Instruction store = form("STG.E.128", {}, {2, 8}, 16);
    CHECK(store.operation == Operation::store);
    CHECK(store.source[1].index == 8);
    CHECK(store.source[1].rows == 4);
    CHECK(store.source[2].index == 2);
    const isa::Instruction zero = form("STG.E", {}, {2, 255}, 4);
    CHECK(zero.source[1].kind == isa::Operand::Kind::constant);
    CHECK(zero.source[1].index == kZeros);
}

TEST_CASE("Atomic operations") {
    const isa::Instruction add = form("ATOMG.E.ADD.STRONG.GPU", {5}, {2, 7}, 4);
    CHECK(add.operation == Operation::atomic);
    CHECK(add.atomic == isa::AtomicOp::add);
    CHECK(add.source[1].index == 7);
    CHECK(add.source[2].index == 2);
    const isa::Instruction swap = form("ATOMG.E.CAS.STRONG.GPU", {5}, {2, 6, 7}, 4);
    CHECK(swap.atomic == isa::AtomicOp::cas);
    CHECK(swap.source[1].index == 6);
    CHECK(swap.source[2].index == 7);
    CHECK(swap.source[3].index == 2);
    const isa::Instruction max = form("RED.E.MAX.64", {}, {2, 8}, 8);
    CHECK(max.operation == Operation::reduce);
    CHECK(max.atomic == isa::AtomicOp::max);
    CHECK(max.type == Type::u64);
    CHECK(max.source[1].rows == 2);
}

TEST_CASE("What the machine does not have is refused") {
    CHECK_THROWS_WITH_AS(form("HMMA.16816.F32", {4}, {2}), "the machine has no instruction HMMA.16816.F32", InputError);
    CHECK_THROWS_WITH_AS(form("LDG.E", {4}, {2}, 3), doctest::Contains("accesses 3 bytes"), InputError);
    CHECK_THROWS_WITH_AS(form("LDG.E", {4}, {2}, 32), doctest::Contains("accesses 32 bytes"), InputError);
    CHECK_THROWS_WITH_AS(form("BAR.ARV", {}, {}), doctest::Contains("for how many threads"), InputError);
}

}  // namespace
}  // namespace lookahead::trace
