// Removes the clauses of the memory contract that order accesses of one unit. For each clause a program on the unit
// alone, with a memory of scripted delays, shows the loss in the values that it reads or leaves.
// tests/functional/litmus/mutation_test.cpp removes the same clauses on three SMs with random delays.
#include <doctest/doctest.h>

#include <array>
#include <string_view>

#include "core/mutation/rule.h"
#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test {
namespace {

constexpr Cycle kFast = 5;
constexpr Cycle kSlow = 300;
constexpr std::uint32_t kNew = 77;  ///< written by another SM; the memory begins with zeros
constexpr std::uint64_t kFlag = kBase;
constexpr std::uint64_t kData = kBase + 4096;

const isa::Instruction kLoad = make_memory(Operation::load);
const isa::Instruction kStore = make_memory(Operation::store);
const isa::Instruction kFence = make_fence();
const isa::Instruction kRelaxed = make_ordered(Operation::load, Order::relaxed);
const isa::Instruction kAcquire = make_ordered(Operation::load, Order::acquire);
const isa::Instruction kRelease = make_ordered(Operation::store, Order::release);

/// Accesses by lane 0 only.
struct Program : Bench {
    void delay(std::uint64_t slow_line, bool slow_to_owner) {
        memory.set_delay([=](unsigned, std::uint64_t line, bool to_owner) {
            return line == slow_line && to_owner == slow_to_owner ? kSlow : kFast;
        });
    }
    void access(const isa::Instruction& what, std::uint64_t address, unsigned row = 0, std::uint16_t context = 0) {
        MemoryInstruction one = instruction(what, lanes_at(address), 1, row, context);
        one.data[0][0] = kNew;
        issue(one);
    }
    void wait(Cycle cycles) { run_to(now + cycles); }
    void wait_for(const isa::Instruction& what) {
        while (completions.empty() || completions.back().instruction != &what) { step(); }
    }
    std::uint32_t read(unsigned row) {
        REQUIRE(drain());
        return registers.row(row)[0];
    }
};

bool ordered_load_sees_what_l1_does_not() {
    Program program;
    program.access(kLoad, kData);
    REQUIRE(program.read(0) == 0);
    program.memory.set_word(kData, kNew);
    program.access(kRelaxed, kData, 1);
    return program.read(1) == kNew;
}

bool ordered_load_sees_what_an_older_fill_does_not() {
    Program program;
    program.delay(kData, false);
    program.access(kLoad, kData);
    program.wait(2 * kFast);
    program.memory.set_word(kData, kNew);
    program.access(kRelaxed, kData, 1);
    return program.read(1) == kNew && program.read(0) == 0;
}

bool load_after_an_acquire_sees_what_an_older_fill_does_not() {
    Program program;
    program.delay(kData, false);
    program.access(kLoad, kData, 0, 1);
    program.wait(2 * kFast);
    program.memory.set_word(kData, kNew);
    program.access(kAcquire, kFlag, 1);
    program.wait_for(kAcquire);
    program.access(kLoad, kData, 2);
    return program.read(2) == kNew;
}

bool load_after_a_fence_sees_what_a_copy_fetched_while_it_waited_does_not() {
    Program program;
    program.delay(kFlag, false);
    program.access(kStore, kFlag);
    program.issue_fence(kFence);
    program.access(kLoad, kData, 0, 1);
    program.wait(kSlow / 2);
    program.memory.set_word(kData, kNew);
    program.wait_for(kFence);
    program.access(kLoad, kData, 1);
    return program.read(1) == kNew && program.read(0) == 0;
}

bool release_is_seen_after_what_it_releases() {
    Program program;
    program.delay(kData, true);
    bool in_order = true;
    program.memory.set_observer([&](std::uint64_t address, std::uint32_t) {
        in_order &= address == kData || program.memory.word(kData) == kNew;
    });
    program.access(kStore, kData);
    program.access(kRelease, kFlag);
    REQUIRE(program.drain());
    REQUIRE(program.memory.word(kFlag) == kNew);
    return in_order;
}

bool load_after_an_acquire_sees_what_an_older_copy_does_not() {
    Program program;
    program.access(kLoad, kData);
    REQUIRE(program.read(0) == 0);
    program.memory.set_word(kData, kNew);
    program.access(kAcquire, kFlag, 1);
    REQUIRE(program.drain());
    program.access(kLoad, kData, 2);
    return program.read(2) == kNew;
}

bool load_behind_an_acquire_is_not_performed_before_it() {
    Program program;
    program.delay(kFlag, true);
    program.access(kAcquire, kFlag, 0);
    program.access(kLoad, kData, 1);
    program.wait(kSlow / 2);
    program.memory.set_word(kData, kNew);
    program.memory.set_word(kFlag, kNew);
    REQUIRE(program.read(0) == kNew);
    return program.read(1) == kNew;
}

struct Clause {
    std::string_view name;
    bool (*program)();
};

const std::array kClauses{
    Clause{"ordered_load_goes_to_l2", ordered_load_sees_what_l1_does_not},
    Clause{"ordered_load_goes_to_l2", ordered_load_sees_what_an_older_fill_does_not},
    Clause{"invalidation_detaches_fills", load_after_an_acquire_sees_what_an_older_fill_does_not},
    Clause{"fence_starts_generation", load_after_a_fence_sees_what_a_copy_fetched_while_it_waited_does_not},
    Clause{"release_waits", release_is_seen_after_what_it_releases},
    Clause{"acquire_starts_generation", load_after_an_acquire_sees_what_an_older_copy_does_not},
    Clause{"acquire_holds_younger_accesses", load_behind_an_acquire_is_not_performed_before_it}};

TEST_CASE("every program reads what the contract says") {
    for (const Clause& clause : kClauses) { CHECK_MESSAGE(clause.program(), clause.name); }
}

TEST_CASE("without a clause its own programs go wrong, and no other") {
    for (const Clause& lost : kClauses) {
        const mutation::Without rule(lost.name);
        for (const Clause& clause : kClauses) {
            // An acquire without a new generation keeps the older fills too.
            const bool follows =
                lost.name == "acquire_starts_generation" && clause.name == "invalidation_detaches_fills";
            CAPTURE(lost.name);
            CHECK_MESSAGE(clause.program() == (clause.name != lost.name && !follows), clause.name);
        }
    }
}

}  // namespace
}  // namespace lookahead::gpu::test
