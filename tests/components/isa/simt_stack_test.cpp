#include "components/isa/simt_stack.h"

#include <doctest/doctest.h>

#include <random>
#include <utility>
#include <vector>

#include "components/isa/simt_state.h"
#include "core/state/archives.h"
#include "tests/support/seed.h"

namespace lookahead::isa {
namespace {

/// Where the active lanes are, and which these are.
using Place = std::pair<std::uint32_t, LaneMask>;
Place place(const SimtStack& stack) {
    return {stack.pc(), stack.active()};
}

TEST_CASE("a branch that all lanes take alike does not diverge") {
    SimtStack stack(0, 0xff);
    stack.branch(0xff, 10, 1, 20);
    CHECK(stack.pc() == 10);
    stack.branch(0, 30, 11, 20);
    CHECK(place(stack) == Place{11, 0xff});
    CHECK(stack.depth() == 1);
}

TEST_CASE("the fall-through lanes run first, then the taken ones, then all from the reconvergence point") {
    SimtStack stack(0, kFullMask);
    stack.branch(0x0000ffff, 10, 1, 20);
    CHECK(place(stack) == Place{1, 0xffff0000});
    CHECK(stack.alive() == kFullMask);
    CHECK(stack.diverged());
    stack.branch(0xffff0000, 20, 2, kNoTarget);  // jumps over the taken path
    CHECK(place(stack) == Place{10, 0x0000ffff});
    for (int i = 0; i < 10; ++i) { stack.advance(); }
    CHECK(place(stack) == Place{20, kFullMask});
    CHECK_FALSE(stack.diverged());
}

TEST_CASE("nested divergence reconverges from the inside out") {
    SimtStack stack(0, 0xf);
    stack.branch(0x3, 50, 1, 100);  // lanes 2, 3 at 1
    stack.branch(0x4, 20, 2, 30);   // lane 3 at 2, lane 2 at 20
    CHECK(stack.active() == 0x8);
    stack.branch(0x8, 30, 3, kNoTarget);
    CHECK(place(stack) == Place{20, 0x4});
    stack.branch(0x4, 30, 21, kNoTarget);
    CHECK(place(stack) == Place{30, 0xc});
    stack.branch(0xc, 100, 31, kNoTarget);
    CHECK(place(stack) == Place{50, 0x3});
    stack.branch(0x3, 100, 51, kNoTarget);
    CHECK(place(stack) == Place{100, 0xf});
}

TEST_CASE("the lanes of other paths are told once each, with the place that they go on from") {
    const auto told = [](const SimtStack& stack) {
        std::vector<Place> places;
        stack.for_each_later([&](std::uint32_t pc, LaneMask lanes) { places.emplace_back(pc, lanes); });
        return places;
    };
    using Places = std::vector<Place>;
    SimtStack stack(0, 0x1f);
    CHECK(told(stack).empty());
    stack.branch(0x10, 100, 1, 100);  // lane 4 waits at the reconvergence point
    CHECK(told(stack) == Places{{100, 0x10}});
    stack.branch(0x3, 50, 2, 90);
    stack.branch(0x4, 20, 3, 30);  // lane 3 runs at 3
    CHECK(stack.active() == 0x8);
    CHECK(told(stack) == Places{{20, 0x4}, {50, 0x3}, {100, 0x10}});
    stack.exit(0x8);
    CHECK(stack.active() == 0x4);
    CHECK(told(stack) == Places{{50, 0x3}, {100, 0x10}});
}

TEST_CASE("nested branches with one reconvergence point merge there together") {
    SimtStack stack(0, 0xf);
    stack.branch(0x1, 10, 1, 40);
    stack.branch(0x2, 20, 2, 40);
    CHECK(stack.active() == 0xc);
    stack.branch(0xc, 40, 3, kNoTarget);
    CHECK(stack.active() == 0x2);
    stack.branch(0x2, 40, 21, kNoTarget);
    CHECK(stack.active() == 0x1);
    stack.branch(0x1, 40, 11, kNoTarget);
    CHECK(stack.active() == 0xf);
    CHECK(stack.depth() == 1);
}

TEST_CASE("a loop with divergent trip counts runs each lane its own count and does not deepen the stack") {
    // 0: body; 1: lanes with trips left go to 0; 2: after
    SimtStack stack(0, kFullMask);
    std::vector<unsigned> trips(kWarpSize);
    std::size_t deepest = 0;
    while (stack.pc() != 2) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            if (stack.active() >> lane & 1) { ++trips[lane]; }
        }
        stack.advance();
        LaneMask again = 0;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            if ((stack.active() >> lane & 1) && trips[lane] < lane + 1) { again |= LaneMask{1} << lane; }
        }
        stack.branch(again, 0, 2, 2);
        deepest = std::max(deepest, stack.depth());
    }
    CHECK(stack.active() == kFullMask);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) { CHECK(trips[lane] == lane + 1); }
    CHECK(deepest == 2);
}

