#include <doctest/doctest.h>

#include "components/isa/instruction.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/sm_harness.h"

namespace lookahead::test {
namespace {

TEST_CASE("a kernel's loads, arithmetic and stores give the right memory") {
    PlainSmHarness harness({add_index()});
    harness.fill_input(500, [](unsigned i) { return 1000 + i; });
    harness.run_to_end({.grid = {5, 1, 1}, .block = {100, 1, 1}, .parameters = global_parameters()});
    for (unsigned i = 0; i < 500; ++i) { CHECK(harness.memory().global_word(4 * i) == 1000 + 2 * i); }
    CHECK(harness.memory().global_word(4 * 500) == 0);
    CHECK(harness.counters().ctas == 5);
    CHECK(harness.counters().warp_instructions == 5 * 4 * 9);
    CHECK(harness.counters().thread_instructions == 500 * 9);
}

using gpu::GpuMessage;

/// The cycle in which the SM sent a message.
Cycle sent(const SmHarness::Received& message) {
    return message.cycle - SmHarness::kLatency;
}

TEST_CASE("a CTA is reported when its warps have exited and their last result is written back") {
    PlainSmHarness harness({dependent_chain(Operation::add, Type::u32, 1)});
    harness.launch({.block = {32, 1, 1}});
    // The addition issues in cycle 12 and the exit in cycle 13; the addition writes back in cycle 16.
    REQUIRE(harness.run());
    REQUIRE(harness.received().size() == 2);
    CHECK(harness.received()[0].type == GpuMessage::cta_completed);
    CHECK(harness.received()[0].value == 0);
    CHECK(sent(harness.received()[0]) == 16);
}

TEST_CASE("a CTA is not reported while one of its loads is under way, but may be while a store is") {
    for (const bool load : {true, false}) {
        KernelBuilder k("k", {8, 8});
        const auto x = k.reg();
        if (load) {
            k.load(isa::Space::global, Type::u32, x, k.parameter(0));
        } else {
            k.store(isa::Space::global, Type::u32, k.parameter(0), x);
        }
        PlainSmHarness harness({k.finish()}, "", {.global_latency = 200, .store_latency = 200});
        harness.run_to_end({.block = {32, 1, 1}, .parameters = global_parameters()});
        CHECK(sent(harness.received()[0]) == (load ? 12 + 200 + 1 : 14));
        // The kernel's end waits for the store too.
        CHECK(sent(harness.received()[1]) >= 12 + 200);
    }
}

TEST_CASE("the drained message carries the launch's own instruction counts") {
    PlainSmHarness harness({add_index(), dependent_chain(Operation::add, Type::u32, 3)});
    harness.run_to_end({.grid = {3, 1, 1}, .block = {48, 1, 1}, .parameters = global_parameters()});
    harness.run_to_end({.grid = {2, 1, 1}, .block = {32, 1, 1}, .kernel = 1, .begin = harness.now() + 40});
    std::vector<SmHarness::Received> drained;
    for (const SmHarness::Received& message : harness.received()) {
        if (message.type == GpuMessage::sm_drained) { drained.push_back(message); }
    }
    REQUIRE(drained.size() == 2);
    CHECK(drained[0].value == 0);
    CHECK(drained[0].warp_instructions == 3 * 2 * 9);
    CHECK(drained[0].thread_instructions == 3 * 48 * 9);
    CHECK(drained[1].value == 1);
    CHECK(drained[1].warp_instructions == 2 * 4);
    CHECK(drained[1].thread_instructions == 2 * 32 * 4);
    CHECK(harness.counters().launches == 2);
}

TEST_CASE("an SM without CTAs drains at once and is idle between kernels") {
    PlainSmHarness harness({add_index()});
    gpu::KernelBegin begin{};
    begin.grid = begin.block = {1, 1, 1};
    begin.parameter_bytes = 16;
    harness.send(10, begin, global_parameters());
    harness.send(30, gpu::KernelEnd{0});
    harness.run_until(25);
    CHECK_FALSE(harness.sm().finished());
    CHECK(harness.sm().waiting_for() == "CTAs of kernel add_index or its end");
    harness.run_until(1000);
    REQUIRE(harness.received().size() == 1);
    CHECK(sent(harness.received()[0]) == 30);
    CHECK(harness.sm().finished());
    CHECK(harness.sm().next_event_time() == kTimeInfinity);
    CHECK(harness.counters().cycles == 21);
    CHECK(harness.counters().active_cycles == 0);
    CHECK(harness.sm().scheduler_counters()[0][gpu::SchedulerCycle::no_cta] == 21);
}

/// The cycles of a launch with one-warp CTAs that each wait for a load, one CTA at a time.
std::uint64_t cycles_with(std::uint32_t preassigned) {
    PlainSmHarness harness({add_index()}, "[sm]\nmax_ctas = 1\n");
    harness.run_to_end(
        {.grid = {6, 1, 1}, .block = {32, 1, 1}, .parameters = global_parameters(), .preassigned = preassigned});
    CHECK(harness.counters().ctas == 6);
    CHECK(harness.counters().warp_instructions == 6 * 9);
    return harness.counters().cycles;
}

TEST_CASE("a CTA that waits at the SM starts when another completes, without the dispatcher's round trip") {
    const std::uint64_t without = cycles_with(0), with = cycles_with(1);
    // Five replacements save a round trip of two channels each.
    CHECK(without - with == 5 * 2 * SmHarness::kLatency);
}

TEST_CASE("no more CTAs are resident than fit") {
    PlainSmHarness harness({add_index()});
    harness.launch({.grid = {20, 1, 1}, .block = {512, 1, 1}, .parameters = global_parameters()});
    // Three CTAs of 16 warps fit; the fourth waits.
    harness.run_until(100);
    const std::uint64_t warps = harness.counters().warp_cycles, ctas = harness.counters().cta_cycles;
    harness.run_until(101);
    CHECK(harness.counters().warp_cycles - warps == 48);
    CHECK(harness.counters().cta_cycles - ctas == 3);
    harness.run(200'000);
    CHECK(harness.counters().ctas == 20);
}

TEST_CASE("a CTA that can never fit is refused when its kernel begins") {
    KernelBuilder k("huge", {});
    k.shared_bytes(50'000);
    PlainSmHarness harness({k.finish()});
    harness.launch({.block = {32, 1, 1}});
    CHECK_THROWS_AS(harness.run(), ProgramError);
}

TEST_CASE("a load and a store of up to 16 rows move the words of each lane") {
    for (const std::uint8_t words : {std::uint8_t{4}, std::uint8_t{8}, std::uint8_t{16}}) {
        CAPTURE(unsigned{words});
        KernelBuilder k("wide", {8, 8});
        const auto data = k.registers(words), tid = k.reg();
        const auto from = k.reg64(), to = k.reg64();
        k.special(tid, isa::SpecialRegister::tid_x);
        const auto bytes = k.literal(4u * words);
        k.op(Operation::mad_wide, Type::u64, from, {tid, bytes, k.parameter(1)}).source_type = Type::u32;
        k.op(Operation::mad_wide, Type::u64, to, {tid, bytes, k.parameter(0)}).source_type = Type::u32;
        k.load(isa::Space::global, Type::u32, data, from, 0, words);
        const auto first = KernelBuilder::word(data, 0), last = KernelBuilder::word(data, words - 1u);
        k.op(Operation::add, Type::u32, first, {first, last});  // waits for the load
        k.store(isa::Space::global, Type::u32, to, data, 0, words);
        PlainSmHarness harness({k.finish()});
        const auto in = [](unsigned i) { return 0x7000 + 3 * i; };
        harness.fill_input(64u * words, in);
        harness.run_to_end({.block = {64, 1, 1}, .parameters = global_parameters()});
        for (unsigned i = 0; i < 64u * words; ++i) {
            const unsigned sum = i % words == 0 ? in(i) + in(i + words - 1) : in(i);
            REQUIRE(harness.memory().global_word(4 * i) == sum);
        }
    }
}

/// Loads eight words into a vector, loads its first word again, and stores that word and the last one.
isa::Kernel element_kernel() {
    ThreadKernel k("elements");
    const auto data = k.registers(8), sum = k.reg();
    const auto source = k.reg64();
    k.op(Operation::mov, Type::b64, source, {k.parameter(1)});
    k.load(isa::Space::global, Type::u32, data, source, 0, 8);
    k.op(Operation::add, Type::u32, sum, {KernelBuilder::word(data, 0), k.literal(0)});
    k.load(isa::Space::global, Type::u32, KernelBuilder::word(data, 0), source, 256);
    k.op(Operation::add, Type::u32, sum, {sum, KernelBuilder::word(data, 0)});
    k.op(Operation::add, Type::u32, sum, {sum, KernelBuilder::word(data, 7)});
    return k.finish_with(sum);
}

TEST_CASE("a row of a load that completes by elements is read, and written again, before the others have come") {
    constexpr std::size_t kReadsFirst = 6, kLoadsAgain = 7, kReadsAgain = 8, kReadsLast = 9;
    for (const Cycle interval : {Cycle{0}, Cycle{10}}) {
        CAPTURE(interval);
        FakeMemory memory{.element_interval = interval};
        PlainSmHarness harness({element_kernel()}, "", memory);
        harness.fill_input(128, [](unsigned word) { return 1000 * (word + 1); });
        harness.launch({.block = {32, 1, 1}, .parameters = global_parameters()});
        const std::vector<Cycle> at = harness.issue_cycles(12);
        REQUIRE(harness.run());
        CHECK(harness.memory().global_word(0) == 1000 + 65'000 + 8'000);
        REQUIRE(at.size() == 12);
        const Cycle load = at[kReadsFirst - 1];
        CHECK(at[kReadsFirst] == load + memory.global_latency + 1);
        CHECK(at[kLoadsAgain] <= at[kReadsFirst] + 1);
        // The last element comes before the second load, and does not release its row.
        CHECK(at[kReadsAgain] == at[kLoadsAgain] + memory.global_latency + 1);
        CHECK(at[kReadsLast] > at[kReadsAgain]);
    }
}

TEST_CASE("a row of a load that completes by elements is not read before its own element has come") {
    ThreadKernel k("last");
    const auto data = k.registers(8), sum = k.reg();
    const auto source = k.reg64();
    k.op(Operation::mov, Type::b64, source, {k.parameter(1)});
    k.load(isa::Space::global, Type::u32, data, source, 0, 8);
    k.op(Operation::add, Type::u32, sum, {KernelBuilder::word(data, 7), k.literal(0)});
    k.store(isa::Space::global, Type::u32, k.address, sum);
    FakeMemory memory{.element_interval = 10};
    PlainSmHarness harness({k.finish()}, "", memory);
    harness.memory().set_global_word(SmHarness::kInput + 28, 77);
    harness.launch({.block = {32, 1, 1}, .parameters = global_parameters()});
    const std::vector<Cycle> at = harness.issue_cycles(8);
    REQUIRE(harness.run());
    CHECK(harness.memory().global_word(0) == 77);
    CHECK(at[6] == at[5] + memory.global_latency + 7 * memory.element_interval + 1);
}

TEST_CASE("registers are zero when a CTA starts, whatever ran before") {
    ThreadKernel k("dirty");
    const auto x = k.reg();
    k.op(Operation::add, Type::u32, x, {x, k.literal(5)});
    PlainSmHarness harness({k.finish_with(x)}, "[sm]\nmax_ctas = 1\n");
    harness.run_to_end({.grid = {4, 1, 1}, .block = {32, 1, 1}, .parameters = global_parameters()});
    for (unsigned cta = 0; cta < 4; ++cta) { CHECK(harness.memory().global_word(4 * 32 * cta) == 5); }
}

/// An extension that always claims it can issue, but issues nothing.
struct EagerSource final : gpu::IssueSource {
    bool issue(unsigned scheduler, Cycle) override {
        ++offers[scheduler];
        return true;
    }
    Cycle next_issue(Cycle now) const override { return now + 1; }
    std::uint64_t offers[2] = {0, 0};
};

TEST_CASE("a source beside the warps issues exactly where the warps leave a scheduler idle") {
    SmHarness plain({add_index()}), extended({add_index()});
    EagerSource source;
    extended.sm().add_issue_source(source);
    for (SmHarness* harness : {&plain, &extended}) {
        harness->run_to_end({.grid = {4, 1, 1}, .block = {96, 1, 1}, .parameters = global_parameters()});
    }
    CHECK(plain.counters().cycles == extended.counters().cycles);
    for (unsigned scheduler = 0; scheduler < 2; ++scheduler) {
        const gpu::SchedulerCounters& counters = extended.sm().scheduler_counters()[scheduler];
        const std::uint64_t issued = counters[gpu::SchedulerCycle::issued];
        CHECK(issued == plain.sm().scheduler_counters()[scheduler][gpu::SchedulerCycle::issued]);
        CHECK(counters[gpu::SchedulerCycle::extension_issued] == extended.counters().cycles - issued);
        CHECK(source.offers[scheduler] == extended.counters().cycles - issued);
    }
}

TEST_CASE("the causes stand under the scheduler's name, the rest under the SM's") {
    struct Names final : StatisticsVisitor {
        void counter(std::string_view component, std::string_view kind, const StatisticDescription& what,
                     const std::uint64_t&) override {
            names.push_back(std::string(component) + "/" + std::string(kind) + "/" + std::string(what.name));
        }
        void histogram(std::string_view, std::string_view, const StatisticDescription&, const HistogramView&) override {
        }
        std::vector<std::string> names;
    } visitor;
    PlainSmHarness harness({add_index()});
    harness.sm().visit_statistics(visitor);
    CHECK(std::count(visitor.names.begin(), visitor.names.end(), "sm3/sm/warp_instructions") == 1);
    CHECK(std::count(visitor.names.begin(), visitor.names.end(), "sm3.scheduler1/sm_scheduler/barrier") == 1);
}

}  // namespace
}  // namespace lookahead::test
