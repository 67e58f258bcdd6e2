#include <doctest/doctest.h>

#include "components/cache/read_only_cache.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/print_cycles.h"
#include "tests/components/sm/sm_harness.h"

namespace lookahead::test::instruction_cache_tests {
namespace {

using gpu::ReadOnlyCache;
using Answer = ReadOnlyCache::Answer;

constexpr std::uint64_t line(unsigned number) {
    return isa::kCodeBase + 128 * std::uint64_t{number};
}

/// A miss followed by its fill.
void bring(ReadOnlyCache& cache, unsigned number) {
    REQUIRE(cache.access(line(number), 0, true) == Answer::missed);
    cache.fill(cache.last_miss());
}

TEST_CASE("a read-only cache hits what it was filled with, and replaces the line that was used longest ago") {
    ReadOnlyCache cache({.sets = 1, .ways = 3, .mshrs = 1});
    for (const unsigned number : {0, 1, 2}) { bring(cache, number); }
    CHECK(cache.access(line(0), 0, true) == Answer::hit);
    bring(cache, 3);
    CHECK(cache.access(line(0), 0, true) == Answer::hit);
    CHECK(cache.access(line(2), 0, true) == Answer::hit);
    CHECK(cache.access(line(1), 0, false) == Answer::refused);
}

TEST_CASE("lines of different sets do not replace each other") {
    ReadOnlyCache cache({.sets = 2, .ways = 1, .mshrs = 1});
    bring(cache, 0);
    bring(cache, 1);
    CHECK(cache.access(line(0), 0, true) == Answer::hit);
    bring(cache, 2);
    CHECK(cache.access(line(1), 0, true) == Answer::hit);
    CHECK(cache.access(line(0), 0, true) == Answer::missed);
}

TEST_CASE("readers of a line that is awaited join its miss up to the limit, and all are told") {
    ReadOnlyCache cache({.sets = 1, .ways = 1, .mshrs = 2, .merges = 3});
    CHECK(cache.access(line(0), 5, true) == Answer::missed);
    const unsigned miss = cache.last_miss();
    CHECK(cache.access(line(0), 6, false) == Answer::merged);
    CHECK(cache.access(line(0), 7, true) == Answer::merged);
    CHECK(cache.access(line(0), 8, true) == Answer::refused);
    CHECK(cache.access(line(1), 9, true) == Answer::missed);
    CHECK(cache.access(line(2), 10, true) == Answer::refused);
    CHECK(cache.fill(miss).readers == (std::uint64_t{1} << 5 | std::uint64_t{1} << 6 | std::uint64_t{1} << 7));
    CHECK(cache.access(line(2), 10, true) == Answer::missed);
    CHECK(cache.counters().misses == 3);
    CHECK(cache.counters().merges == 2);
    CHECK(cache.counters().refusals == 2);
}

TEST_CASE("a prefetch asks for what is neither there nor awaited, and is no use of the line") {
    ReadOnlyCache cache({.sets = 1, .ways = 2, .mshrs = 1});
    bring(cache, 0);
    bring(cache, 1);
    CHECK(cache.prefetch(line(0), true) == Answer::hit);
    CHECK(cache.prefetch(line(2), false) == Answer::refused);
    CHECK(cache.prefetch(line(2), true) == Answer::missed);
    const unsigned miss = cache.last_miss();
    CHECK(cache.prefetch(line(2), true) == Answer::merged);
    CHECK(cache.prefetch(line(3), true) == Answer::refused);
    CHECK(cache.access(line(2), 9, true) == Answer::merged);
    const ReadOnlyCache::Filled filled = cache.fill(miss);
    CHECK(filled.readers == std::uint64_t{1} << 9);
    CHECK(filled.evicted == line(0));
    CHECK(cache.counters().prefetches == 1);
    CHECK(cache.counters().hits == 0);
    CHECK(cache.counters().misses == 2);
    CHECK(cache.counters().refusals == 0);
}

/// Straight code over two lines and a bit.
isa::Kernel long_kernel() {
    return independent_chain(Operation::add, Type::u32, 35);
}

TEST_CASE("each line of code is asked for once, when it is first wanted, and a fetch does not pass a line's end") {
    SmHarness harness({long_kernel()}, "[sm]\ninstruction_buffer = 3\noperand_collectors = false\n",
                      {.global_latency = 70});
    harness.launch({.block = {32, 1, 1}});
    const std::vector<Cycle> cycles = harness.issue_cycles(36);
    CHECK(harness.memory().requested_lines() == std::vector<std::uint64_t>{line(0), line(1), line(2)});
    // The line's request leaves in cycle 10, the line comes in cycle 80, and the fetch is in the next cycle.
    CHECK(cycles[0] == 10 + 70 + 1 + 2);
    CHECK(cycles[1] == cycles[0] + 1);
    // Three instructions, and three cycles for the next three; instruction 15 is the line's last.
    CHECK(cycles[3] == cycles[2] + 2 + 0);
    CHECK(cycles[15] == cycles[14] + 2);
    CHECK(cycles[16] == cycles[15] + 70 + 1 + 2);
    CHECK(cycles[17] == cycles[16] + 1);
    CHECK(cycles[32] == cycles[31] + 70 + 1 + 2);
}

TEST_CASE("a stream buffer asks for the lines behind a fetch's, one a cycle, as far as it goes and the kernel does") {
    const auto issued = [](const std::string& keys, unsigned lines) {
        SmHarness harness({long_kernel(), long_kernel()},
                          "[sm]\ninstruction_buffer = 3\noperand_collectors = false\n[l1i]\n" + keys,
                          {.global_latency = 70});
        harness.launch({.block = {32, 1, 1}});
        const std::vector<Cycle> cycles = harness.issue_cycles(36);
        CHECK(harness.memory().requested_lines().size() == lines);
        return cycles;
    };
    const auto two = issued("mshrs = 3\nprefetch_lines = 2\n", 3),
               sixty = issued("mshrs = 64\nprefetch_lines = 64\n", 3);
    CHECK(two == sixty);
    // The first line comes as before; the next two have come when they are needed.
    CHECK(two[0] == 10 + 70 + 1 + 2);
    CHECK(two[16] == two[15] + 2);
    CHECK(two[32] == two[31] + 2);
    // One line ahead: the third is requested at the second one's first fetch, when nothing else is.
    const auto one = issued("mshrs = 3\nprefetch_lines = 1\n", 3);
    CHECK(one[16] == one[15] + 2);
    CHECK(one[32] == one[15] + 70 + 3);
    // One miss register: the second line is requested when the first has come, and comes 70 cycles later.
    const auto waiting = issued("mshrs = 1\nprefetch_lines = 2\n", 3);
    CHECK(waiting[0] == two[0]);
    CHECK(waiting[16] > two[16]);
    CHECK(waiting[16] < waiting[15] + 70);
}

TEST_CASE("warps that wait for the same line go on one a cycle when it has come") {
    SmHarness harness({independent_chain(Operation::add, Type::u32, 1)}, "[sm]\noperand_collectors = false\n",
                      {.global_latency = 70});
    harness.launch({.block = {32 * 4, 1, 1}});
    const std::vector<Cycle> cycles = harness.issue_cycles(4);
    CHECK(cycles.front() == 10 + 70 + 1 + 2);
    harness.run();
    CHECK(harness.memory().requested_lines().size() == 1);
    CHECK(harness.counters().fetches == 4);
}

TEST_CASE("groups of warps that miss one line in a cycle ask for it once, and each goes on when it has come") {
    SmHarness harness({independent_chain(Operation::add, Type::u32, 1)},
                      "[sm]\noperand_collectors = false\nprivate_fetch = true\n", {.global_latency = 70});
    harness.launch({.block = {32 * 4, 1, 1}});
    const Cycle first = 10 + 70 + 1 + 2;
    CHECK(harness.issue_cycles(4) == std::vector<Cycle>{first, first, first + 1, first + 1});
    CHECK(harness.memory().requested_lines().size() == 1);
    CHECK(harness.counters().fetches == 4);
}

/// Even warps continue from the last instruction of a line to the next line, odd ones branch to the line after that.
isa::Kernel parting_kernel() {
    KernelBuilder k("parting", {});
    const auto tid = k.reg(), parity = k.reg();
    const auto odd = k.predicate();
    const auto odd_line = k.label();
    const auto pad_to = [&](unsigned instructions) {
        while (k.last().line < instructions) { k.op(Operation::nop, Type::none, {}, {}); }
    };
    k.special(tid, isa::SpecialRegister::tid_x);
    k.op(Operation::bit_and, Type::b32, parity, {tid, k.literal(32)});
    k.setp(isa::Comparison::ne, Type::u32, odd, parity, k.literal(0));
    pad_to(15);
    k.branch_if(odd, odd_line);
    k.exit();
    pad_to(32);
    k.bind(odd_line);
    return k.finish();
}

TEST_CASE(
    "groups that miss different lines take turns at the last miss register, and need no turns where there are two") {
    for (const char* mshrs : {"1", "2"}) {
        CAPTURE(mshrs);
        SmHarness harness(
            {parting_kernel()},
            "[sm]\noperand_collectors = false\nprivate_fetch = true\nbranch_latency = 1\n[l1i]\nmshrs = " +
                std::string(mshrs) + "\n",
            {.global_latency = 70});
        harness.run_to_end({.block = {64, 1, 1}});
        std::vector<std::uint64_t> lines = harness.memory().requested_lines();
        REQUIRE(lines.size() == 3);
        CHECK(lines == std::vector<std::uint64_t>{line(0), line(2), line(1)});
        // A second wait of 70 cycles, for lack of a miss register.
        CHECK((harness.sm().counters().active_cycles > 3 * 70) == (std::string(mshrs) == "1"));
    }
}

TEST_CASE("code stays in the instruction cache from one launch to the next") {
    SmHarness harness({long_kernel()});
    harness.run_to_end({.block = {32, 1, 1}});
    harness.run_to_end({.block = {32, 1, 1}, .begin = harness.now() + 10});
    CHECK(harness.memory().requested_lines().size() == 3);
}

TEST_CASE("kernels have their code in different lines") {
    SmHarness harness({long_kernel(), long_kernel()});
    harness.run_to_end({.block = {32, 1, 1}});
    harness.run_to_end({.block = {32, 1, 1}, .kernel = 1, .begin = harness.now() + 10});
    CHECK(harness.memory().requested_lines() ==
          std::vector<std::uint64_t>{line(0), line(1), line(2), line(3), line(4), line(5)});
}

TEST_CASE("the first use of a line of parameters waits for memory, in each launch; literals and later uses do not") {
    KernelBuilder k("parameters", {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4});
    const auto x = k.reg(), y = k.reg();
    k.op(Operation::mov, Type::u32, x, {k.literal(7)});
    k.op(Operation::mov, Type::u32, x, {k.parameter(0)});
    k.op(Operation::mov, Type::u32, y, {k.parameter(1)});
    k.op(Operation::mov, Type::u32, y, {k.parameter(9)});
    const std::vector<std::uint32_t> parameters(12, 5);
    SmHarness harness({k.finish()}, "[l1i]\nenabled = false\n[sm]\noperand_collectors = false\n",
                      {.global_latency = 70});
    // Eight words of the launch precede the parameters: parameter 8 is in the second line of 64 bytes.
    harness.launch({.block = {32, 1, 1}, .parameters = parameters});
    const std::vector<Cycle> cycles = harness.issue_cycles(4);
    CHECK(cycles[0] == 12);
    // Its source is needed in the cycle in which the instruction could issue, after the write to the same register.
    CHECK(cycles[1] == 12 + 4 + 70 + 1);
    CHECK(cycles[2] - cycles[1] <= 3);
    CHECK(cycles[3] > cycles[2] + 70);
    REQUIRE(harness.run());
    CHECK(harness.memory().requested_lines() ==
          std::vector<std::uint64_t>{isa::kConstantBankBase, isa::kConstantBankBase});
    harness.run_to_end({.block = {32, 1, 1}, .parameters = parameters, .begin = harness.now() + 10});
    CHECK(harness.memory().requested_lines().size() == 4);
}

}  // namespace
}  // namespace lookahead::test::instruction_cache_tests
