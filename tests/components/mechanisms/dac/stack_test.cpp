// The affine SIMT stack visits code in the same order as each warp's own stack.
#include <doctest/doctest.h>

#include "components/isa/simt_stack.h"
#include "components/mechanisms/dac/affine_stack.h"
#include "core/error/error.h"
#include "tests/support/seed.h"

namespace lookahead::dac {
namespace {

SmThreads of(std::initializer_list<isa::LaneMask> warps) {
    SmThreads threads{};
    std::copy(warps.begin(), warps.end(), threads.begin());
    return threads;
}

isa::Instruction branch_to(std::uint32_t target, std::uint32_t join) {
    isa::Instruction branch;
    branch.operation = isa::Operation::bra;
    branch.target = target;
    branch.reconvergence = join;
    return branch;
}

TEST_CASE("figure 13: those that fall through go first, and all go on together where the ways meet") {
    AffineStack stack;
    stack.start(0, of({0xff, 0xff, 0xff}));
    stack.branch(branch_to(5, 8), of({0xff, 0, 0x0f}));
    CHECK(stack.pc() == 1);
    CHECK(stack.threads() == of({0, 0xff, 0xf0}));
    CHECK(stack.depth() == 3);
    while (stack.pc() != 4) { stack.advance(); }
    stack.branch(branch_to(8, 8), stack.threads());  // past the other path
    CHECK(stack.pc() == 5);
    CHECK(stack.threads() == of({0xff, 0, 0x0f}));
    CHECK(stack.depth() == 2);
    for (unsigned i = 0; i < 3; ++i) { stack.advance(); }
    CHECK(stack.pc() == 8);
    CHECK(stack.threads() == of({0xff, 0xff, 0xff}));
    CHECK(stack.depth() == 1);
}

TEST_CASE("a branch that all take, or none, parts nothing") {
    AffineStack stack;
    stack.start(0, of({0xff, 0x1}));
    stack.branch(branch_to(5, 8), of({0xff, 0x1}));
    CHECK(stack.pc() == 5);
    CHECK(stack.depth() == 1);
    stack.branch(branch_to(0, 8), of({0, 0}));
    CHECK(stack.pc() == 6);
    CHECK(stack.depth() == 1);
}

TEST_CASE("warps that have ended are on no path, and a path of theirs alone is gone") {
    AffineStack stack;
    stack.start(0, of({0xff, 0xff}));
    stack.branch(branch_to(5, 8), of({0xff, 0}));
    REQUIRE(stack.threads() == of({0, 0xff}));
    stack.drop(1);
    CHECK(stack.pc() == 5);
    CHECK(stack.threads() == of({0xff, 0}));
    stack.drop(0);
    CHECK(stack.done());
}

TEST_CASE("threads that leave end on all paths, and the others go on") {
    AffineStack stack;
    stack.start(0, of({0xff}));
    stack.branch(branch_to(5, 8), of({0x0f}));
    stack.leave(of({0x30}));
    CHECK(stack.pc() == 2);
    CHECK(stack.threads() == of({0xc0}));
    stack.leave(of({0xc0}));
    CHECK(stack.pc() == 5);
    CHECK(stack.threads() == of({0x0f}));
    stack.leave(of({0x0f}));
    CHECK(stack.done());
}

TEST_CASE("it takes eight entries and no more") {
    AffineStack stack;
    stack.start(0, of({0xffff}));
    for (unsigned level = 0; level < 7; ++level) {
        const std::uint32_t join = 1000 - 10 * level;
        // An if without an else: two entries; the lower one waits.
        stack.branch(branch_to(join, join), of({1u << level}));
    }
    CHECK(stack.depth() == 8);
    CHECK_THROWS(stack.branch(branch_to(900, 900), of({1u << 9})));
}

/// A structured program: two-way forward branches with joins after them, and backward branches.
struct Program {
    std::vector<isa::Instruction> code;

    explicit Program(std::mt19937_64& random) { block(random, 0); }
    void plain() { code.emplace_back().operation = isa::Operation::nop; }
    void block(std::mt19937_64& random, unsigned depth) {
        for (unsigned i = 0; i < 1 + random() % 3; ++i) {
            plain();
            if (depth == 3 || random() % 2 == 0) { continue; }
            const auto at = static_cast<std::uint32_t>(code.size());
            plain();
            block(random, depth + 1);
            const auto jump = static_cast<std::uint32_t>(code.size());
            plain();
            const auto other = static_cast<std::uint32_t>(code.size());
            if (random() % 2 == 0) { block(random, depth + 1); }
            const auto join = static_cast<std::uint32_t>(code.size());
            plain();
            code[at] = branch_to(other, join);
            code[jump] = branch_to(join, join);
            code[jump].guard_negated = true;  // all lanes take it
        }
    }
};

TEST_CASE("for each warp it takes the steps that the warp's own stack takes, with the same lanes") {
    std::mt19937_64 random(lookahead::test::random_seed());
    constexpr unsigned kWarps = 3;
    for (unsigned turn = 0; turn < 200; ++turn) {
        const Program program(random);
        const auto end = static_cast<std::uint32_t>(program.code.size());
        // A branch's outcome is a function of its place and its thread.
        const std::uint64_t salt = random();
        const auto taken = [&](std::uint32_t pc, unsigned warp) {
            if (program.code[pc].guard_negated) { return isa::kFullMask; }
            const std::uint64_t bits = (salt ^ (pc * 131 + warp)) * 0x9e3779b97f4a7c15;
            return bits % 4 == 0 ? 0 : bits % 4 == 1 ? isa::kFullMask : static_cast<isa::LaneMask>(bits >> 20);
        };
        std::vector<std::pair<std::uint32_t, isa::LaneMask>> affine[kWarps], own[kWarps];
        AffineStack stack;
        stack.start(0, of({isa::kFullMask, 0xffff, 0x1}));
        while (stack.pc() < end) {
            SmThreads lanes{};
            for (unsigned warp = 0; warp < kWarps; ++warp) {
                if (stack.threads()[warp] != 0) { affine[warp].emplace_back(stack.pc(), stack.threads()[warp]); }
                lanes[warp] = stack.threads()[warp] & taken(stack.pc(), warp);
            }
            const isa::Instruction& instruction = program.code[stack.pc()];
            instruction.operation == isa::Operation::bra ? stack.branch(instruction, lanes) : stack.advance();
        }
        for (unsigned warp = 0; warp < kWarps; ++warp) {
            isa::SimtStack mine(0, of({isa::kFullMask, 0xffff, 0x1})[warp]);
            while (mine.pc() < end) {
                own[warp].emplace_back(mine.pc(), mine.active());
                const isa::Instruction& instruction = program.code[mine.pc()];
                if (instruction.operation == isa::Operation::bra) {
                    mine.branch(mine.active() & taken(mine.pc(), warp), instruction.target, mine.pc() + 1,
                                instruction.reconvergence);
                } else {
                    mine.advance();
                }
            }
            CHECK(affine[warp] == own[warp]);
        }
    }
}

}  // namespace
}  // namespace lookahead::dac
