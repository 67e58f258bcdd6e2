// SimtState under convergence barriers; under `stack` it is SimtStack, which has its own tests.
#include "components/isa/simt_state.h"

#include <doctest/doctest.h>

#include <vector>

#include "core/state/archives.h"

namespace lookahead::isa {
namespace {

using Arrival = SimtState::Arrival;
constexpr LaneMask kLow = 0x0000ffff, kHigh = 0xffff0000;
constexpr std::uint64_t kKey = 7;

SimtState warp_at(std::uint32_t pc) {
    SimtState warp;
    warp.start(SimtModel::convergence_barrier, pc, kFullMask);
    return warp;
}

Instruction branch_to(std::uint32_t target, std::uint32_t reconvergence, bool yields = false) {
    Instruction branch;
    branch.operation = Operation::bra;
    branch.target = target;
    branch.reconvergence = reconvergence;
    branch.yields = yields;
    return branch;
}

/// The low lanes wait at 10, the high ones run at 1; all meet at 20.
SimtState split_warp() {
    SimtState warp = warp_at(0);
    warp.branch(kLow, branch_to(10, 20));
    return warp;
}

void advance(SimtState& warp, unsigned times) {
    for (unsigned i = 0; i < times; ++i) { warp.advance(); }
}

TEST_CASE("lanes that fall through run first, and all go on as one from the convergence barrier") {
    SimtState warp = split_warp();
    CHECK(warp.pc() == 1);
    CHECK(warp.active() == kHigh);
    CHECK(warp.alive() == kFullMask);
    advance(warp, 19);
    CHECK(warp.pc() == 10);
    CHECK(warp.active() == kLow);
    advance(warp, 9);
    CHECK(warp.diverged());
    advance(warp, 1);
    CHECK(warp.pc() == 20);
    CHECK(warp.active() == kFullMask);
    CHECK_FALSE(warp.diverged());
}

TEST_CASE("nobody waits at a convergence barrier for lanes that have ended") {
    SimtState warp = split_warp();
    advance(warp, 19);
    warp.exit(kLow);
    CHECK(warp.pc() == 20);
    CHECK(warp.active() == kHigh);
    CHECK(warp.alive() == kHigh);
    warp.exit(kHigh);
    CHECK(warp.done());
}

TEST_CASE("lanes that all are there meet at once, others wait until the last has come") {
    SimtState together = warp_at(5);
    CHECK((together.meet(kFullMask, kFullMask, kKey) == Arrival::alone));
    CHECK(together.pc() == 5);
    CHECK(together.active() == kFullMask);

    SimtState warp = split_warp();
    CHECK((warp.meet(kHigh, kFullMask, kKey) == Arrival::apart));
    CHECK(warp.meetings().empty());
    CHECK(warp.pc() == 10);
    CHECK(warp.active() == kLow);
    CHECK((warp.meet(kLow, kFullMask, kKey) == Arrival::apart));
    REQUIRE(warp.meetings().size() == 1);
    CHECK(warp.meetings()[0].lanes == kFullMask);
    warp.forget_meetings();
    // Each path resumes at its own instruction.
    const std::uint32_t first = warp.pc();
    CHECK((warp.meet(warp.active(), kFullMask, kKey) == Arrival::resumed));
    warp.advance();
    advance(warp, 20 - warp.pc());
    CHECK(first + warp.pc() == 1 + 10);
    CHECK((warp.meet(warp.active(), kFullMask, kKey) == Arrival::resumed));
}

TEST_CASE("lanes meet only in equal instructions and with equal members, and ending lanes are not missed") {
    SimtState warp = split_warp();
    warp.meet(kHigh, kFullMask, kKey);
    warp.meet(kLow, kFullMask, kKey + 1);
    CHECK(warp.meetings().empty());
    CHECK_FALSE(warp.runs());
    CHECK_FALSE(warp.done());
    std::vector<LaneMask> waiting;
    warp.for_each_waiting([&](std::uint32_t, LaneMask lanes, LaneMask) { waiting.push_back(lanes); });
    CHECK(waiting.size() == 2);

    SimtState other = split_warp();
    other.meet(kHigh, kHigh | 1, kKey);
    CHECK(other.active() == kLow);
    other.exit(1);
    REQUIRE(other.meetings().size() == 1);
    CHECK(other.meetings()[0].lanes == kHigh);
}

TEST_CASE("held lanes go on when they are released, not before") {
    SimtState warp = split_warp();
    warp.meet(kHigh, kFullMask, kKey, 0, true);
    warp.meet(kLow, kFullMask, kKey, 0, true);
    REQUIRE(warp.meetings().size() == 1);
    CHECK(warp.meetings()[0].held);
    warp.forget_meetings();
    CHECK_FALSE(warp.runs());
    CHECK(warp.holds());
    warp.release();
    CHECK(warp.runs());
    CHECK_FALSE(warp.holds());
    CHECK((warp.meet(warp.active(), kFullMask, kKey, 0, true) == Arrival::resumed));
}

TEST_CASE("a branch back that yields lets the other path run; one that does not keeps its turn") {
    for (const bool yields : {false, true}) {
        SimtState warp = split_warp();
        advance(warp, 2);
        warp.branch(kHigh, branch_to(1, kNoTarget, yields));
        CHECK(warp.active() == (yields ? kLow : kHigh));
        CHECK(warp.pc() == (yields ? 10 : 1));
    }
}

TEST_CASE("lanes that wait for spinning ones at a convergence barrier are let go when patience ends") {
    SimtState warp = split_warp();
    advance(warp, 19);
    REQUIRE(warp.active() == kLow);
    // The low lanes spin at 10 until the high ones, which wait at 20, have continued.
    int turns = 0;
    while (warp.active() == kLow && turns < 1000) {
        warp.advance();
        warp.branch(kLow, branch_to(10, 20, true));
        ++turns;
    }
    CHECK(warp.active() == kHigh);
    CHECK(warp.pc() == 20);
    CHECK(turns >= SimtState::kPatience / SimtState::kYieldCost);
    CHECK(turns <= 2 * SimtState::kPatience / SimtState::kYieldCost);
}

TEST_CASE("a warp that was saved and loaded has the same hash and goes on alike") {
    SimtState original = split_warp();
    original.branch(0xff000000, branch_to(6, 8));
    original.meet(0x00ff0000, kFullMask, kKey);
    SimtState copy = split_warp();
    load_state(copy, saved_state(original));
    CHECK(hash_of_state(copy) == hash_of_state(original));
    copy.meet(copy.active(), kFullMask, kKey);
    CHECK(hash_of_state(copy) != hash_of_state(original));
    original.meet(original.active(), kFullMask, kKey);
    for (int i = 0; i < 8; ++i) {
        CHECK(hash_of_state(copy) == hash_of_state(original));
        CHECK(copy.pc() == original.pc());
        copy.advance();
        original.advance();
    }
}

}  // namespace
}  // namespace lookahead::isa
