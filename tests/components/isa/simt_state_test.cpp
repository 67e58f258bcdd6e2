// SimtState under convergence barriers; under `stack` it is SimtStack, which has its own tests.
#include "components/isa/simt_state.h"

#include <doctest/doctest.h>

#include <bit>
#include <random>
#include <utility>
#include <vector>

#include "core/state/archives.h"
#include "tests/support/seed.h"

namespace lookahead::isa {
namespace {

using Arrival = SimtState::Arrival;
constexpr LaneMask kLow = 0x0000ffff, kHigh = 0xffff0000;
constexpr std::uint64_t kKey = 7;

/// Where the lanes that run are, and which these are.
using Place = std::pair<std::uint32_t, LaneMask>;
Place place(const SimtState& warp) {
    return {warp.pc(), warp.active()};
}

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
    CHECK(place(warp) == Place{1, kHigh});
    CHECK(warp.alive() == kFullMask);
    advance(warp, 19);
    CHECK(place(warp) == Place{10, kLow});
    advance(warp, 9);
    CHECK(warp.diverged());
    advance(warp, 1);
    CHECK(place(warp) == Place{20, kFullMask});
    CHECK_FALSE(warp.diverged());
}

TEST_CASE("nobody waits at a convergence barrier for lanes that have ended") {
    SimtState warp = split_warp();
    advance(warp, 19);
    warp.exit(kLow);
    CHECK(place(warp) == Place{20, kHigh});
    CHECK(warp.alive() == kHigh);
    warp.exit(kHigh);
    CHECK(warp.done());
}

TEST_CASE("lanes that all are there meet at once, others wait until the last has come") {
    SimtState together = warp_at(5);
    CHECK((together.meet(kFullMask, kFullMask, kKey) == Arrival::alone));
    CHECK(place(together) == Place{5, kFullMask});

    SimtState warp = split_warp();
    CHECK((warp.meet(kHigh, kFullMask, kKey) == Arrival::apart));
    CHECK(warp.meetings().empty());
    CHECK(place(warp) == Place{10, kLow});
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
        CHECK(place(warp) == (yields ? Place{10, kLow} : Place{1, kHigh}));
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
    CHECK(place(warp) == Place{20, kHigh});
    CHECK(turns >= SimtState::kPatience / SimtState::kYieldCost);
    CHECK(turns <= 2 * SimtState::kPatience / SimtState::kYieldCost);
}

Instruction barrier(Operation operation, std::uint8_t number, std::uint32_t target = kNoTarget) {
    Instruction instruction;
    instruction.operation = operation;
    instruction.mode = number;
    instruction.target = target;
    return instruction;
}

TEST_CASE("lanes meet where the barrier that they opened says; those that leave it go on alone") {
    SimtState warp = warp_at(0);
    warp.converge(kFullMask, barrier(Operation::open_barrier, 3, 30));
    CHECK(warp.pc() == 1);
    warp.branch(kLow, branch_to(10, kNoTarget));
    REQUIRE(warp.active() == kHigh);
    warp.converge(0xf0000000, barrier(Operation::leave_barrier, 3));
    CHECK(warp.pc() == 3);
    warp.branch(0xf0000000, branch_to(50, kNoTarget));
    REQUIRE(warp.active() == 0x0fff0000);
    advance(warp, 26);  // to 30, where they wait for the low lanes, not for those that left
    CHECK(place(warp) == Place{50, 0xf0000000});
    warp.exit(0xf0000000);
    CHECK(warp.active() == kLow);
    advance(warp, 20);
    CHECK(place(warp) == Place{30, kFullMask & ~0xf0000000});
}

TEST_CASE("a barrier that all lanes leave does not hold them, nor one that its last other lanes leave or exit from") {
    for (const bool exits : {false, true}) {
        SimtState warp = warp_at(0);
        warp.converge(kFullMask, barrier(Operation::open_barrier, 0, 30));
        warp.branch(kLow, branch_to(29, kNoTarget));
        advance(warp, 5);
        if (exits) {
            warp.exit(kHigh);
        } else {
            warp.converge(kHigh, barrier(Operation::leave_barrier, 0));
            CHECK(warp.active() == kHigh);
            advance(warp, 60);  // past the place of the barrier
            CHECK(warp.active() == kHigh);
            warp.exit(kHigh);
        }
        CHECK(warp.active() == kLow);
        advance(warp, 1);
        CHECK(place(warp) == Place{30, kLow});
        CHECK(warp.paths() == 1);
    }
    SimtState warp = warp_at(0);
    warp.converge(kFullMask, barrier(Operation::open_barrier, 0, 30));
    warp.converge(kFullMask, barrier(Operation::leave_barrier, 0));
    warp.branch(kLow, branch_to(40, kNoTarget));
    advance(warp, 60);
    CHECK(warp.active() == kHigh);
}

TEST_CASE("lanes that all leave an outer barrier inside an inner one still meet at the inner one's end") {
    SimtState warp = warp_at(0);
    warp.converge(kFullMask, barrier(Operation::open_barrier, 0, 40));
    warp.converge(kFullMask, barrier(Operation::open_barrier, 1, 30));
    warp.converge(kFullMask, barrier(Operation::leave_barrier, 0));
    warp.converge(kFullMask, barrier(Operation::open_barrier, 2, 20));  // in the place of the first
    for (const std::uint32_t end : {20u, 30u}) {
        warp.branch(kLow, branch_to(end - 1, kNoTarget));
        REQUIRE(warp.active() == kHigh);
        while (warp.active() == kHigh) { warp.advance(); }
        warp.advance();
        CHECK(place(warp) == Place{end, kFullMask});
    }
    warp.branch(kLow, branch_to(39, kNoTarget));
    advance(warp, 20);
    CHECK(warp.pc() > 40);  // nobody waits at 40
    CHECK(warp.active() == kHigh);
}

TEST_CASE("on a stack the code's own barriers have no effect") {
    SimtState warp;
    warp.start(SimtModel::stack, 0, kFullMask);
    warp.converge(kFullMask, barrier(Operation::open_barrier, 0, 4));
    warp.branch(kLow, branch_to(10, kNoTarget));
    warp.converge(kHigh, barrier(Operation::leave_barrier, 0));
    advance(warp, 20);
    CHECK(warp.active() == kHigh);
}

/// A random program of nested ifs, switches and loops, each in a barrier of its own depth, with ways out of any of the
/// enclosing ones, also by exits. Conditions depend on the lane and on how often it has been there.
struct Program {
    enum class Kind : std::uint8_t { work, branch, choose, open, leave, exit };
    struct Step {
        Kind kind = Kind::work;
        unsigned condition = 0;  ///< 0: always
        std::uint32_t target = 0;
        std::uint8_t number = 0;
        std::vector<std::uint32_t> choices{};
    };
    std::vector<Step> steps;
    std::vector<std::vector<std::uint32_t>> ways_out;  ///< by depth: branches to the end of its barrier
    std::mt19937_64 random;
    unsigned conditions = 0;

