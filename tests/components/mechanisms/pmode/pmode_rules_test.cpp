// A directed test for each rule of P-mode, from both sides.
#include <doctest/doctest.h>

#include "tests/components/mechanisms/pmode/pmode_bench.h"

namespace lookahead::test {
namespace {

using isa::Comparison;
using isa::Space;

TEST_CASE("a warp walks through figure 5 of the paper as the paper says") {
    // Register and instruction names are the figure's; the address grows by a constant, so that loads stay in memory.
    KernelBuilder k("figure5", {8, 8});
    const auto r0 = k.reg(), r2 = k.reg(), r3 = k.reg(), r5 = k.reg();
    const auto r1 = k.reg64();
    const auto r4 = k.predicate();
    k.op(Operation::mov, Type::b64, r1, {k.parameter(1)});
    k.op(Operation::mov, Type::b32, r5, {k.literal(0)});
    const auto loop = k.here(), out = k.label();
    const std::uint32_t at80 = k.last().line;
    k.load(Space::global, Type::u32, r0, r1);
    k.op(Operation::add, Type::u32, r2, {r2, k.literal(1)});
    k.op(Operation::mul_lo, Type::u32, r3, {r0, r2});
    k.op(Operation::add, Type::u64, r1, {r1, k.literal64(128)});
    k.setp(Comparison::lt, Type::u32, r4, r2, k.literal(3));
    k.branch_if(r4, loop, out);
    k.bind(out);
    k.store(Space::global, Type::u32, k.parameter(0), r3);
    PmodeRun bench(k.finish());

    const auto pc = [&](unsigned of_figure) { return at80 + (of_figure - 0x80) / 8; };
    const std::vector<PmodeStep> p = bench.first_switch();
    REQUIRE(p.size() >= 7);
    const std::pair<unsigned, Kind> figure[] = {
        {0x90, Kind::skipped},    {0x98, Kind::executed}, {0xa0, Kind::executed}, {0xa8, Kind::executed},
        {0x80, Kind::pre_loaded}, {0x88, Kind::executed}, {0x90, Kind::skipped}};
    for (unsigned i = 0; i < 7; ++i) {
        CAPTURE(i);
        CHECK(p[i].pc == pc(figure[i].first));
        CHECK(p[i].kind == figure[i].second);
    }
    std::vector<std::pair<std::uint32_t, Kind>> own;
    for (const PmodeStep& step : bench.steps) {
        if (step.kind == Kind::own || step.kind == Kind::reused) { own.emplace_back(step.pc, step.kind); }
    }
    const std::pair<unsigned, Kind> normal[] = {{0x80, Kind::own},    {0x88, Kind::own},    {0x90, Kind::own},
                                                {0x98, Kind::reused}, {0xa0, Kind::reused}, {0xa8, Kind::own},
                                                {0x80, Kind::own},    {0x88, Kind::reused}, {0x90, Kind::own}};
    REQUIRE(own.size() >= at80 + 9);
    for (unsigned i = 0; i < 9; ++i) {
        CAPTURE(i);
        CHECK(own[at80 + i].first == pc(normal[i].first));
        CHECK(own[at80 + i].second == normal[i].second);
    }
}

TEST_CASE("a warp enters at a long-latency register only, and returns when all of them are written") {
    KernelBuilder k("two_loads", {8, 8});
    const auto a = k.reg(), b = k.reg(), c = k.reg();
    k.load(Space::shared, Type::u32, c, k.launch(isa::LaunchRow::zero));
    k.op(Operation::add, Type::u32, c, {c, c});  // waits for shared memory: no entry
    k.load(Space::global, Type::u32, a, k.parameter(1));
    for (unsigned i = 0; i < 5; ++i) { k.op(Operation::add, Type::u32, c, {c, c}); }
    k.load(Space::global, Type::u32, b, k.parameter(1), 512);
    k.op(Operation::add, Type::u32, c, {a, b});
    const std::uint32_t blocked = k.last().line - 1;
    k.store(Space::global, Type::u32, k.parameter(0), c);
    k.shared_bytes(64);
    PmodeRun bench(k.finish());
    CHECK(bench.counters().switches == 1);
    Cycle entered = 0, returned = 0, second_load = 0;
    for (std::size_t i = 0; i < bench.steps.size(); ++i) {
        const PmodeStep& step = bench.steps[i];
        if (step.kind == Kind::entered) {
            CHECK(step.pc == blocked);
            entered = bench.cycles[i];
        }
        returned = step.kind == Kind::returned ? bench.cycles[i] : returned;
        second_load = step.kind == Kind::own && step.pc == blocked - 1 ? bench.cycles[i] : second_load;
    }
    CHECK(entered == second_load + 1);
    CHECK(returned == second_load + 100);  // FakeMemory's latency: the later one of the two
}

/// Warps below `busy` wait for their loads, and all their later instructions are skipped, which takes a fetch and no
/// issue; the other warps have their own instructions.
isa::Kernel beside_busy_warps(unsigned busy) {
    BlockedKernel k;
    const auto apart = k.label();
    const auto p = k.predicate();
    k.setp(isa::Comparison::ge, Type::u32, p, k.thread, k.literal(busy * isa::kWarpSize));
    k.branch_if(p, apart);
    k.block();
    k.add(k.used, k.used, 12);
    k.exit();
    k.bind(apart);
    for (unsigned i = 0; i < 150; ++i) {
        k.op(Operation::mov, Type::u32, k.used, {k.literal(1)});
        k.op(Operation::mov, Type::u32, k.loaded, {k.literal(1)});
    }
    return k.finish();
}

/// The cycles from warp 0's entry until it skipped its last instruction.
Cycle skipped_in(const PmodeBench& bench) {
    Cycle entered = 0, last = 0;
    for (std::size_t i = 0; i < bench.steps.size(); ++i) {
        if (bench.steps[i].context == 0) {
            entered = bench.steps[i].kind == Kind::entered ? bench.cycles[i] : entered;
            last = bench.steps[i].kind == Kind::skipped ? bench.cycles[i] : last;
        }
    }
    return last - entered;
}

TEST_CASE(
    "a warp that pre-executes is fetched for when no warp of its group is; the other group's fetches are not its") {
    const std::string sm = "private_fetch = true\nfetch_latency = 1\nschedulers = 2\n";
    PmodeBench alone(beside_busy_warps(1), "", {}, sm);
    const Cycle undisturbed = skipped_in(alone.run({32, 1, 1}));
    REQUIRE(undisturbed > 12);
    // Warp 1 belongs to the other group, warp 2 to warp 0's.
    PmodeBench beside(beside_busy_warps(1), "", {}, sm);
    CHECK(skipped_in(beside.run({64, 1, 1})) == undisturbed);
    PmodeBench among(beside_busy_warps(2), "", {}, sm);
    CHECK(skipped_in(among.run({96, 1, 1})) > undisturbed);
    // With one fetch for the SM, warp 1 competes as well.
    PmodeBench shared(beside_busy_warps(1), "", {}, "fetch_latency = 1\n");
    CHECK(skipped_in(shared.run({64, 1, 1})) > undisturbed);
}

TEST_CASE("at its return a warp fetches the blocked instruction again, unless pre-execution has a buffer of its own") {
    for (const bool one_buffer : {true, false}) {
        BlockedKernel k;
        k.block();
        const auto blocked = k.index();
        const auto x = k.reg();
        k.add(x, k.thread);
        PmodeRun bench(k.finish(), one_buffer ? "" : "one_buffer = false\n");
        const Cycle returned = bench.cycle(Kind::returned, blocked);
        const Cycle issued = bench.cycle(Kind::own, blocked);
        // The load completes at the end of a cycle; a fetch in the next one takes fetch_latency.
        CHECK(issued == returned + 1 + (one_buffer ? gpu::SmParameters{}.fetch_latency : 0));
        CHECK(bench.executes(blocked + 1));
    }
}

TEST_CASE("without pre-loads loads are skipped, and results are reused all the same") {
    BlockedKernel k;
    k.block();
    const auto x = k.reg();
    const auto load = k.index_of(k.load(Space::global, Type::u32, x, k.in, 128)), result = k.add(k.used, k.thread);
    PmodeRun bench(k.finish(), "pre_loads = false\n");
    CHECK(bench.skips(load, SkipReason::pre_load));
    CHECK(bench.reuses(result) == 1);
    CHECK(bench.counters().pre_loads == 0);
}

TEST_CASE("what depends on the blocked load is skipped, and a full independent write ends that") {
    PmodeKernel k;
    k.block();
    const auto first = k.add(k.x, k.used), second = k.add(k.y, k.x), clean = k.add(k.x, k.thread),
               third = k.add(k.z, k.x);
    const auto fourth = k.index_of(k.op(Operation::add, Type::u32, k.z, {k.z, k.y}));
    PmodeRun bench(k.finish_with(k.z));
    CHECK(bench.skips(5, SkipReason::poisoned));  // the blocked instruction itself
    CHECK(bench.skips(first, SkipReason::poisoned));
    CHECK(bench.skips(second, SkipReason::poisoned));
    CHECK(bench.executes(clean));
    CHECK(bench.executes(third));
    CHECK(bench.skips(fourth, SkipReason::poisoned));
    CHECK(bench.reuses(clean) == 1);
    CHECK(bench.reuses(third) == 1);
    CHECK(bench.reuses(fourth) == 0);
}

TEST_CASE("a guarded write has the old value as a source: it is merged, or skipped") {
    BlockedKernel k;
    const auto x = k.reg(), y = k.reg(), p = k.reg();
    const auto odd = k.odd_threads();
    k.op(Operation::mov, Type::b32, x, {k.literal(100)});
    k.block();
    const auto poisoned = k.add(y, k.used);
    k.guard(odd);
    const auto merged = k.add(x, k.thread), still_poisoned = k.add(y, k.thread);
    k.unguard();
    const auto reader = k.add(p, x), other = k.add(p, y);
    k.op(Operation::add, Type::u32, x, {x, y});
    PmodeRun bench(k.finish_with(x));
    CHECK(bench.skips(poisoned, SkipReason::poisoned));
    CHECK(bench.executes(merged));
    CHECK(bench.skips(still_poisoned, SkipReason::poisoned));
    CHECK(bench.executes(reader));
    CHECK(bench.skips(other, SkipReason::poisoned));
    CHECK(bench.reuses(merged) == 1);
}

TEST_CASE("the old value that a partial write merges with is read from the register file") {
    Cycle until_reader[2];
    for (const bool guarded : {false, true}) {
        PmodeKernel k;
        const auto odd = k.odd_threads();
        k.block();
        if (guarded) { k.guard(odd); }
        const auto writer = k.add(k.x, k.thread);
        k.unguard();
        const auto reader = k.add(k.y, k.x);
        PmodeRun bench(k.finish(), "", {.global_latency = 300}, "register_banks = 1\n", {.collectors = true});
        until_reader[guarded] = bench.cycle(Kind::executed, reader) - bench.cycle(Kind::executed, writer);
    }
    CHECK(until_reader[1] == until_reader[0] + 1);  // one bank, one more operand
}

TEST_CASE("stores, atomics, barriers, clocks and ordered loads are skipped though their sources are there") {
    BlockedKernel k;
    const auto x = k.reg(), y = k.reg(), z = k.reg(), wide = k.reg64(), time = k.reg64();
    k.block();
    const auto store = k.index_of(k.store(Space::global, Type::u32, k.out, k.thread));
    const auto clock = k.index_of(k.special(x, isa::SpecialRegister::clock));
    const auto clock64 = k.index_of(k.special(wide, isa::SpecialRegister::clock64));
    const auto timer = k.index_of(k.special(time, isa::SpecialRegister::globaltimer));
    const auto lane = k.index_of(k.special(k.reg(), isa::SpecialRegister::laneid));
    k.load(Space::global, Type::u32, y, k.in).order = isa::Order::volatile_;
    const auto ordered = k.index();
    k.atomic(Space::global, isa::AtomicOp::add, Type::u32, z, k.parameter(0), k.literal(0));
    const auto atomic = k.index();
    const auto barrier = k.index_of(k.barrier());
    const auto after = k.add(k.used, k.thread);
    PmodeRun bench(k.finish());
    CHECK(bench.skips(store, SkipReason::store));
    for (const std::uint32_t each : {clock, clock64, timer}) { CHECK(bench.skips(each, SkipReason::clock)); }
    CHECK(bench.executes(lane));
    CHECK(bench.skips(ordered, SkipReason::ordered_load));
    CHECK(bench.skips(atomic, SkipReason::atomic));
    CHECK(bench.skips(barrier, SkipReason::barrier));
    CHECK(bench.executes(after));
}

TEST_CASE("scratchpad loads are executed until something that they may depend on was skipped") {
    using Kernel = BlockedKernel;
    const struct {
        const char* name;
        bool executes;
        void (*before)(Kernel&);
    } cases[] = {
        {"nothing", true, [](Kernel&) {}},
        {"a global store", true, [](Kernel& k) { k.store(Space::global, Type::u32, k.out, k.thread); }},
        {"a shared store", false, [](Kernel& k) { k.store(Space::shared, Type::u32, k.offset, k.used); }},
        {"a shared atomic", false,
         [](Kernel& k) { k.atomic(Space::shared, isa::AtomicOp::add, Type::u32, k.reg(), k.offset, k.literal(5)); }},
        {"a generic store", false, [](Kernel& k) { k.store(Space::generic, Type::u32, k.out, k.used); }},
        {"a barrier", false, [](Kernel& k) { k.barrier(); }},
        {"an ordered load", false,
         [](Kernel& k) { k.load(Space::shared, Type::u32, k.reg(), k.offset).order = isa::Order::volatile_; }}};
    for (const auto& [name, executes, before] : cases) {
        CAPTURE(name);
        Kernel k;
        const auto x = k.reg();
        k.store(Space::shared, Type::u32, k.offset, k.thread);
        k.block();
        before(k);
        const auto scratchpad = k.index_of(k.load(Space::shared, Type::u32, x, k.offset));
        PmodeRun bench(k.finish_with(x));
        CHECK(bench.executes(scratchpad) == executes);
        CHECK(bench.skips(scratchpad, SkipReason::scratchpad) == !executes);
        CHECK(bench.reuses(scratchpad) == (executes ? 1 : 0));
    }
}

TEST_CASE("loads of constants are executed and reused, whatever was skipped before") {
    for (const bool store_before : {false, true}) {
        PmodeKernel k;
        const auto address = k.reg64();
        k.op(Operation::mad_wide, Type::u64, address, {k.thread, k.literal(4), k.literal64(isa::kConstantBase)})
            .source_type = Type::u32;
        k.block();
        if (store_before) { k.store(Space::shared, Type::u32, k.offset, k.used); }
        const auto load = k.index_of(k.load(Space::constant, Type::u32, k.x, address));
        const auto user = k.add(k.y, k.x);
        PmodeRun bench(k.finish_with(k.y));
        CHECK(bench.executes(load));
        CHECK(bench.executes(user));
        CHECK(bench.reuses(load) == 1);
    }
}

TEST_CASE("a warp does not enter for a load of constants, which is no long-latency instruction") {
    PmodeKernel k;
    const auto address = k.reg64();
    k.op(Operation::mad_wide, Type::u64, address, {k.thread, k.literal(4), k.literal64(isa::kConstantBase)})
        .source_type = Type::u32;
    k.load(Space::constant, Type::u32, k.x, address);
    k.add(k.y, k.x);
    PmodeRun bench(k.finish_with(k.y));
    CHECK(bench.counters().switches == 0);
}

TEST_CASE("the blocked instruction obeys the rules, too: a blocked scratchpad store makes loads stale") {
    PmodeKernel k;
    k.load(Space::global, Type::u32, k.loaded, k.in);
    k.store(Space::shared, Type::u32, k.offset, k.loaded);
    const auto scratchpad = k.index_of(k.load(Space::shared, Type::u32, k.x, k.offset));
    PmodeRun bench(k.finish_with(k.x));
    CHECK(bench.skips(scratchpad, SkipReason::scratchpad));
}

TEST_CASE("an instruction is skipped beyond the reach and executed at its end") {
    BlockedKernel k;
    k.block();
    const auto blocked = k.index();
    const auto x = k.reg();
    k.add(x, k.thread, 8);
    PmodeRun bench(k.finish(), "reach = 32\n");
    CHECK(bench.executes(blocked + 4));
    CHECK(bench.skips(blocked + 5, SkipReason::far));
}

/// After its load, predicates of all threads and of none, the same of what is loaded, and labels nearby and beyond the
/// reach.
struct StoppingKernel : BlockedKernel {
    StoppingKernel() {
        setp(Comparison::lt, Type::u32, all, thread, literal(64));
        setp(Comparison::ge, Type::u32, none, thread, literal(64));
        block();
        setp(Comparison::gt, Type::u32, loaded_all, loaded, literal(0));
        setp(Comparison::gt, Type::u32, loaded_none, loaded, literal(0xfffffff0u));
    }
    void fence() { op(Operation::membar, Type::none, {}, {}); }

