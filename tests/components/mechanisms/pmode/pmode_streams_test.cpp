// The two streams of a warp: when it enters P-mode, which stream goes first at fetch and issue, what a skip costs, when
// registers are freed, and what is counted.
#include <doctest/doctest.h>

#include "components/isa/modes.h"
#include "tests/components/mechanisms/pmode/pmode_bench.h"

namespace lookahead::test {
namespace {

using isa::Comparison;
using isa::Space;

/// The cycles of context 0's steps of that kind, in order.
std::vector<Cycle> cycles_of(const PmodeBench& bench, Kind kind, unsigned context = 0) {
    std::vector<Cycle> cycles;
    for (std::size_t i = 0; i < bench.steps.size(); ++i) {
        if (bench.steps[i].kind == kind && bench.steps[i].context == context) { cycles.push_back(bench.cycles[i]); }
    }
    return cycles;
}

constexpr std::uint64_t kTexture = 1 << 15;

/// A texture of 32 floats, the words at the second parameter, and its object.
std::uint64_t add_texture(PmodeBench& bench) {
    isa::TextureDescriptor descriptor{.base = isa::kGlobalBase + SmHarness::kInput, .row_pitch = 128, .width = 32};
    std::uint32_t words[sizeof descriptor / 4];
    std::memcpy(words, &descriptor, sizeof descriptor);
    bench.harness.memory().fill_global_words(kTexture, std::size(words), [&](unsigned i) { return words[i]; });
    return isa::kGlobalBase + kTexture;
}

void fetch_texel(BlockedKernel& k, isa::Operand quad) {
    auto& fetch = k.op(Operation::texture, Type::f32, quad, {k.literal64(isa::kGlobalBase + kTexture), k.thread});
    fetch.source_type = Type::s32;
    fetch.mode = isa::texture_mode(isa::TextureGeometry::d1);
}

TEST_CASE(
    "a warp enters when it waits for global, local, generic or texture loads or returning atomics, for others not") {
    using Kernel = BlockedKernel;
    const struct {
        const char* name;
        bool enters;
        void (*access)(Kernel&, isa::Operand x);
    } cases[] = {
        {"a global load", true, [](Kernel& k, auto x) { k.load(Space::global, Type::u32, x, k.in); }},
        {"a local load", true,
         [](Kernel& k, auto x) { k.load(Space::local, Type::u32, x, k.launch(isa::LaunchRow::zero)); }},
        {"a generic load", true, [](Kernel& k, auto x) { k.load(Space::generic, Type::u32, x, k.in); }},
        {"a texture load", true,
         [](Kernel& k, auto x) {
             fetch_texel(k, {x.kind, 4, x.index});
         }},
        {"a global atomic", true,
         [](Kernel& k, auto x) { k.atomic(Space::global, isa::AtomicOp::add, Type::u32, x, k.out, k.literal(1)); }},
        {"a shared load", false, [](Kernel& k, auto x) { k.load(Space::shared, Type::u32, x, k.offset); }},
        {"a shared atomic", false,
         [](Kernel& k, auto x) { k.atomic(Space::shared, isa::AtomicOp::add, Type::u32, x, k.offset, k.literal(1)); }},
        {"a division", false, [](Kernel& k, auto x) {
             k.op(Operation::div, Type::u32, x, {k.thread, k.literal(3)});
         }}};
    for (const auto& [name, enters, access] : cases) {
        CAPTURE(name);
        Kernel k;
        const auto x = KernelBuilder::word(k.registers(4), 0);
        access(k, x);
        const auto user = k.add(k.used, x);
        isa::Kernel kernel = k.finish();
        kernel.local_bytes = 16;
        PmodeBench bench(kernel);
        add_texture(bench);
        bench.run();
        CHECK(bench.counters().switches == (enters ? 1 : 0));
        if (enters) { CHECK(bench.steps[bench.find(Kind::entered, user)].pc == user); }
    }
}

TEST_CASE("a warp enters, too, when its next instruction writes what a load has still to write") {
    BlockedKernel k;
    k.load(Space::global, Type::u32, k.loaded, k.in);
    const auto writer = k.add(k.loaded, k.thread), reader = k.add(k.used, k.loaded);
    PmodeRun bench(k.finish_with(k.used));
    CHECK(bench.steps[bench.find(Kind::entered, writer)].pc == writer);
    // The write does not depend on the load: it is the blocked instruction, and is executed.
    CHECK(bench.executes(writer));
    CHECK(bench.executes(reader));
    CHECK(bench.reuses(writer) == 1);
    CHECK(bench.cycle(Kind::reused, writer) >= bench.cycle(Kind::returned, writer));
}

TEST_CASE("a warp that waits for constants does not enter, and in P-mode it waits for them") {
    KernelBuilder k("constants", {8, 8, 8, 8, 8});
    const auto a = k.reg(), x = k.reg(), y = k.reg();
    const auto in = k.reg64(), far = k.reg64();
    k.op(Operation::mov, Type::b64, in, {k.parameter(1)});
    k.load(Space::global, Type::u32, a, in);
    k.op(Operation::add, Type::u32, x, {a, a});
    const auto blocked = k.last().line - 1;
    k.op(Operation::mov, Type::b64, far, {k.parameter(4)});  // in another line
    const auto other_line = k.last().line - 1;
    k.op(Operation::add, Type::u32, y, {KernelBuilder::word(far, 0), x});
    k.store(Space::global, Type::u32, k.parameter(0), y);
    PmodeBench bench(k.finish(), "", {.global_latency = 300, .line_latency = 50}, "", {.constants = true});
    bench.parameters = global_parameters();
    bench.parameters.resize(10, 77);
    bench.run();
    CHECK(bench.counters().switches == 1);
    const Cycle entered = bench.cycle(Kind::entered, blocked);
    CHECK(bench.executes(other_line));
    CHECK(bench.cycle(Kind::executed, other_line) > entered + 50);
    CHECK(bench.cycle(Kind::executed, other_line) < entered + 60);
    CHECK(bench.reuses(other_line) == 1);
}

TEST_CASE("texture fetches are skipped in P-mode, and poison what they write") {
    BlockedKernel k;
    const auto quad = k.registers(4);
    const auto x = k.reg();
    k.block();
    fetch_texel(k, quad);
    const auto fetch = k.index(), user = k.add(x, KernelBuilder::word(quad, 3));
    k.op(Operation::bit_xor, Type::b32, x, {x, KernelBuilder::word(quad, 0)});
    PmodeBench bench(k.finish_with(x));
    add_texture(bench);
    bench.run();
    CHECK(bench.skips(fetch, SkipReason::texture));
    CHECK(bench.skips(user, SkipReason::poisoned));
    CHECK(bench.counters().switches == 2);  // for the load, and for the fetch
    CHECK(bench.counters().pre_loads == 0);
}

TEST_CASE("a pre-execution of 100 cycles is short, one of 101 is not") {
    std::vector<Cycle> seen;
    for (Cycle latency = 98; latency <= 106; ++latency) {
        BlockedKernel k;
        k.block();
        PmodeRun bench(k.finish(), "", {.global_latency = latency});
        const Cycle waited = cycles_of(bench, Kind::returned).front() - cycles_of(bench, Kind::entered).front();
        CHECK(waited >= latency - 3);
        CHECK(bench.counters().short_waits == (waited <= 100 ? 1 : 0));
        CHECK(bench.counters().cycles == static_cast<std::uint64_t>(waited));
        seen.push_back(waited);
    }
    CHECK(std::ranges::find(seen, 100) != seen.end());
    CHECK(std::ranges::find(seen, 101) != seen.end());
}

TEST_CASE(
    "all kinds of loads but scratchpad ones are pre-loads, of the lanes that they would load and where they would") {
    PmodeKernel k;
    const auto odd = k.odd_threads();
    const auto moved = k.reg64();
    k.block();
    k.op(Operation::add, Type::u64, moved, {k.in, k.literal64(256)});  // in P-mode, to a renamed register
    k.guard(odd);
    const auto global = k.index_of(k.load(Space::global, Type::u32, k.y, moved));
    k.unguard();
    const auto local = k.index_of(k.load(Space::local, Type::u32, k.z, k.launch(isa::LaunchRow::zero), 4));
    const auto generic = k.index_of(k.load(Space::generic, Type::u32, k.x, moved, 4));
    isa::Kernel kernel = k.finish();
    kernel.local_bytes = 16;
    PmodeRun bench(kernel);
    CHECK(bench.pre_loads(global));
    CHECK(bench.pre_loads(local));
    CHECK(bench.pre_loads(generic));
    const std::vector<std::uint64_t>& addresses = bench.harness.memory().pre_loaded();
    REQUIRE(addresses.size() == 16 + 32 + 32);
    for (unsigned i = 0; i < 16; ++i) {
        CHECK(addresses[i] == isa::kGlobalBase + SmHarness::kInput + 256 + 4 * (2 * i + 1));
    }
    CHECK(addresses[16] == 4);
    CHECK(addresses[48 + 7] == isa::kGlobalBase + SmHarness::kInput + 256 + 4 * 7 + 4);
}

TEST_CASE("a full pre-execution of a register that a load of the warp has still to write is not that load's") {
    // The load of y returns while the division that P-mode started for y is under way.
    BlockedKernel k;
    const auto y = k.reg(), c = k.reg(), z = k.reg();
    k.load(Space::global, Type::u32, y, k.in, 256);
    k.add(c, c, 3);
    k.block();
    k.op(Operation::div, Type::u32, y, {k.thread, k.literal(3)});
    const auto division = k.index(), reader = k.add(z, y);
    PmodeRun bench(k.finish_with(z), "", {.global_latency = 40});
    CHECK(bench.executes(division));
    const Cycle begun = bench.cycle(Kind::executed, division);
    CHECK(begun < bench.cycle(Kind::returned, k.index() - 3));
    CHECK(bench.cycle(Kind::reused, division) >= begun + gpu::TimingParameters{}.integer_divide_latency);
    CHECK(bench.fate(reader).kind != Kind::executed);
}

TEST_CASE("a skip takes a fetched place in the buffer, one a cycle, and no issue slot of its own") {
    PmodeKernel k;
    k.block();
    k.add(k.x, k.used, 5);
    const auto clean = k.add(k.y, k.thread);
    PmodeRun bench(k.finish(), "", {}, "fetch_latency = 5\n");
    // The buffer holds two instructions, and one at the entry. A fetch begins in the cycle in which it has become
    // empty.
    const std::vector<Cycle> skips = cycles_of(bench, Kind::skipped);
    REQUIRE(skips.size() == 6);
    for (std::size_t i = 1; i < skips.size(); ++i) { CHECK(skips[i] == skips[i - 1] + (i % 2 == 1 ? 5 : 1)); }
    CHECK(bench.cycle(Kind::executed, clean) > skips.back());
}

TEST_CASE("reused instructions issue one a cycle, without fetch and without their units") {
    BlockedKernel k;
    k.block();
    std::vector<std::uint32_t> divisions;
    for (unsigned i = 0; i < 4; ++i) {
        k.op(Operation::div, Type::u32, k.reg(), {k.thread, k.literal(3 + i)});
        divisions.push_back(k.index());
    }
    PmodeRun bench(k.finish(), "", {.global_latency = 600});
    const std::vector<Cycle> reused = cycles_of(bench, Kind::reused);
    REQUIRE(reused.size() == 4);
    for (unsigned i = 0; i < 4; ++i) {
        CHECK(bench.reuses(divisions[i]) == 1);
        CHECK(reused[i] == reused[0] + i);
    }
}

/// Warps 0 and 2 load and wait, with a chain of additions ahead; odd warps have a chain at once.
isa::Kernel two_kinds_of_warps(unsigned own) {
    BlockedKernel k;
    const auto x = k.reg(), warp = k.reg(), bit = k.reg();
    const auto odd = k.predicate();
    k.op(Operation::shr, Type::u32, warp, {k.thread, k.literal(5)});
    k.op(Operation::bit_and, Type::b32, bit, {warp, k.literal(1)});
    k.setp(Comparison::eq, Type::u32, odd, bit, k.literal(1));
    const auto chain = k.label();
    k.branch_if(odd, chain, chain);
    k.block();
    for (unsigned i = 0; i < 10; ++i) { k.add(k.reg(), k.thread); }
    k.bind(chain);
    for (unsigned i = 0; i < own; ++i) { k.add(i % 8 == 0 ? x : k.reg(), k.thread); }
    return k.finish();
}

TEST_CASE("the warps' own instructions go before P-mode's, at fetch and at issue") {
    // With one scheduler the odd warp's chain and the even warp's P-mode want every slot.
    const isa::Kernel kernel = two_kinds_of_warps(60);
    std::vector<Cycle> own[2];
    for (const bool pre_executes : {false, true}) {
        PmodeBench bench(kernel, pre_executes ? "" : "registers = 0\n", {.global_latency = 400}, "schedulers = 1\n");
        bench.run({64, 1, 1});
        CHECK((bench.counters().executed > 0) == pre_executes);
        for (const Cycle cycle : cycles_of(bench, Kind::own, 1)) {
            if (cycle < cycles_of(bench, Kind::own, 0).back() - 400) { own[pre_executes].push_back(cycle); }
        }
        if (pre_executes) {
            const std::vector<Cycle> first = cycles_of(bench, Kind::own, 1), pre = cycles_of(bench, Kind::executed);
            for (const Cycle cycle : pre) { CHECK(std::find(first.begin(), first.end(), cycle) == first.end()); }
            CHECK(pre.front() < first.back());  // they did compete
        }
    }
    CHECK(own[0].size() > 20);
    CHECK(own[0] == own[1]);
}

TEST_CASE("warps in P-mode take turns at issue") {
    const isa::Kernel kernel = two_kinds_of_warps(0);
    PmodeBench bench(kernel, "", {.global_latency = 400}, "schedulers = 1\ninstruction_buffer = 8\n");
    bench.run({160, 1, 1});
    std::vector<unsigned> contexts;
    for (const PmodeStep& step : bench.steps) {
        if (step.kind == Kind::executed) { contexts.push_back(step.context); }
    }
    REQUIRE(contexts.size() == 30);
    // While all three are ready, none goes twice before the others have gone.
    unsigned turns = 0;
    for (std::size_t i = 2; i < contexts.size(); ++i) {
        turns += contexts[i] != contexts[i - 1] && contexts[i] != contexts[i - 2];
    }
    CHECK(turns >= 10);
}

TEST_CASE("a renamed register lies in the bank of the one that it stands for") {
    PmodeKernel k;
    k.block();
    k.add(k.z, k.thread);
    k.add(k.x, k.thread);
    const auto last = k.add(k.y, k.thread);
    PmodeBench bench(k.finish());
    std::vector<unsigned> used;
    const TestLaunch launch{.grid = {1, 1, 1}, .block = {32, 1, 1}, .parameters = global_parameters()};
    bench.harness.launch(launch);
    const gpu::RegisterPool& pool = bench.pmode().pool();
    while (used.size() < 3 && bench.harness.now() < 1000) {
        bench.harness.run_until(bench.harness.now() + 1);
        for (unsigned row = pool.first(); row < pool.first() + pool.size(); ++row) {
            if (!pool.is_free(row) && std::find(used.begin(), used.end(), row) == used.end()) { used.push_back(row); }
        }
    }
    REQUIRE(used.size() == 3);
    const auto banks = static_cast<unsigned>(gpu::SmParameters{}.register_banks);
    CHECK(used[0] % banks == k.z.index % banks);
    CHECK(used[1] % banks == k.x.index % banks);
    CHECK(used[2] % banks == k.y.index % banks);
    CHECK(bench.executes(last));
}

/// The renaming registers in use after each cycle of the kernel, run by one warp.
std::vector<unsigned> registers_held(PmodeBench& bench, isa::Dim3 block = {32, 1, 1}) {
    bench.harness.launch({.grid = {1, 1, 1}, .block = block, .parameters = global_parameters()});
    std::vector<unsigned> held;
    while (!bench.harness.done() && bench.harness.now() < 5000) {
        bench.harness.run_until(bench.harness.now() + 1);
        held.push_back(bench.pmode().pool().size() - bench.pmode().pool().free());
    }
    REQUIRE(bench.harness.done());
    return held;
}

TEST_CASE("a register is given back when older readers have collected it, not before") {
    // The second write of x replaces the renamed register while the instruction before it is still collecting it: one
    // bank.
    PmodeKernel k;
    k.block();
    const auto reused = k.add(k.x, k.thread);
    const auto reader = k.index_of(k.op(Operation::mad_lo, Type::u32, k.y, {k.x, k.used, k.x}));
    const auto writer = k.index_of(k.op(Operation::mov, Type::b32, k.x, {k.used}));
    PmodeBench bench(k.finish_with(k.y), "", {}, "register_banks = 1\n", {.collectors = true});
    const std::vector<unsigned> held = registers_held(bench);
    CHECK(bench.reuses(reused) == 1);
    const auto read = static_cast<std::size_t>(bench.cycle(Kind::own, reader));
    const auto written = static_cast<std::size_t>(bench.cycle(Kind::own, writer));
    REQUIRE(written < read + 8);
    CHECK(held[written] == 1);
    CHECK(held[written + 12] == 0);
}

TEST_CASE("a load that is under way to a renamed register when its warp exits keeps the register") {
    PmodeKernel k;
    const auto odd = k.odd_threads();
    k.block();
    const auto reused = k.add(k.x, k.thread);
    k.guard(odd);
    k.load(Space::global, Type::u32, k.x, k.in);
    k.unguard();
    const auto exit = k.index_of(k.exit());
    PmodeBench bench(k.finish(), "", {.global_latency = 100});
    const std::vector<unsigned> held = registers_held(bench);
    CHECK(bench.reuses(reused) == 1);
    const auto exited = static_cast<std::size_t>(bench.cycle(Kind::own, exit));
    CHECK(held[exited + 1] == 1);
    CHECK(held[exited + 90] == 1);
    CHECK(held[exited + 100] == 0);
}

TEST_CASE("results that the P-queue does not name are freed at the return, those that it names stay") {
    BlockedKernel k;
    k.block();
    for (unsigned i = 0; i < 3; ++i) { k.add(k.reg(), k.thread); }
    PmodeBench bench(k.finish(), "pqueue_entries = 2\n");
    const std::vector<unsigned> held = registers_held(bench);
    const auto returned = static_cast<std::size_t>(cycles_of(bench, Kind::returned).front());
    CHECK(held[returned - 1] == 3);
    CHECK(held[returned] == 2);
    CHECK(bench.counters().reused == 2);
    CHECK(held.back() == 0);
}

TEST_CASE("entries that remain are flushed when the warp enters again") {
    BlockedKernel k;
    const auto x = k.reg(), y = k.reg(), c = k.reg(), later = k.reg();
    k.load(Space::global, Type::u32, k.loaded, k.in);
    k.add(c, c, 8);
    k.load(Space::global, Type::u32, later, k.in, 256);  // comes back that much later
    k.add(k.used, k.loaded);
    const auto first = k.add(x, k.thread), second_entry = k.add(later, later), second = k.add(y, k.thread);
    k.op(Operation::bit_xor, Type::b32, y, {y, later});
    PmodeBench bench(k.finish_with(y));
    const std::vector<unsigned> held = registers_held(bench);
    CHECK(bench.counters().switches == 2);
    const auto entered = static_cast<std::size_t>(bench.cycle(Kind::entered, second_entry));
    CHECK(held[entered - 1] == 2);  // x, which is in use, and y, which waits for its reuse
    CHECK(held[entered] == 1);
    CHECK(bench.reuses(first) == 1);
    CHECK(bench.reuses(second) == 1);
    CHECK(bench.counters().queued == 3);
    CHECK(bench.counters().flushed == 1);
    CHECK(bench.counters().reused == 2);
}

TEST_CASE("P-mode halts where diverged lanes may wait for each other") {
    for (const bool barrier : {true, false}) {
        CAPTURE(barrier);
        BlockedKernel k;
        const auto odd = k.odd_threads();
        const auto x = k.reg();
        k.block();
        const auto join = k.label(), side = k.label();
        k.branch_if(odd, side, join);
        const auto meet = [&] {
            if (barrier) {
                k.barrier();
            } else {
                k.op(Operation::warp_sync, Type::none, {}, {k.literal(0xffffffffu)});
            }
            return k.index();
        };
        const auto first = meet();
        k.branch(join, join);
        k.bind(side);
        meet();
        k.bind(join);
        k.add(x, k.used);
        PmodeRun bench(k.finish_with(x), "", {}, "simt = \"convergence_barrier\"\n");
        CHECK(bench.halts(first, HaltReason::lanes));
    }
}

TEST_CASE("pre-execution stops at a branch behind the reach, and at one that goes back too far") {
    for (const bool back : {false, true}) {
        CAPTURE(back);
        BlockedKernel k;
        const auto x = k.reg(), count = k.reg();
        const auto more = k.predicate(), none = k.predicate();
        k.setp(Comparison::ge, Type::u32, none, k.thread, k.literal(64));
        const auto loop = k.here(), out = k.label();
        k.add(x, k.thread, 8);
        k.op(Operation::add, Type::u32, count, {count, k.literal(1)});
        k.setp(Comparison::lt, Type::u32, more, count, k.literal(2));
        k.block();
        k.add(x, k.thread, back ? 0 : 5);
        const auto branch = k.index_of(k.branch_if(back ? more : none, loop, out));
        k.bind(out);
        PmodeRun bench(k.finish(), "reach = 32\n");
        CHECK(bench.halts(branch, HaltReason::far_branch));
    }
}

TEST_CASE("a branch in P-mode waits for the predicate that decides it") {
    BlockedKernel k;
    const auto p = k.predicate();
    const auto quotient = k.reg(), x = k.reg();
    k.block();
    k.op(Operation::min, Type::u32, quotient, {k.thread, k.literal(3)});
    const auto setp = k.index_of(k.setp(Comparison::lt, Type::u32, p, quotient, k.literal(64)));
    const auto join = k.label();
    const auto branch = k.index_of(k.branch_if(p, join, join));
    k.bind(join);
    k.add(x, k.thread);
    PmodeRun bench(k.finish());
    CHECK(bench.executes(branch));
    CHECK(bench.cycle(Kind::executed, branch) ==
          bench.cycle(Kind::executed, setp) + gpu::TimingParameters{}.integer_latency);
}

TEST_CASE("a short-latency source is waited for in P-mode as in N-mode, also one that was under way at the entry") {
    BlockedKernel k;
    const auto q = k.reg(), x = k.reg();
    k.load(Space::global, Type::u32, k.loaded, k.in);
    const auto division = k.index_of(k.op(Operation::div, Type::u32, q, {k.thread, k.literal(3)}));
    k.op(Operation::add, Type::u32, k.used, {k.loaded, k.literal(1)});
    const auto user = k.add(x, q);
    PmodeRun bench(k.finish_with(x), "", {.global_latency = 400});
    CHECK(bench.cycle(Kind::executed, user) ==
          bench.cycle(Kind::own, division) + gpu::TimingParameters{}.integer_divide_latency);
}

/// Warp 0 finds its load's place in a word that is `wrong` until warp 1 sets it to zero, after warp 0 has pre-executed.
/// `load` adds the load of a register from the place in another one; the result is its index.
template <class Load>
auto finish_with_raced_load(BlockedKernel& k, std::uint32_t wrong, Load load) {
    const auto x = k.reg(), warp = k.reg(), q = k.reg();
    const auto second = k.predicate();
    const auto other = k.label(), end = k.label();
    k.op(Operation::shr, Type::u32, warp, {k.thread, k.literal(5)});
    k.setp(Comparison::eq, Type::u32, second, warp, k.literal(1));
    k.branch_if(second, other, end);
    k.store(Space::shared, Type::u32, k.launch(isa::LaunchRow::zero), k.literal(wrong));
    k.block();
    k.load(Space::shared, Type::u32, x, k.launch(isa::LaunchRow::zero));
    load(x);
    const auto index = k.index();
    k.store(Space::global, Type::u32, k.out, x);
    k.branch(end, end);
    k.bind(other);
    k.op(Operation::div, Type::u32, q, {k.thread, k.literal(3)});
    k.op(Operation::bit_and, Type::b32, q, {q, k.literal(0)});
    k.store(Space::shared, Type::u32, k.launch(isa::LaunchRow::zero), q);
    k.bind(end);
    return index;
}

void run_raced(PmodeBench& bench) {
    bench.has_races = true;
    bench.run({64, 1, 1});
}

TEST_CASE("a scratchpad load of an address that a race has made wrong is skipped, and right in N-mode") {
    BlockedKernel k;
    const auto wrong = finish_with_raced_load(k, 1 << 20, [&](auto x) { k.load(Space::shared, Type::u32, x, x); });
    PmodeBench bench(k.finish(), "pqueue_entries = 0\n", {.global_latency = 400});
    run_raced(bench);
    CHECK(bench.skips(wrong, SkipReason::scratchpad));
    CHECK(bench.harness.memory().global_word(4 * 5) == 0);
}

TEST_CASE("a load of constants of an address that a race has made wrong is skipped, too") {
    BlockedKernel k;
    constexpr std::uint32_t kEndOfConstants = 256;
    const auto wrong = finish_with_raced_load(k, kEndOfConstants, [&](auto x) {
        const auto address = k.reg64();
        k.op(Operation::mad_wide, Type::u64, address, {x, k.literal(1), k.literal64(isa::kConstantBase)}).source_type =
            Type::u32;
        k.load(Space::constant, Type::u32, x, address);
    });
    PmodeBench bench(k.finish(), "pqueue_entries = 0\n", {.global_latency = 400});
    run_raced(bench);
    CHECK(bench.skips(wrong, SkipReason::constant));
    CHECK(bench.harness.memory().global_word(4 * 5) == 100);
}

TEST_CASE("each access to the structures of P-mode is counted, once") {
    PmodeKernel k;
    k.block();
    k.add(k.x, k.thread);                                                          // executed, reused
    k.add(k.y, k.x);                                                               // executed, reused
    k.load(Space::global, Type::u32, k.z, k.in, 256);                              // pre-loaded
    k.load(Space::global, Type::u32, k.used, k.in).order = isa::Order::volatile_;  // skipped
    PmodeRun bench(k.finish());
    const gpu::PmodeCounters& p = bench.counters();
    CHECK(p.switches == 1);
    CHECK(p.executed == 3);
    CHECK(p.pre_loads == 1);
    CHECK(p.skips == 2);
    CHECK(p.reused == 2);
    // Three pre-executed, two reused; then three of the warp's own with x and y renamed: both loads and the exit.
    CHECK(p.renamings == 3 + 2 + 3);
    // Two entries written, two marked as ready; the head read at the return and after the first reuse.
    CHECK(p.pqueue_accesses == 2 + 2 + 2);
    CHECK(p.repeated == 1);
    CHECK(p.repeated_threads == 32);
    // In N-mode: the blocked instruction and the volatile load were skipped, the other load was pre-loaded.
    CHECK(p.short_skipped == 1);
    CHECK(p.long_skipped == 1);
    CHECK(p.long_not_reused == 1);
    CHECK(p.short_not_reused == 0);
}

/// The fate of the instruction at `pc` in context 0's second switch.
PmodeStep second_fate(const PmodeBench& bench, std::uint32_t pc) {
    unsigned entered = 0;
    for (const PmodeStep& step : bench.steps) {
        entered += step.kind == Kind::entered;
        const bool in_p_mode = step.kind == Kind::executed || step.kind == Kind::skipped || step.kind == Kind::halted;
        if (entered == 2 && step.pc == pc && in_p_mode) { return step; }
    }
    return {Kind::entered, 0, pc, 0};
}

TEST_CASE("what one switch has redefined does not count in the next, nor what it has made stale") {
    BlockedKernel k;
    const auto y = k.reg(), q = k.reg(), r = k.reg(), z = k.reg(), other = k.reg(), x = k.reg();
    const auto address = k.reg64();
    k.block();
    k.add(y, k.thread);
    k.store(Space::shared, Type::u32, k.offset, k.thread);
    k.load(Space::global, Type::u32, y, k.in, 256);
    k.op(Operation::div, Type::u32, q, {k.used, k.literal(3)});  // not pre-executed: the next load comes much later
    k.op(Operation::bit_and, Type::b32, q, {q, k.literal(0)});
    k.op(Operation::mad_wide, Type::u64, address, {q, k.literal(4), k.in}).source_type = Type::u32;
    k.load(Space::global, Type::u32, other, address);
    const auto blocked = k.add(other, other);
    k.op(Operation::div, Type::u32, r, {k.thread, k.literal(3)});
    k.op(Operation::div, Type::u32, r, {r, k.literal(3)});
    k.add(r, r);  // waits until y has come
    const auto user = k.index_of(k.op(Operation::add, Type::u32, z, {y, r}));
    const auto scratchpad = k.index_of(k.load(Space::shared, Type::u32, x, k.offset));
    k.op(Operation::add, Type::u32, z, {z, x});
    k.op(Operation::add, Type::u32, z, {z, other});
    PmodeRun bench(k.finish_with(z), "", {.global_latency = 400});
    REQUIRE(bench.counters().switches == 2);
    CHECK(bench.steps[bench.find(Kind::entered, blocked)].pc == blocked);
    CHECK(second_fate(bench, user).kind == Kind::executed);
    CHECK(second_fate(bench, scratchpad).kind == Kind::executed);
}

TEST_CASE("predicates of P-mode are not the warp's") {
    BlockedKernel k;
    const auto p = k.predicate();
    const auto x = k.reg();
    k.setp(Comparison::lt, Type::u32, p, k.thread, k.literal(8));
    k.block();
    k.guard(p);
    k.op(Operation::mov, Type::b32, x, {k.used});
    k.unguard();
    const auto guarded = k.index();
    const auto setp = k.index_of(k.setp(Comparison::ge, Type::u32, p, k.thread, k.literal(8)));
    PmodeRun bench(k.finish_with(x));  // compares with the emulator
    CHECK(bench.skips(guarded, SkipReason::poisoned));
    CHECK(bench.executes(setp));
}

/// Two loads, the second some cycles after the first, and their users one after another.
struct TwiceBlockedKernel : BlockedKernel {
    explicit TwiceBlockedKernel(unsigned apart) {
        const auto c = reg(), second = reg();
        load(Space::global, Type::u32, loaded, in);
        add(c, c, apart);
        load(Space::global, Type::u32, second, in, 256);
        first_user = add(used, loaded);
        second_user = add(second, second);
    }
    std::uint32_t first_user, second_user;
};

TEST_CASE("a fetch or branch of one switch does not reach the next") {
    // Four instructions per fetch of 60 cycles. The loads are 65 cycles apart; the users, and two more instructions,
    // come in one fetch. P-mode soon finishes them; the first switch ends during its fetch; the second one needs its
    // own fetch.
    TwiceBlockedKernel k(6);
    k.add(k.reg(), k.thread);
    const auto last = k.add(k.reg(), k.thread), not_fetched = k.add(k.reg(), k.thread);
    PmodeRun bench(k.finish(), "one_buffer = false\n", {.global_latency = 180},
                   "fetch_latency = 60\ninstruction_buffer = 4\n");
    const std::vector<Cycle> entered = cycles_of(bench, Kind::entered), returned = cycles_of(bench, Kind::returned);
    REQUIRE(entered.size() == 2);
    REQUIRE(bench.steps[bench.find(Kind::entered, k.first_user)].pc == k.first_user);
    REQUIRE(bench.steps[bench.find(Kind::entered, k.second_user)].pc == k.second_user);
    REQUIRE(returned[0] < bench.cycle(Kind::executed, last) + 60);
    CHECK(second_fate(bench, last).kind == Kind::executed);
    CHECK(bench.cycle(Kind::executed, not_fetched) >= entered[1] + 60);
}

TEST_CASE("a result of one switch makes no entry of the next ready") {
    TwiceBlockedKernel k(8);
    const auto x = k.reg();
    const auto division = k.index_of(k.op(Operation::div, Type::u32, x, {k.thread, k.literal(3)}));
    PmodeRun bench(k.finish_with(x));
    const std::vector<Cycle> executed = cycles_of(bench, Kind::executed);
    REQUIRE(executed.size() == 2);
    CHECK(bench.counters().flushed == 1);
    CHECK(bench.cycle(Kind::reused, division) == executed[1] + gpu::TimingParameters{}.integer_divide_latency);
}

TEST_CASE("a write on one side of a branch has the old value as a source, too") {
    PmodeKernel k;
    const auto odd = k.odd_threads();
    const auto side = k.label(), join = k.label();
    k.block();
    k.add(k.x, k.used);
    k.branch_if(odd, side, join);
    const auto on_poison = k.add(k.x, k.thread), on_clean = k.add(k.y, k.thread);
    k.branch(join, join);
    k.bind(side);
    const auto other_side = k.add(k.x, k.thread);
    k.bind(join);
    k.op(Operation::add, Type::u32, k.x, {k.x, k.y});
    PmodeRun bench(k.finish_with(k.x));
    CHECK(bench.skips(on_poison, SkipReason::poisoned));
    CHECK(bench.executes(on_clean));
    CHECK(bench.skips(other_side, SkipReason::poisoned));
}

TEST_CASE("a warp that has skipped issues in the next cycle") {
    PmodeKernel k;
    k.block();
    k.add(k.x, k.used);
    const auto skipped = k.index(), clean = k.add(k.used, k.thread);
    PmodeRun bench(k.finish(), "", {}, "instruction_buffer = 8\n");
    CHECK(bench.cycle(Kind::executed, clean) == bench.cycle(Kind::skipped, skipped) + 1);
}

TEST_CASE("reuse waits for an older load to the same register") {
    PmodeKernel k;
    k.block();
    k.load(Space::global, Type::u32, k.x, k.in).order = isa::Order::volatile_;
    const auto load = k.index(), younger = k.add(k.x, k.thread);
    PmodeRun bench(k.finish_with(k.x));
    CHECK(bench.reuses(younger) == 1);
    CHECK(bench.cycle(Kind::reused, younger) >= bench.cycle(Kind::own, load) + 100);
}

TEST_CASE("a reused instruction does not wait for a unit") {
    // When warp 0's load has come, warp 1's next store fills the load/store unit.
    BlockedKernel k;
    const auto warp = k.reg();
    const auto second = k.predicate();
    const auto stores = k.label(), end = k.label();
    k.op(Operation::shr, Type::u32, warp, {k.thread, k.literal(5)});
    k.setp(Comparison::eq, Type::u32, second, warp, k.literal(1));
    k.branch_if(second, stores, end);
    k.block();
    const auto blocked = k.index(), reused = k.add(k.reg(), k.thread);
    k.branch(end, end);
    k.bind(stores);
    for (unsigned i = 0; i < 8; ++i) { k.store(Space::global, Type::u32, k.out, k.thread); }
    k.bind(end);
    PmodeBench bench(k.finish(), "", {.store_latency = 60, .capacity = 1});
    bench.run({64, 1, 1});
    CHECK(bench.cycle(Kind::reused, reused) == bench.cycle(Kind::own, blocked) + 1);
}

TEST_CASE("a register whose renaming is replaced by another is freed") {
    PmodeKernel k;
    k.block();
    const auto first = k.add(k.x, k.thread), second = k.add(k.x, k.x);
    k.op(Operation::add, Type::u32, k.used, {k.used, k.x});
    PmodeBench bench(k.finish_with(k.used));
    const std::vector<unsigned> held = registers_held(bench);
    CHECK(held[static_cast<std::size_t>(bench.cycle(Kind::reused, first))] == 2);
    CHECK(held[static_cast<std::size_t>(bench.cycle(Kind::reused, second))] == 1);
}

TEST_CASE("a register that P-mode reads stays until it is collected") {
    PmodeKernel k;
    k.block();
    k.add(k.x, k.thread);
    k.op(Operation::mad_lo, Type::u32, k.y, {k.x, k.x, k.x});
    const auto writer = k.index_of(k.op(Operation::mov, Type::b32, k.x, {k.literal(1)}));
    // Nothing is kept for reuse; all operands come from one bank.
    PmodeBench bench(k.finish(), "pqueue_entries = 0\n", {}, "register_banks = 1\ninstruction_buffer = 8\n",
                     {.collectors = true});
    const std::vector<unsigned> held = registers_held(bench);
    const auto at = static_cast<std::size_t>(bench.cycle(Kind::executed, writer));
    CHECK(held[at] == 3);
    CHECK(held[at + 12] == 2);
}

TEST_CASE("carries, and a register with a predicate, are pre-executed and reused as one") {
    BlockedKernel k;
    const auto low = k.reg(), high = k.reg(), shuffled = k.reg(), x = k.reg();
    const auto carry = k.predicate(), valid = k.predicate();
    k.block();
    auto& add = k.op(Operation::add_carry, Type::u32, low, {k.thread, k.literal(0xfffffff0u)});
    add.source_predicate = isa::kTruePredicate;
    add.source_predicate_negated = true;
    add.destination_predicate = carry.index;
    const auto lower = k.index();
    auto& add_high = k.op(Operation::add_carry, Type::u32, high, {k.thread, k.literal(7)});
    add_high.source_predicate = carry.index;
    const auto upper = k.index();
    auto& shuffle = k.op(Operation::shuffle, Type::b32, shuffled,
                         {k.thread, k.literal(1), k.literal(0x1f), k.literal(0xffffffffu)});
    shuffle.mode = static_cast<std::uint8_t>(isa::ShuffleMode::down);
    shuffle.destination_predicate = valid.index;
    const auto lanes = k.index();
    const auto both = k.index_of(k.select(Type::b32, x, shuffled, k.literal(1000), valid));
    k.op(Operation::add, Type::u32, x, {x, low});
    k.op(Operation::add, Type::u32, x, {x, high});
    k.op(Operation::add, Type::u32, x, {x, k.used});
    PmodeRun bench(k.finish_with(x));
    for (const std::uint32_t pc : {lower, upper, lanes, both}) {
        CHECK(bench.executes(pc));
        CHECK(bench.reuses(pc) == 1);
    }
    CHECK(bench.counters().queued == 6);  // an instruction, an entry
}

}  // namespace
}  // namespace lookahead::test