    explicit Program(std::uint64_t seed) : random(seed) {
        body(0);
        steps.push_back({Kind::exit});
    }
    std::uint32_t here() const { return static_cast<std::uint32_t>(steps.size()); }
    void body(unsigned depth) {
        const std::uint32_t opening = here();
        steps.push_back({Kind::open, 0, 0, static_cast<std::uint8_t>(depth)});
        ways_out.emplace_back();
        const auto parts = [&] {
            for (auto count = 1 + random() % 3; count > 0; --count) { part(depth); }
        };
        switch (random() % 3) {
            case 0: {  // a loop
                const std::uint32_t first = here();
                parts();
                steps.push_back({Kind::branch, ++conditions, first});
                break;
            }
            case 1: {  // an if with an else
                const std::uint32_t test = here();
                steps.push_back({Kind::branch, ++conditions});
                parts();
                ways_out[depth].push_back(here());
                steps.push_back({Kind::branch});
                steps[test].target = here();
                parts();
                break;
            }
            default: {  // a switch
                const std::uint32_t choice = here();
                steps.push_back({Kind::choose, ++conditions});
                for (unsigned i = 0; i < 3; ++i) {
                    steps[choice].choices.push_back(here());
                    parts();
                    ways_out[depth].push_back(here());
                    steps.push_back({Kind::branch});
                }
            }
        }
        for (const std::uint32_t way : ways_out[depth]) { steps[way].target = here(); }
        ways_out.pop_back();
        steps.push_back({});  // BSYNC
        steps[opening].target = here();
    }
    void part(unsigned depth) {
        steps.push_back({});
        const auto what = random() % 8;
        if (what < 3 && depth < 3) { return body(depth + 1); }
        if (what == 3) { return steps.push_back({Kind::exit, ++conditions}); }
        if (what > 5 || depth == 0) { return; }
        // Out of some of the enclosing barriers, to the end of the next one.
        const auto to = static_cast<unsigned>(random() % depth);
        ++conditions;
        for (unsigned level = depth; level > to; --level) {
            steps.push_back({Kind::leave, conditions, 0, static_cast<std::uint8_t>(level)});
        }
        ways_out[to].push_back(here());
        steps.push_back({Kind::branch, conditions});
    }
};

/// What one thread does, without any others.
struct Thread {
    std::uint64_t lane = 0;
    std::vector<unsigned> times;  ///< by step