    Predicate all = predicate(), none = predicate(), loaded_all = predicate(), loaded_none = predicate();
    Label near = label(), far = label();
};

TEST_CASE("pre-execution stops at branches that depend on the load or go too far, fences, exits and traps") {
    using Kernel = StoppingKernel;
    constexpr HaltReason kGoesOn = HaltReason::count;
    const struct {
        const char* name;
        HaltReason reason;
        void (*stop)(Kernel&);
    } cases[] = {{"a branch", kGoesOn, [](Kernel& k) { k.branch_if(k.all, k.near, k.near); }},
                 {"a branch on what is loaded", HaltReason::poisoned_branch,
                  [](Kernel& k) { k.branch_if(k.loaded_all, k.near, k.near); }},
                 {"a far branch", HaltReason::far_branch, [](Kernel& k) { k.branch_if(k.all, k.far, k.far); }},
                 {"a far branch that nobody takes", kGoesOn, [](Kernel& k) { k.branch_if(k.none, k.far, k.far); }},
                 {"a fence", HaltReason::fence, [](Kernel& k) { k.fence(); }},
                 {"a fence of nobody", HaltReason::fence,
                  [](Kernel& k) {
                      k.guard(k.none);
                      k.fence();
                  }},
                 {"an exit", HaltReason::exit,
                  [](Kernel& k) {
                      k.guard(k.all);
                      k.exit();
                  }},
                 {"an exit of nobody", kGoesOn,
                  [](Kernel& k) {
                      k.guard(k.none);
                      k.exit();
                  }},
                 {"a trap of nobody, which P-mode does not know", HaltReason::trap, [](Kernel& k) {
                      k.guard(k.loaded_none);
                      k.op(Operation::trap, Type::none, {}, {});
                  }}};
    for (const auto& [name, reason, stop] : cases) {
        CAPTURE(name);
        Kernel k;
        stop(k);
        const auto pc = k.index();
        k.unguard();
        k.bind(k.near);
        const auto x = k.reg();
        const auto next = k.add(x, k.thread);
        k.add(x, x, 70);
        k.bind(k.far);
        PmodeRun bench(k.finish_with(k.used));
        CHECK(bench.executes(next) == (reason == kGoesOn));
        CHECK(bench.executes(pc) == (reason == kGoesOn));
        CHECK(bench.halts(pc, reason) == (reason != kGoesOn));
    }
}

TEST_CASE("pre-execution diverges with its own stack, and stops when the copy is full") {
    for (const unsigned entries : {8u, 2u}) {
        BlockedKernel k;
        const auto odd = k.odd_threads();
        const auto x = k.reg();
        k.op(Operation::mov, Type::b32, x, {k.literal(50)});
        k.block();
        const auto join = k.label(), side = k.label();
        const auto branch = k.index_of(k.branch_if(odd, side, join));
        const auto fall = k.add(x, k.thread);
        k.branch(join, join);
        k.bind(side);
        const auto taken = k.index_of(k.op(Operation::add, Type::u32, x, {x, k.thread}));
        k.bind(join);
        k.op(Operation::add, Type::u32, x, {x, k.used});
        PmodeRun bench(k.finish_with(x), "simt_entries = " + std::to_string(entries) + "\n");
        CHECK(bench.executes(branch));
        CHECK(bench.executes(fall) == (entries == 8));
        CHECK(bench.executes(taken) == (entries == 8));
        CHECK(bench.reuses(fall) == (entries == 8 ? 1 : 0));
        CHECK(bench.reuses(taken) == (entries == 8 ? 1 : 0));
        CHECK((bench.counters().halted[static_cast<unsigned>(HaltReason::simt_overflow)] == 1) == (entries == 2));
    }
}

TEST_CASE("a pre-load poisons its destination for good, and is executed again") {
    // The wait is longer than the pre-load takes, but what depends on it stays poisoned.
    PmodeKernel k;
    k.load(Space::global, Type::u32, k.loaded, k.in);
    k.op(Operation::add, Type::u32, k.used, {k.loaded, k.literal(1)});
    const auto load = k.index_of(k.load(Space::global, Type::u32, k.x, k.in, 128));
    k.add(k.y, k.y, 40);
    const auto user = k.add(k.z, k.x);
    PmodeRun bench(k.finish_with(k.z), "reach = 4096\n", {.global_latency = 400});
    CHECK(bench.pre_loads(load));
    CHECK(bench.skips(user, SkipReason::poisoned));
    CHECK(bench.reuses(load) == 0);
    CHECK(bench.counters().pre_loads >= 1);
}

TEST_CASE("a load of the warp that returns meanwhile frees its register, if pre-execution has not redefined it") {
    for (const bool redefined : {false, true}) {
        CAPTURE(redefined);
        BlockedKernel k;
        const auto y = k.reg(), c = k.reg(), z = k.reg();
        k.load(Space::global, Type::u32, y, k.in, 256);
        k.add(c, c, 12);  // 12 x 4 cycles: the first load returns that much earlier
        k.block();
        if (redefined) { k.op(Operation::add, Type::u32, y, {k.used, y}); }
        k.add(c, c, 18);
        const auto user = k.index_of(k.op(Operation::add, Type::u32, z, {y, c}));
        PmodeRun bench(k.finish_with(z));
        CHECK(bench.executes(user) == !redefined);
        CHECK(bench.skips(user, SkipReason::poisoned) == redefined);
    }
}

/// Loads four words of the second parameter's memory, from the thread's place on, element by element.
isa::Operand load_four(BlockedKernel& k) {
    const auto four = k.registers(4), stride = k.reg();
    k.op(Operation::mov, Type::u32, stride, {k.literal(1)});
    isa::Instruction& load = k.op(Operation::load_stride, Type::b32, four, {k.in, stride});
    load.space = Space::global;
    load.vector = 4;
    return four;
}

TEST_CASE("a vector's last element frees no register that a later load of the warp writes") {
    BlockedKernel k;
    const auto c = k.reg(), z = k.reg();
    const auto four = load_four(k);
    k.add(c, KernelBuilder::word(four, 0));
    k.load(Space::global, Type::u32, KernelBuilder::word(four, 0), k.in, 256);
    k.block();
    k.add(c, c, 18);  // 18 x 4 cycles: the vector's last element comes meanwhile
    const auto user = k.index_of(k.op(Operation::add, Type::u32, z, {KernelBuilder::word(four, 0), c}));
    PmodeBench bench(k.finish_with(z), "", {.global_latency = 100, .element_interval = 20});
    bench.run();
    const auto executes = [&](const PmodeStep& step) { return step.kind == Kind::executed && step.pc == user; };
    CHECK(std::none_of(bench.steps.begin(), bench.steps.end(), executes));
}

TEST_CASE("a vector's element that comes ends its register's poison, before the others are there") {
    BlockedKernel k;
    const auto c = k.reg(), z = k.reg();
    const auto four = load_four(k);
    k.add(k.used, KernelBuilder::word(four, 3));
    k.add(c, c, 30);  // 30 x 4 cycles: the first element comes meanwhile
    const auto early = k.index_of(k.op(Operation::add, Type::u32, z, {KernelBuilder::word(four, 0), c}));
    const auto late = k.index_of(k.op(Operation::add, Type::u32, z, {KernelBuilder::word(four, 2), c}));
    PmodeRun bench(k.finish_with(z), "", {.global_latency = 100, .element_interval = 100});
    CHECK(bench.executes(early));
    CHECK(bench.skips(late, SkipReason::poisoned));
}

TEST_CASE("a reader in P-mode waits for the last of two writers, and reuse for the result") {
    PmodeKernel k;
    k.block();
    k.add(k.x, k.thread);  // writes back soon, while the division has just begun
    k.op(Operation::div, Type::u32, k.x, {k.thread, k.literal(3)});
    const auto division = k.index(), reader = k.add(k.y, k.x);
    k.op(Operation::add, Type::u32, k.y, {k.y, k.used});
    const isa::Kernel kernel = k.finish_with(k.y);
    const Cycle latency = gpu::TimingParameters{}.integer_divide_latency;
    PmodeRun patient(kernel, "", {.global_latency = 400});
    const Cycle begun = patient.cycle(Kind::executed, division);
    CHECK(patient.cycle(Kind::executed, reader) == begun + latency);
    PmodeRun early(kernel, "", {.global_latency = 100});
    CHECK(early.reuses(division) == 1);
    CHECK(early.cycle(Kind::reused, division) == early.cycle(Kind::executed, division) + latency);
}

TEST_CASE("a scratchpad load under way at the return is waited for before it is reused") {
    PmodeKernel k;
    k.store(Space::shared, Type::u32, k.offset, k.thread);
    k.block();
    const auto scratchpad = k.index_of(k.load(Space::shared, Type::u32, k.x, k.offset));
    k.op(Operation::add, Type::u32, k.x, {k.x, k.used});
    PmodeRun bench(k.finish_with(k.x), "", {.global_latency = 100, .shared_latency = 300});
    CHECK(bench.reuses(scratchpad) == 1);
    CHECK(bench.cycle(Kind::reused, scratchpad) >= bench.cycle(Kind::executed, scratchpad) + 300);
}

TEST_CASE("reuse waits for an older write to the same register") {
    PmodeKernel k;
    k.block();
    k.op(Operation::div, Type::u32, k.x, {k.used, k.literal(3)});  // skipped; its reader, too
    const auto older = k.index();
    k.op(Operation::add, Type::u32, k.used, {k.used, k.x});
    const auto younger = k.add(k.x, k.thread);
    k.op(Operation::add, Type::u32, k.used, {k.used, k.x});
    isa::Kernel kernel = k.finish_with(k.used);
    // Without the reader between the two nothing else delays the reuse.
    kernel.code.erase(kernel.code.begin() + older + 1);
    PmodeRun bench(kernel);
    CHECK(bench.reuses(younger - 1) == 1);
    CHECK(bench.cycle(Kind::reused, younger - 1) ==
          bench.cycle(Kind::own, older) + gpu::TimingParameters{}.integer_divide_latency);
}

TEST_CASE("the P-queue takes as many results as it has entries; without entries nothing is reused") {
    for (const unsigned entries : {0u, 1u, 3u, 8u}) {
        CAPTURE(entries);
        BlockedKernel k;
        k.block();
        std::vector<isa::Operand> results;
        for (unsigned i = 0; i < 5; ++i) {
            results.push_back(k.reg());
            k.add(results.back(), i == 0 ? k.thread : results[i - 1]);
        }
        const auto load = k.index_of(k.load(Space::global, Type::u32, results[0], k.in, 640));
        k.op(Operation::add, Type::u32, k.used, {k.used, results[4]});
        PmodeRun bench(k.finish_with(k.used), "pqueue_entries = " + std::to_string(entries) + "\n");
        CHECK(bench.pre_loads(load));
        CHECK(bench.counters().reused == std::min(entries, 5u));
        CHECK(bench.counters().pqueue_full == 5 - std::min(entries, 5u));
    }
}

TEST_CASE("a result is not taken for that of the same instruction in another iteration") {
    // In the first iteration x depends on the load and is skipped; in the second it does not.
    BlockedKernel k;
    const auto x = k.reg(), y = k.reg(), count = k.reg(), sum = k.reg();
    const auto more = k.predicate();
    k.block();
    k.op(Operation::mov, Type::b32, y, {k.used});
    const auto loop = k.here(), out = k.label();
    const auto twice = k.index_of(k.op(Operation::add, Type::u32, x, {y, k.literal(1000)}));
    k.op(Operation::mov, Type::b32, y, {k.literal(7)});
    k.op(Operation::add, Type::u32, sum, {sum, x});
    k.op(Operation::add, Type::u32, count, {count, k.literal(1)});
    k.setp(Comparison::lt, Type::u32, more, count, k.literal(2));
    k.branch_if(more, loop, out);
    k.bind(out);
    PmodeRun bench(k.finish_with(sum));
    unsigned skipped = 0, executed = 0;
    for (const PmodeStep& step : bench.first_switch()) {
        skipped += step.pc == twice && step.kind == Kind::skipped;
        executed += step.pc == twice && step.kind == Kind::executed;
    }
    CHECK(skipped == 1);
    CHECK(executed == 1);
    CHECK(bench.reuses(twice) == 1);
}

TEST_CASE("a renamed register takes a part of a write where it is, and is given back for a whole one") {
    PmodeKernel k;
    const auto odd = k.odd_threads();
    k.block();
    const auto reused = k.add(k.x, k.thread);
    k.guard(odd);
    k.op(Operation::add, Type::u32, k.x, {k.x, k.used});  // poisoned: the warp executes it itself, in part
    k.unguard();
    const auto after_part = k.index_of(k.op(Operation::add, Type::u32, k.y, {k.x, k.x}));
    k.op(Operation::add, Type::u32, k.x, {k.x, k.used});  // and as a whole, from and to the same register
    const auto after_whole = k.index_of(k.op(Operation::add, Type::u32, k.y, {k.x, k.y}));
    PmodeRun bench(k.finish_with(k.y));
    CHECK(bench.reuses(reused) == 1);
    CHECK(bench.held[bench.find(Kind::own, after_part)] == 1);
    CHECK(bench.held[bench.find(Kind::own, after_whole)] == 0);
}

TEST_CASE("several destinations are renamed together or not at all") {
    for (const unsigned registers : {1u, 2u}) {
        CAPTURE(registers);
        BlockedKernel k;
        const auto wide = k.reg64();
        const auto p = k.predicate();
        k.block();
        k.op(Operation::mul_wide, Type::u64, wide, {k.thread, k.literal(0x80000001u)}).source_type = Type::u32;
        const auto pair = k.index();
        const auto predicate = k.index_of(k.setp(Comparison::gt, Type::u32, p, k.thread, k.literal(3)));
        const auto x = k.reg();
        k.select(Type::b32, x, KernelBuilder::word(wide, 0), KernelBuilder::word(wide, 1), p);
        k.op(Operation::add, Type::u32, x, {x, k.used});
        PmodeRun bench(k.finish_with(x), "registers = " + std::to_string(registers) + "\n");
        CHECK(bench.executes(pair) == (registers == 2));
        CHECK(bench.reuses(pair) == (registers == 2 ? 1 : 0));
        // With both registers taken nothing more issues, not even instructions that write only predicates.
        CHECK(bench.reuses(predicate) == 0);
    }
}

TEST_CASE("predicates are pre-executed and reused with the guards and branches that they decide") {
    BlockedKernel k;
    const auto p = k.predicate(), q = k.predicate();
    const auto x = k.reg();
    k.op(Operation::mov, Type::b32, x, {k.literal(5)});
    k.block();
    auto& both = k.setp(Comparison::gt, Type::u32, p, k.thread, k.literal(15));
    both.destination_predicate2 = q.index;
    const auto setp = k.index();
    k.guard(p);
    const auto guarded = k.add(x, k.thread);
    k.guard(q);
    k.op(Operation::add, Type::u32, x, {x, k.used});
    k.unguard();
    PmodeRun bench(k.finish_with(x));
    CHECK(bench.reuses(setp) == 1);
    CHECK(bench.reuses(guarded) == 1);
}

TEST_CASE("registers beyond the rename table are not renamed") {
    PmodeKernel k;
    k.block();
    const auto last = k.add(k.x, k.thread), beyond = k.add(k.y, k.thread);
    PmodeRun bench(k.finish(), "rename_entries = " + std::to_string(k.x.index + 1) + "\n");
    CHECK(bench.executes(last));
    CHECK(bench.skips(beyond, SkipReason::no_rename_entry));
}

TEST_CASE("the pool is what the launch leaves of the last registers, the same bank first") {
    gpu::PipelineState state({}, {}, isa::SimtModel::stack, {});
    gpu::StreamSet pre(1);
    gpu::RegisterPool pool(state, pre, 0);
    pool.begin_launch(128, 15);
    CHECK(pool.size() == 128);
    CHECK(pool.allocate(0, 5) == 896 + 5);
    CHECK(pool.allocate(0, 5) == 896 + 21);
    for (unsigned i = 0; i < 6; ++i) { CHECK(pool.allocate(0, 5) % 16 == 5); }
    const std::uint16_t row = pool.allocate(0, 5);
    CHECK(row == 896);  // the bank is used up: the first of all
    CHECK(pool.free() == 119);
    state.now = 10;
    pool.drop({.words = 1, .rows = {row}});
    CHECK_FALSE(pool.is_free(row));  // its write-back is to come
    pool.read_until(row, 20);
    pool.written({&row, 1});
    CHECK_FALSE(pool.is_free(row));  // a reader is to collect it
    CHECK(state.wheel.next(10) == 20);
    state.now = 20;
    state.wheel.take(20, [&](std::uint64_t event) { pool.collected(gpu::PipelineEvent::unpacked(event).detail); });
    CHECK(pool.is_free(row));

    // 8 CTAs of 6 warps with 20 registers occupy 960 rows.
    BlockedKernel k;
    (void)k.registers(8);
    k.block();
    isa::Kernel kernel = k.finish();
    kernel.registers = 20;
    // {CTAs, first register of the pool}: CTAs that do not fit come later, and fewer leave their places free.
    for (const auto& [ctas, first] : {std::pair{12u, 960u}, {8u, 960u}, {7u, 896u}, {1u, 896u}}) {
        CAPTURE(ctas);
        PmodeBench bench(kernel);
        bench.run({192, 1, 1}, {ctas, 1, 1});
        CHECK(bench.pmode().pool().first() == first);
        CHECK(bench.pmode().pool().size() == 1024 - first);
    }
}

TEST_CASE("with an empty pool timing is the baseline's, to the cycle") {
    const auto run = [](const std::string& toml) {
        SmHarness harness({mixed_kernel(3)}, toml);
        harness.run_to_end({.grid = {9, 1, 1}, .block = {180, 1, 1}, .parameters = global_parameters()});
        return std::pair(harness.received().back().cycle, harness.counters().warp_instructions);
    };
    const auto without = run("");
    CHECK(run("[sm]\nissue_extension = \"pmode\"\n[pmode]\nregisters = 0\nswitch_cycles = 0\n") == without);
    CHECK(run("[sm]\nissue_extension = \"pmode\"\n").first != without.first);
}

TEST_CASE("a switch takes its cycles before the first pre-executed instruction") {
    Cycle first[2];
    for (const unsigned cycles : {0u, 7u}) {
        BlockedKernel k;
        k.block();
        PmodeRun bench(k.finish(), "switch_cycles = " + std::to_string(cycles) + "\n");
        for (std::size_t i = bench.steps.size(); i-- > 0;) {
            if (bench.steps[i].kind == Kind::skipped) { first[cycles == 7] = bench.cycles[i]; }
        }
    }
    CHECK(first[1] - first[0] == 6);  // without any, the skip is in the cycle after the entry
}

TEST_CASE("what warps execute beside the program is counted apart, and stall causes sum to the cycles") {
    BlockedKernel k;
    k.block();
    const auto x = k.reg();
    k.add(x, x, 12);
    k.op(Operation::add, Type::u32, x, {x, k.used});
    const isa::Kernel kernel = k.finish_with(x);
    PmodeBench bench(kernel);
    bench.run({96, 1, 1}, {3, 1, 1});
    const gpu::SmCounters& sm = bench.harness.counters();
    CHECK(sm.warp_instructions == 9 * kernel.code.size());
    std::uint64_t classes = 0;
    for (const std::uint64_t each : sm.by_class) { classes += each; }
    CHECK(classes == sm.warp_instructions);
    const gpu::PmodeCounters& p = bench.counters();
    CHECK(p.reused == 9 * 8);
    CHECK(p.executed == 9 * 12);
    CHECK(p.repeated == p.executed - p.reused);
    CHECK(p.short_not_reused == p.executed - p.reused);
    CHECK(p.short_skipped == p.skips - 0);
    CHECK(p.queued == p.reused + p.flushed);
    std::uint64_t issued = 0;
    for (const gpu::SchedulerCounters& scheduler : bench.harness.sm().scheduler_counters()) {
        std::uint64_t cycles = 0;
        for (const std::uint64_t each : scheduler.cycles) { cycles += each; }
        CHECK(cycles == sm.cycles);
        issued += scheduler[gpu::SchedulerCycle::extension_issued];
    }
    CHECK(issued == p.executed);
}

}  // namespace
}  // namespace lookahead::test