TEST_CASE("lanes that exit inside a divergent path are not waited for") {
    SimtStack stack(0, 0xf);
    stack.branch(0x3, 10, 1, 20);
    stack.exit(0xc);  // the whole fall-through path
    CHECK(place(stack) == Place{10, 0x3});
    stack.exit(0x1);  // half of the other path: the rest continues
    CHECK(place(stack) == Place{11, 0x2});
    stack.branch(0x2, 20, 12, kNoTarget);
    CHECK(place(stack) == Place{20, 0x2});
    CHECK_FALSE(stack.done());
    stack.exit(0x2);
    CHECK(stack.done());
    CHECK(stack.alive() == 0);
}

TEST_CASE("a whole warp that exits inside divergence is done and never runs from the reconvergence point") {
    SimtStack stack(0, 0x3);
    stack.branch(0x1, 10, 1, 20);
    stack.exit(0x2);
    stack.exit(0x1);
    CHECK(stack.done());
    CHECK(stack.depth() == 0);
}

TEST_CASE("a branch that reconverges at exit only runs both paths to their ends") {
    SimtStack stack(0, 0xf);
    stack.branch(0x1, 10, 1, kNoTarget);
    CHECK(stack.active() == 0xe);
    stack.branch(0x2, 20, 2, kNoTarget);
    CHECK(stack.active() == 0xc);
    stack.exit(0xc);
    CHECK(place(stack) == Place{20, 0x2});
    stack.exit(0x2);
    CHECK(place(stack) == Place{10, 0x1});
    stack.exit(0x1);
    CHECK(stack.done());
}

TEST_CASE("a branch that reconverges at exit only still merges at an enclosing reconvergence point") {
    SimtStack stack(0, 0xf);
    stack.branch(0x1, 10, 1, 40);
    stack.branch(0x2, 20, 2, kNoTarget);
    CHECK(stack.active() == 0xc);
    stack.branch(0xc, 40, 3, kNoTarget);
    CHECK(stack.pc() == 20);
    stack.exit(0x2);
    CHECK(stack.pc() == 10);
    stack.branch(0x1, 40, 11, kNoTarget);
    CHECK(place(stack) == Place{40, 0xd});
}

/// A binary decision tree 32 leaves wide: deeper than the inline storage.
SimtStack deep_stack(unsigned levels) {
    SimtStack stack(0, kFullMask);
    for (unsigned level = 0; level < levels; ++level) {
        const LaneMask lowest = stack.active() & (~stack.active() + 1);
        stack.branch(lowest, 1000 + level, stack.pc() + 1, 2000 - level);
    }
    return stack;
}

TEST_CASE("the stack grows beyond its inline capacity and unwinds from there") {
    SimtStack stack = deep_stack(20);
    CHECK(stack.depth() == 41);
    CHECK(stack.active() == 0xfff00000);
    for (unsigned level = 20; level-- > 0;) {
        stack.branch(stack.active(), 2000 - level, 0, kNoTarget);  // the fall-through path reaches its end
        CHECK(stack.pc() == 1000 + level);
        CHECK(stack.active() == LaneMask{1} << level);
        stack.branch(stack.active(), 2000 - level, 0, kNoTarget);
        CHECK(stack.active() == kFullMask << level);
    }
    CHECK(stack.depth() == 1);
}

TEST_CASE("a stack that was saved and loaded is equal, has the same hash and goes on alike") {
    for (unsigned levels : {0u, 1u, 2u, 3u, 9u, 30u}) {
        SimtStack original = deep_stack(levels);
        SimtStack copy = deep_stack(5);
        load_state(copy, saved_state(original));
        CHECK(copy == original);
        CHECK(hash_of_state(copy) == hash_of_state(original));
        copy.exit(copy.active());
        CHECK_FALSE(copy == original);
        CHECK_FALSE(hash_of_state(copy) == hash_of_state(original));
        original.exit(original.active());
        CHECK(copy == original);
    }
}