    /// Whether the step's condition holds now, or which choice it takes.
    std::uint64_t draw(const Program& program, std::uint32_t pc) {
        const unsigned condition = program.steps[pc].condition;
        if (condition == 0) { return 0; }
        const unsigned time = times[pc]++;
        if (time > 5) { return 1; }  // loops end
        std::uint64_t mixed =
            (lane / 3 + 1) * 0x9e3779b97f4a7c15 ^ condition * 0xc2b2ae3d27d4eb4f ^ time * 0x165667b19e3779f9;
        mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9;
        return mixed >> 40;
    }
};

TEST_CASE("random programs with barriers: each lane goes its way, and all that a barrier holds meet at its end") {
    for (std::uint64_t round = 0; round < lookahead::test::often(300); ++round) {
        const std::uint64_t seed = lookahead::test::random_seed() + round;
        CAPTURE(seed);
        const Program program(seed);
        std::vector<Thread> alone(kWarpSize), together(kWarpSize);
        std::vector<std::vector<std::uint32_t>> expected(kWarpSize), got(kWarpSize);
        const auto next = [&](Thread& thread, std::uint32_t pc) -> std::uint32_t {
            const Program::Step& step = program.steps[pc];
            const std::uint64_t drawn = thread.draw(program, pc);
            const bool holds = drawn % 3 == 0;
            switch (step.kind) {
                case Program::Kind::branch:
                    return holds ? step.target : pc + 1;
                case Program::Kind::choose:
                    return step.choices[drawn % step.choices.size()];
                case Program::Kind::exit:
                case Program::Kind::leave:
                    return holds ? kNoTarget : pc + 1;  // of `leave`: it leaves
                default:
                    return pc + 1;
            }
        };
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            alone[lane] = together[lane] = {lane, std::vector<unsigned>(program.steps.size())};
            for (std::uint32_t pc = 0; pc != kNoTarget;) {
                expected[lane].push_back(pc);
                const bool leaves = program.steps[pc].kind == Program::Kind::leave;
                const std::uint32_t to = next(alone[lane], pc);
                pc = leaves ? pc + 1 : to;
            }
        }
        struct Opened {
            std::uint32_t end;
            std::uint8_t number;
            LaneMask members;
        };
        std::vector<Opened> opened;
        SimtState warp = warp_at(0);
        while (!warp.done()) {
            const std::uint32_t pc = warp.pc();
            const LaneMask active = warp.active();
            REQUIRE(pc < program.steps.size());
            const Program::Step& step = program.steps[pc];
            for (Opened& each : opened) {
                if (each.end != pc || (each.members & active) == 0) { continue; }
                REQUIRE((each.members & ~active) == 0);
                each.members = 0;
            }
            std::uint32_t to[kWarpSize];
            LaneMask holds = 0;
            for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                if ((active >> lane & 1) == 0) { continue; }
                got[lane].push_back(pc);
                to[lane] = next(together[lane], pc);
                holds |= LaneMask{to[lane] != pc + 1} << lane;
            }
            switch (step.kind) {
                case Program::Kind::work:
                    warp.advance();
                    break;
                case Program::Kind::branch:
                    warp.branch(holds, branch_to(step.target, kNoTarget));
                    break;
                case Program::Kind::choose:
                    for (LaneMask rest = active; rest != 0;) {
                        LaneMask alike = 0;
                        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                            const bool same = (rest >> lane & 1) != 0 && to[lane] == to[std::countr_zero(rest)];
                            alike |= LaneMask{same} << lane;
                        }
                        const std::uint32_t target = to[std::countr_zero(rest)];
                        REQUIRE(warp.pc() == pc);
                        warp.jump(alike, target);
                        rest &= ~alike;
                    }
                    break;
                case Program::Kind::open:
                    opened.push_back({step.target, step.number, active});
                    warp.converge(active, barrier(Operation::open_barrier, step.number, step.target));
                    break;
                case Program::Kind::leave:
                    for (Opened& each : opened) {
                        if (each.number == step.number) { each.members &= ~holds; }
                    }
                    warp.converge(holds, barrier(Operation::leave_barrier, step.number));
                    break;
                case Program::Kind::exit:
                    for (Opened& each : opened) { each.members &= ~holds; }
                    if (step.condition == 0) { holds = active; }
                    holds == 0 ? warp.advance() : warp.exit(holds);
                    break;
            }
        }
        for (unsigned lane = 0; lane < kWarpSize; ++lane) { REQUIRE(got[lane] == expected[lane]); }
    }
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
