#include "components/frontend/native/lower.h"

#include <map>

#include "components/isa/code_address.h"
#include "components/isa/instruction.h"
#include "components/isa/modes.h"
#include "core/error/error.h"
#include "tests/components/frontend/native/samples.h"

namespace lookahead::native {
namespace {

using isa::Operand;
using isa::Operation;
using test::named;
using test::sample;

constexpr Word kExit{0x000000000000794d, 0x000fea0003800000};
constexpr Word kMove{0x00000004ff067e24, 0x000fe2000f8e00ff};  // IMAD.U32 R6, RZ, RZ, UR4

/// A kernel of these instructions and an EXIT, with 32 registers and the parameters of 8 and 4 bytes.
Cubin cubin_of(std::vector<Word> code, unsigned architecture) {
    Cubin cubin;
    cubin.architecture = architecture;
    cubin.constants_address = isa::kConstantBase;
    cubin.constants_bytes = 64;
    CubinKernel kernel;
    kernel.name = "k";
    kernel.code = std::move(code);
    kernel.code.push_back(kExit);
    kernel.registers = 32;
    kernel.stack_bytes = 40;
    kernel.parameter_base = architecture >= 100 ? 0x380 : architecture >= 90 ? 0x210 : 0x160;
    kernel.parameter_bytes = 12;
    kernel.constants = {std::byte{7}, std::byte{1}, std::byte{0}, std::byte{0}};
    cubin.kernels = {kernel};
    return cubin;
}
isa::Kernel lowered(std::vector<Word> code, unsigned architecture, bool own_barriers = true) {
    isa::Kernel kernel = lower(cubin_of(std::move(code), architecture), "f.cubin", own_barriers).front();
    test::check_ranges(kernel);
    return kernel;
}

/// MOV R6, c[bank][offset], for any architecture.
Word constant_move(unsigned bank, unsigned offset) {
    return {0x0000000000067a02 | std::uint64_t{bank} << 54 | std::uint64_t{offset} << 38, 0x000fc40000000f00};
}
/// The words that a source reads as, if they are literals.
std::vector<std::uint32_t> literals_of(const isa::Kernel& kernel, const Operand& operand) {
    REQUIRE(operand.kind == Operand::Kind::constant);
    std::vector<std::uint32_t> words;
    for (unsigned i = 0; i < operand.rows; ++i) {
        const unsigned row = operand.index + i;
        const bool zero = row == static_cast<unsigned>(isa::LaunchRow::zero);
        words.push_back(zero ? 0 : kernel.literals.at(row - kernel.first_literal_row()));
    }
    return words;
}

TEST_CASE("a warp's rows are its registers, its uniform registers, and some that nothing reads") {
    const Word into_nowhere{0x00000004ffff7e24, 0x000fe2000f8e00ff};  // IMAD.U32 RZ, RZ, RZ, UR4
    const isa::Kernel kernel = lowered({kMove, into_nowhere}, 90);
    REQUIRE(kernel.refusal.empty());
    CHECK(kernel.allocated_registers == 32);
    CHECK(kernel.registers_per_thread() == 32);
    const isa::Instruction& move = kernel.code[0];
    CHECK(move.destination == 6);
    CHECK(move.source[2].index == 32 + 4);
    const unsigned unread = kernel.code[1].destination;
    CHECK(unread > 32 + 4);
    for (const isa::Instruction& each : kernel.code) {
        for (const Operand& source : each.source) {
            CHECK((source.kind != Operand::Kind::reg || source.index != unread));
        }
    }
    // The uniform unit writes all lanes.
    const isa::Kernel uniform = lowered({{0x0000040000047882, 0x000fe20000000000}}, 90);  // UMOV UR4, 0x400
    CHECK(uniform.code[0].uniform);
    CHECK(uniform.code[0].destination == 32 + 4);
    CHECK(uniform.registers > 32 + 4);
}

TEST_CASE("equal literals are kept once, and 0 is a row of every launch") {
    const Word seven{0x0000000700067802, 0x000fe40000000f00}, nine{0x0000000900087802, 0x000fe40000000f00};
    const Word zero{0x0000000000087802, 0x000fe40000000f00};  // MOV R6 or R8, a number
    const isa::Kernel kernel = lowered({seven, nine, seven, zero}, 75);
    CHECK(kernel.literals == std::vector<std::uint32_t>{7, 9});
    CHECK(kernel.code[0].source[0].index == kernel.code[2].source[0].index);
    CHECK(literals_of(kernel, kernel.code[1].source[0]) == std::vector<std::uint32_t>{9});
    CHECK(kernel.code[3].source[0].index == static_cast<unsigned>(isa::LaunchRow::zero));
}

TEST_CASE("constant bank 0 has the block, the grid, the stack and the parameters at each architecture's places") {
    const struct {
        unsigned architecture, block, grid, stack, parameters;
    } places[] = {{75, 0, 0xc, 0x28, 0x160},
                  {89, 0, 0xc, 0x28, 0x160},
                  {90, 0, 0xc, 0x28, 0x210},
                  {100, 0x360, 0x370, 0x37c, 0x380}};
    for (const auto& place : places) {
        const auto row = [&](unsigned offset) {
            const isa::Kernel kernel = lowered({constant_move(0, offset)}, place.architecture);
            REQUIRE(kernel.refusal.empty());
            return static_cast<unsigned>(kernel.code[0].source[0].index);
        };
        for (unsigned i = 0; i < 3; ++i) {
            CHECK(row(place.block + 4 * i) == static_cast<unsigned>(isa::LaunchRow::ntid_x) + i);
            CHECK(row(place.grid + 4 * i) == static_cast<unsigned>(isa::LaunchRow::nctaid_x) + i);
            CHECK(row(place.parameters + 4 * i) == isa::kFirstParameterRow + i);
        }
        const isa::Kernel stack = lowered({constant_move(0, place.stack)}, place.architecture);
        CHECK(stack.local_bytes == 48);  // a multiple of 16
        CHECK(literals_of(stack, stack.code[0].source[0]) == std::vector<std::uint32_t>{48});
        const isa::Kernel beyond = lowered({constant_move(0, place.parameters + 12)}, place.architecture);
        CHECK(beyond.refusal.find("of constant bank 0 is not known") != std::string::npos);
    }
    // ULDC.64 UR4, c[0x0][0x208]: the descriptor of global memory adds nothing to an address.
    const isa::Kernel descriptor = lowered({{0x0000820000047ab9, 0x000fe20000000a00}}, 90);
    CHECK(literals_of(descriptor, descriptor.code[0].source[0]) == std::vector<std::uint32_t>{0, 0});
}

TEST_CASE("an operand in bank 3 is loaded first, one in a bank of the kernel's own is a literal") {
    const isa::Kernel kernel = lowered({constant_move(3, 8), constant_move(2, 0)}, 75);
    REQUIRE(kernel.code.size() == 4);
    CHECK(kernel.entries == std::vector<std::uint32_t>{0, 2, 3});
    const isa::Instruction &load = kernel.code[0], &move = kernel.code[1];
    CHECK(load.operation == Operation::load);
    CHECK(load.space == isa::Space::constant);
    CHECK(load.offset == 8);
    CHECK(load.address_window == isa::kConstantBase >> 32);
    CHECK(literals_of(kernel, load.source[0])[0] == static_cast<std::uint32_t>(isa::kConstantBase));
    CHECK(move.source[0].index == load.destination);
    CHECK(load.destination >= 32);
    CHECK(literals_of(kernel, kernel.code[2].source[0]) == std::vector<std::uint32_t>{0x107});
    CHECK(lowered({constant_move(2, 4)}, 75).refusal.find("beyond its constants") != std::string::npos);
    CHECK(lowered({constant_move(5, 0)}, 75).refusal.find("constant bank 5 is not known") != std::string::npos);
}

TEST_CASE("an offset in the upper half of a full constant bank is no negative one") {
    const Word high{0x00e7100005057b82, 0x000e620000000800};   // LDC R5, c[0x3][R5+0x9c40]
    const Word below{0x00fffe0000067b82, 0x000e700000000800};  // LDC R6, c[0x3][R0+-0x8]
    for (const std::uint64_t bytes : {64u, 64000u}) {
        Cubin cubin = cubin_of({high, below}, 75);
        cubin.constants_bytes = bytes;
        const isa::Kernel kernel = lower(cubin, "f.cubin", true).front();
        const auto address = [&](unsigned i) {
            const std::uint64_t low = static_cast<std::uint32_t>(kernel.code[i].offset);
            return low | std::uint64_t{kernel.code[i].address_window} << 32;
        };
        CHECK(address(0) == isa::kConstantBase + (bytes == 64 ? 0x9c40 - 0x10000 : 0x9c40));
        CHECK(address(1) == isa::kConstantBase - 8);
    }
}

TEST_CASE("memory instructions have the address, data and base of every format") {
    const struct {
        unsigned architecture;
        Word word;
        std::uint8_t address_rows;
        std::int32_t offset;
        int data, base;  ///< their first rows; -1: none
    } rows[] = {
        {75, {0x0000000804007385, 0x008fe8000010e907}, 2, 8, 7, -1},       // ST [R4.64+0x8], R7
        {75, {0xfffffffc02097980, 0x000f22000010e100}, 2, -4, -1, -1},     // LD.U8 R9, [R2.64+-0x4]
        {75, {0x00000404ff077981, 0x000ee2000c1ee900}, 2, 4, -1, 32 + 4},  // LDG R7, [UR4+0x4]
        {90, {0x0000040314007985, 0x0013e8000c101908}, 2, 4, 3, -1},       // ST desc[UR8][R20.64+0x4], R3: a descriptor
        {90, {0x0000001402007385, 0x0001e40000100b06}, 2, 0x14, 6, -1},    // ST.64 [R2.64+0x14], R6
        {90, {0x000010011002098a, 0x000fe800081ee1c6}, 2, 0x10, 1, -1},  // @P0 ATOM.ADD R2, desc[UR6][R16.64+0x10], R1
        {100, {0x8000100b161b79a3, 0x000168000c1ef308}, 2, 0x10, 11, -1},  // ATOMG.F.ADD.F32 R27,
                                                                           // desc[UR8][R22.64+0x10], R11
        {100, {0x80001011020f098a, 0x000fe800081ef106}, 2, 0x10, 17, -1},  // @P0 ATOM.ADD R15, desc[UR6][R2.64+0x10],
                                                                           // R17
        {90, {0x00002004ff107984, 0x000ea80008000c00}, 1, 0x20, -1, 32 + 4},  // LDS.128 R16, [UR4+0x20]
    };
    for (const auto& row : rows) {
        const isa::Kernel kernel = lowered({row.word}, row.architecture);
        CHECK(kernel.refusal == "");
        const isa::Instruction& access = kernel.code[0];
        CHECK(access.source[0].rows == row.address_rows);
        CHECK(access.offset == row.offset);
        if (row.data >= 0) { CHECK(access.source[1].index == row.data); }
        CHECK((access.source[3].kind == Operand::Kind::reg) == (row.base >= 0));
        if (row.base >= 0) { CHECK(access.source[3].index == row.base); }
    }
    const isa::Kernel scaled = lowered({{0x0000000404007388, 0x000fe40000004800}}, 75);  // STS [R4.X4], R4
    CHECK(scaled.code[0].mode == 2);
}

TEST_CASE("sums of products of halves and bytes take the halves that their bits say") {
    const std::uint64_t low = 0x0000000504107226;
    const auto dot = [&](std::uint64_t high) { return lowered({{low, high}}, 90).code[0]; };
    CHECK((dot(0x000fe40000000606).operation == Operation::dot4));
    CHECK((dot(0x000fe40000001606).operation == Operation::dot2));
    CHECK(dot(0x000fe40000001606).mode == (isa::kDotFirstSigned | isa::kDotSecondSigned));
    CHECK(dot(0x000fe40000003406).mode == (isa::kDotSecondSigned | isa::kDotUpperHalf));
    CHECK(dot(0x000fe40000000206).mode == isa::kDotFirstSigned);
}

TEST_CASE("a half becomes a single by a sum with -0, on either side") {
    const Word right{0xa00000ff302c7230, 0x040fe20000004800};  // HADD2.F32 R44, R48.H0_H0, -RZ.H0_H0
    Cubin cubin = cubin_of({right}, 75);
    cubin.kernels[0].registers = 64;
    const isa::Kernel kernel = lower(cubin, "f.cubin", true).front();
    REQUIRE(kernel.refusal.empty());
    CHECK((kernel.code[0].operation == Operation::convert));
    CHECK(kernel.code[0].source[0].index == 48);
    CHECK(kernel.code[0].modifiers == isa::kLowHalf);
    // A sum with another register is none.
    cubin.kernels[0].code[0].low = 0xa0000031302c7230;
    CHECK_FALSE(lower(cubin, "f.cubin", true).front().refusal.empty());
}

TEST_CASE("0 * 0 + number is a move, unless it flushes or saturates") {
    const Word plain{0x00000007ff077435, 0x000fce00000001ff};    // HFMA2.MMA R7, -RZ, RZ, 0x7
    const Word flushes{0x000000ffff057235, 0x000fce0000010000};  // HFMA2.MMA.FTZ R5, RZ, RZ, R0
    const Word saturates{0x000000ffff057235, 0x000fce0000002000};
    const isa::Kernel kernel = lowered({plain, flushes, saturates}, 80);
    REQUIRE(kernel.refusal.empty());
    CHECK(kernel.code[0].operation == Operation::mov);
    CHECK(kernel.code[1].operation == Operation::fma);
    CHECK(kernel.code[1].flush_to_zero);
    CHECK(kernel.code[2].operation == Operation::fma);
    CHECK(kernel.code[2].saturate);
}

TEST_CASE("a collective's exchange is where its lanes meet; one without an exchange is a meeting itself") {
    const Word begin{0x0000000007087348, 0x000fea0003c00000};  // WARPSYNC.COLLECTIVE R7, past the end of it
    const Word shuffle{0x0000001104077389, 0x000064000000000e}, nothing{0x0000000000007918, 0x000fe20000000000},
        end{0x000000000000791b, 0x003fe20003800000};
    const isa::Kernel kernel = lowered({begin, shuffle, end, shuffle, begin, nothing, end}, 90);
    REQUIRE(kernel.refusal.empty());
    CHECK(kernel.code[0].operation == Operation::mark);
    CHECK(kernel.code[1].operation == Operation::shuffle);
    CHECK(kernel.code[1].source[3].kind == Operand::Kind::reg);
    CHECK(kernel.code[1].source[3].index == 7);
    CHECK(kernel.code[3].source[3].kind == Operand::Kind::none);
    CHECK(kernel.code[4].operation == Operation::warp_sync);
    CHECK(kernel.code[4].source[0].index == 7);
    // The shuffle writes the mask's register: the next one is no longer of this mask.
    const Word plain{0x0000000007007348, 0x000fea0003800000};  // WARPSYNC R7
    const isa::Kernel overwritten = lowered({plain, shuffle, shuffle}, 90);
    CHECK(overwritten.code[1].source[3].index == 7);
    CHECK(overwritten.code[2].source[3].kind == Operand::Kind::none);
}

TEST_CASE("BRA.DIV branches if the lanes are not those of the mask, by a predicate that the kernel does not use") {
    const Word divergent{0x0000000006007947, 0x000fea000b800000};  // BRA.DIV UR6, the next instruction
    const isa::Kernel kernel = lowered({divergent, kMove}, 90);
    REQUIRE(kernel.refusal.empty());
    CHECK(kernel.code[0].operation == Operation::activemask);
    const isa::Instruction& differs = kernel.code[1];
    CHECK(differs.operation == Operation::setp);
    CHECK(differs.comparison == isa::Comparison::ne);
    CHECK(differs.source[1].index == 32 + 6);
    CHECK(differs.destination_predicate == isa::kFirstUniformPredicate);
    CHECK(kernel.code[2].operation == Operation::bra);
    CHECK(kernel.code[2].source_predicate == isa::kFirstUniformPredicate);
    CHECK(kernel.code[2].target == 3);
    // ~URZ: all lanes.
    const Word all{0x000000007f007947, 0x000fea000b800000};
    const isa::Kernel whole = lowered({all}, 80);
    CHECK(literals_of(whole, whole.code[1].source[1]) == std::vector<std::uint32_t>{0xffffffffu});
}

TEST_CASE("R2P sets the predicates of its mask; R2UR tells which lanes have the value that it takes") {
    const isa::Kernel bits = lowered({{0x0000006005007804, 0x040fe40000000000}}, 90);  // R2P PR, R5, 0x60
    REQUIRE(bits.refusal.empty());
    for (const unsigned i : {0U, 1U}) {
        CHECK(bits.code[i].operation == Operation::lop3_test);
        CHECK(bits.code[i].destination_predicate == 5 + i);
        CHECK(literals_of(bits, bits.code[i].source[1]) == std::vector<std::uint32_t>{0x20U << i});
    }
    const isa::Kernel taken = lowered({{0x00000000073f73c2, 0x000e220000020000}}, 80);  // R2UR P1, URZ, R7
    REQUIRE(taken.refusal.empty());
    CHECK(taken.code[0].operation == Operation::broadcast);
    CHECK(taken.code[1].operation == Operation::setp);
    CHECK(taken.code[1].comparison == isa::Comparison::eq);
    CHECK(taken.code[1].destination_predicate == 1);
}

TEST_CASE("a comparison of single halves has one result, and bfloat16 is refused") {
    const Word compares{0x4000400000007434, 0x040fe40003f2e800};  // HSETP2.GEU.AND P1, R0.H0_H0, 2
    const isa::Kernel kernel = lowered({compares}, 90);
    REQUIRE(kernel.refusal.empty());
    CHECK(kernel.code[0].comparison == isa::Comparison::geu);
    CHECK(kernel.code[0].destination_predicate == 1);
    CHECK_FALSE(lowered({{compares.low, compares.high | 2}}, 90).refusal.empty());
}

TEST_CASE("a kernel whose function may lead to itself has a stack for it") {
    const Word call{0x0000000000007944, 0x000fea0003c00000};  // CALL.REL to the next instruction
    Cubin cubin = cubin_of({call, call}, 90);
    const std::uint32_t without = lower(cubin, "f.cubin", true).front().local_bytes;
    cubin.kernels[0].functions = {
        {2, 3}};  // the second call leaves the kernel's own code for the function, which only exits
    CHECK(lower(cubin, "f.cubin", true).front().local_bytes == without);
    cubin.kernels[0].functions = {{1, 3}};
    cubin.kernels[0].code[1] = {0xfffffffc00fc7944, 0x000fea0003c3ffff};  // to itself
    CHECK(lower(cubin, "f.cubin", true).front().local_bytes == without + isa::kCallStackBytes);
}

TEST_CASE("a refusal names the file, the kernel, the address, the text and the bits; other kernels stay usable") {
    for (const unsigned architecture : {75u, 90u}) {
        const isa::KernelTable table = lower(sample(architecture), "samples.cubin", false);
        REQUIRE(table.size() == 6);
        for (const isa::Kernel& kernel : table) {
            test::check_ranges(kernel);
            CHECK(kernel.source_file == "samples.cubin");
            CHECK(kernel.refusal.empty() == (kernel.name != "refused"));
            CHECK(kernel.code.empty() == (kernel.name == "refused"));
        }
        const isa::Kernel& refused = named(table, "refused");
        const std::string expected =
            architecture == 75
                ? "samples.cubin: kernel refused, address 0x30: unknown opcode 0x83b: 0x004e280000000000 "
                  "0x000000000000783b (0x004e280000000000 0x000000000000783b): this instruction is not known"
                : "samples.cubin: kernel refused, address 0x40: unknown opcode 0x83b: 0x004e280000000000 "
                  "0x000000000005783b (0x004e280000000000 0x000000000005783b): this instruction is not known";
        CHECK(refused.refusal == expected);
        CHECK(refused.parameter_sizes == std::vector<std::uint32_t>{8});
    }
    const std::map<std::string, Word> reasons = {
        {"this instruction is not known", {0x000000000000783b, 0x004e280000000000}},
        {"the machine ISA does not have this instruction", {0x30005a04361e7b60, 0x040fc200019e0728}},
        {"it goes outside the kernel", {0xffffffc000007947, 0x000fea000383ffff}},
        {"the kernel has 32 registers, but it uses R48", {0x0000003000307202, 0x000fe40000000f00}},
        {"there is no barrier 6", {constant_move(0, 0).low, 0x000f840000000f00}}};
    for (const auto& [reason, word] : reasons) {
        const isa::Kernel kernel = lowered({kMove, word}, 75);
        CHECK(kernel.refusal.starts_with("f.cubin: kernel k, address 0x10: "));
        CHECK(kernel.refusal.ends_with(reason));
    }
}

TEST_CASE("a call is a branch, a return a branch to a computed address, which entries name") {
    for (const unsigned architecture : {75u, 90u}) {
        const isa::KernelTable table = lower(sample(architecture), "samples.cubin", true);
        const isa::Kernel& calls = named(table, "calls");
        const Cubin cubin = sample(architecture);
        CHECK(calls.entries.size() == named(cubin.kernels, "calls").code.size());
        unsigned returns = 0;
        for (const isa::Instruction& each : calls.code) {
            if (each.operation != Operation::bra || each.source[0].kind == Operand::Kind::none) { continue; }
            ++returns;
            // MOV R4, 0xb0 before the first call: the return goes to the instruction after it.
            CHECK(calls.computed_target(each, 0xb0) == calls.entries[0xb]);
            CHECK_THROWS_AS(calls.computed_target(each, 0xb4), ProgramError);
            CHECK_THROWS_AS(calls.computed_target(each, 0x10000), ProgramError);
        }
        CHECK(returns == 1);
    }
}

TEST_CASE("branches name post-dominators for a stack; the code's own barriers are opened instead") {
    for (const unsigned architecture : {75u, 90u}) {
        for (const bool own : {false, true}) {
            const isa::KernelTable table = lower(sample(architecture), "samples.cubin", own);
            const isa::Kernel& calls = named(table, "calls");
            unsigned joins = 0, opens = 0;
            for (const isa::Instruction& each : calls.code) {
                joins += each.reconvergence != isa::kNoTarget;
                if (each.operation != Operation::open_barrier) { continue; }
                ++opens;
                // BSSY names the instruction after its BSYNC.
                CHECK((calls.code[each.target - 1].operation == Operation::mark));
            }
            CHECK((joins == 0) == own);
            CHECK(opens == 3);
        }
    }
    // BREAK is a leave_barrier under its guard, with the number of its barrier.
    const isa::Kernel breaks = lowered({{0x0000000000018942, 0x000fe20003800000}}, 75);
    CHECK((breaks.code[0].operation == Operation::leave_barrier));
    CHECK(breaks.code[0].mode == 1);
    CHECK(breaks.code[0].guard == 0);
    CHECK(breaks.code[0].guard_negated);
}

TEST_CASE("an instruction without an effect is kept, so that branches can go to it") {
    const Word nothing{0x00000000000f7803, 0x000fe40000000000};  // P2R R15 of no predicate
    const isa::Kernel kernel = lowered({nothing, kMove}, 75);
    REQUIRE(kernel.refusal.empty());
    CHECK((kernel.code[0].operation == Operation::mark));
    CHECK(kernel.entries == std::vector<std::uint32_t>{0, 1, 2});
}

TEST_CASE("WARPSYNC without a mask waits for all lanes") {
    const isa::Kernel kernel = lowered({{0x0000000000007948, 0x000fea0003800000}}, 90);
    CHECK(literals_of(kernel, kernel.code[0].source[0]) == std::vector<std::uint32_t>{0xffffffff});
}

}  // namespace
}  // namespace lookahead::native