/// One lane's walk through a structured random program gives the sequence of instructions that both models must give to
/// every lane.
struct RandomProgram {
    struct Branch {
        std::uint32_t target, reconvergence;
    };
    std::vector<int> kind;  // 0 plain, 1 branch, 2 exit
    std::vector<Branch> branch;
    std::mt19937_64& random;

    explicit RandomProgram(std::mt19937_64& r) : random(r) {
        block(4);
        emit(2);
    }
    void emit(int k) {
        kind.push_back(k);
        branch.push_back({});
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(kind.size()); }
    void block(int depth) {
        const unsigned statements = 1 + random() % 3;
        for (unsigned i = 0; i < statements; ++i) {
            emit(0);
            if (depth == 0) { continue; }
            switch (random() % 4) {
                case 0: {  // if-then
                    const std::uint32_t at = size();
                    emit(1);
                    block(depth - 1);
                    branch[at] = {size(), size()};
                    break;
                }
                case 1: {  // if-then-else; the jump over the else part is a branch that all take
                    const std::uint32_t at = size();
                    emit(1);
                    block(depth - 1);
                    const std::uint32_t jump = size();
                    emit(3);
                    const std::uint32_t other = size();
                    block(depth - 1);
                    branch[at] = {other, size()};
                    branch[jump] = {size(), kNoTarget};
                    break;
                }
                case 2: {  // do-while
                    const std::uint32_t start = size();
                    block(depth - 1);
                    const std::uint32_t at = size();
                    emit(1);
                    branch[at] = {start, size()};
                    break;
                }
                default:
                    if (random() % 4 == 0) {
                        emit(4);  // some lanes exit
                    }
            }
        }
    }
};

Instruction branch_of(std::uint32_t target, std::uint32_t reconvergence, bool yields) {
    Instruction branch;
    branch.operation = Operation::bra;
    branch.target = target;
    branch.reconvergence = reconvergence;
    branch.yields = yields;
    return branch;
}

TEST_CASE("random structured programs run every lane's own path, each instruction once, in order") {
    std::mt19937_64 random(lookahead::test::random_seed());
    for (int round = 0; round < 300; ++round) {
        const RandomProgram program(random);
        const std::uint64_t salt = random();
        // A lane's n-th decision at an instruction is a function of (lane, pc, n).
        const auto decide = [salt](unsigned lane, std::uint32_t pc, unsigned n, unsigned odds) {
            std::uint64_t x =
                salt ^ (lane * 0x9e3779b97f4a7c15ull) ^ (std::uint64_t{pc} << 32) ^ (n * 0xc2b2ae3d27d4eb4full);
            x ^= x >> 31;
            x *= 0xbf58476d1ce4e5b9ull;
            x ^= x >> 29;
            return x % odds == 0;
        };
        std::vector<std::vector<std::uint32_t>> expected(kWarpSize), actual(kWarpSize);
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            std::vector<unsigned> visits(program.size());
            for (std::uint32_t pc = 0;;) {
                expected[lane].push_back(pc);
                const unsigned n = visits[pc]++;
                const int kind = program.kind[pc];
                if (kind == 2 || (kind == 4 && decide(lane, pc, n, 3))) { break; }
                const bool taken = kind == 3 || (kind == 1 && decide(lane, pc, n, 2));
                pc = taken ? program.branch[pc].target : pc + 1;
            }
        }
        for (const SimtModel model : {SimtModel::stack, SimtModel::convergence_barrier}) {
            for (auto& lane : actual) { lane.clear(); }
            std::vector<std::vector<unsigned>> visits(kWarpSize, std::vector<unsigned>(program.size()));
            SimtState stack;
            stack.start(model, 0, kFullMask);
            while (!stack.done()) {
                const std::uint32_t pc = stack.pc();
                const int kind = program.kind[pc];
                LaneMask chosen = 0;
                for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                    if (!(stack.active() >> lane & 1)) { continue; }
                    actual[lane].push_back(pc);
                    const unsigned n = visits[lane][pc]++;
                    const bool yes = kind == 3 || kind == 2 || (kind == 1 && decide(lane, pc, n, 2)) ||
                                     (kind == 4 && decide(lane, pc, n, 3));
                    if (yes) { chosen |= LaneMask{1} << lane; }
                }
                if (kind == 1 || kind == 3) {
                    stack.branch(chosen, branch_of(program.branch[pc].target, program.branch[pc].reconvergence,
                                                   random() % 8 == 0));
                } else if (chosen != 0) {
                    stack.exit(chosen);
                } else {
                    stack.advance();
                }
            }
            REQUIRE(actual == expected);
        }
    }
}

}  // namespace
}  // namespace lookahead::isa
