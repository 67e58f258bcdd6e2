// The rules of CTA-aware prefetching, one per test. Lines are numbers from the start of memory.
#include <doctest/doctest.h>

#include "components/mechanisms/caps/backward_slice.h"
#include "tests/components/mechanisms/prefetchers/prefetch_bench.h"
#include "tests/support/statistics.h"

namespace lookahead::gpu::test {
namespace {

struct CapsBench : PrefetchBench {
    explicit CapsBench(Overrides more = {}, unsigned warps_per_cta = 2, unsigned ctas = 4)
        : PrefetchBench("caps", std::move(more), warps_per_cta, ctas) {}

    std::uint64_t caps(const std::string& name) {
        lookahead::test::Statistics statistics("caps");
        unit->visit_statistics(statistics);
        return statistics.of.at(name);
    }
    /// The leading CTA's first two warps, three lines apart.
    void find_stride() { load_each(0, {{0, 0}, {1, 3}}); }
};

TEST_CASE("a stride that is found after bases prefetches the trailing warps of every trailing CTA with a base") {
    CapsBench bench;
    bench.load_each(0, {{0, 0}, {2, 100}, {4, 200}});
    bench.settle();
    CHECK(bench.prefetches().requested == 0);
    bench.load(1, 0, {3});
    CHECK(bench.present({103, 203, 303}) == Lines{103, 203});
    CHECK(bench.prefetches().issued == 2);
    CHECK(bench.caps("stride_after_base") == 1);
}

TEST_CASE("a base that comes after the stride prefetches its CTA's trailing warps") {
    CapsBench bench;
    bench.find_stride();
    bench.settle();
    CHECK(bench.prefetches().requested == 0);
    bench.load(2, 0, {100});
    CHECK(bench.present({103}) == Lines{103});
    CHECK(bench.prefetches().issued == 1);
    CHECK(bench.caps("base_after_stride") == 1);
}

TEST_CASE("the distance of one CTA's base from the next one's is regular if it repeats") {
    for (const std::uint64_t third : {200ull, 250ull}) {
        CapsBench bench;
        bench.load_each(0, {{0, 0}, {2, 100}});
        CHECK(bench.caps("cta_strides") == 0);
        bench.load(4, 0, {third});
        CHECK(bench.caps("cta_strides") == 1);
        CHECK(bench.caps("cta_strides_repeated") == (third == 200 ? 1 : 0));
    }
}

TEST_CASE("strides may be negative; a zero stride prefetches nothing") {
    CapsBench down;
    down.load_each(0, {{0, 100}, {1, 97}, {2, 200}});
    CHECK(down.present({197, 203}) == Lines{197});

    CapsBench same;
    same.load_each(0, {{0, 100}, {1, 100}, {2, 200}});
    same.settle();
    CHECK(same.caps("strides") == 1);
    CHECK(same.prefetches().requested == 0);
}

TEST_CASE("warps that lead by more than one give the stride of neighbours, if it is whole") {
    CapsBench half({}, 4, 2);
    half.load(0, 0, {0});
    half.load(2, 0, {1});  // 64 bytes a warp
    half.load(4, 0, {100});
    CHECK(half.present({100, 101, 102}) == Lines{100, 101});
    CHECK(half.prefetches().issued == 1);
    CHECK(half.prefetches().duplicates == 2);

    CapsBench third({}, 4, 2);
    third.load_each(0, {{0, 0}, {3, 1}, {4, 100}});
    third.settle();
    CHECK(third.caps("disagreements") == 1);
    CHECK(third.prefetches().requested == 0);
}

TEST_CASE("accesses that disagree, or differ in number, make the load not striding and take its base away") {
    for (const std::initializer_list<std::uint64_t>& second :
         {std::initializer_list<std::uint64_t>{3, 14}, {3}, {3, 13, 23}}) {
        CapsBench bench;
        bench.load(0, 0, {0, 10});
        bench.load(1, 0, second);
        CHECK(bench.caps("disagreements") == 1);
        CHECK(bench.caps("strides") == 0);
        bench.load(1, 0, {3, 13});
        CHECK(bench.caps("bases") == 2);
    }
    CapsBench bench;
    bench.load(0, 0, {0, 10});
    bench.load(1, 0, {3, 13});
    CHECK(bench.caps("strides") == 1);
    bench.load(2, 0, {100, 150});
    CHECK(bench.present({103, 153}) == Lines{103, 153});
}

TEST_CASE("a load with four accesses is targeted, one with five is not") {
    for (const bool five : {false, true}) {
        CapsBench bench;
        if (five) {
            bench.load(0, 0, {0, 1, 2, 3, 4});
        } else {
            bench.load(0, 0, {0, 1, 2, 3});
        }
        CHECK(bench.caps("bases") == (five ? 0 : 1));
        CHECK(bench.caps("uncoalesced") == (five ? 1 : 0));
    }
}

TEST_CASE("the fifth load of a CTA replaces the one whose entry was updated longest ago") {
    CapsBench bench;
    for (const std::uint32_t pc : {0u, 1u, 2u, 3u}) { bench.load(0, pc, {10 * pc}); }
    bench.load(0, 0, {1});  // moves the base of PC 0
    CHECK(bench.caps("rebases") == 1);
    bench.load(0, 4, {50});
    CHECK(bench.caps("bases") == 5);
    bench.load(0, 0, {2});
    CHECK(bench.caps("rebases") == 2);
    bench.load(0, 1, {11});
    CHECK(bench.caps("bases") == 6);
}

TEST_CASE("a stride for which DIST has no entry replaces the oldest, or with caps.targets = first is not followed") {
    for (const bool first : {false, true}) {
        CapsBench bench({std::string("caps.targets=") + (first ? "first" : "latest"), "caps.dist_entries=2"});
        for (const std::uint32_t pc : {0u, 1u, 2u}) { bench.load_each(pc, {{0, 10 * pc}, {1, 10 * pc + 3}}); }
        CHECK(bench.caps("strides") == (first ? 2 : 3));
        CHECK(bench.caps("untargeted") == (first ? 2 : 0));
        bench.load(2, 0, {100});
        bench.load(2, 1, {200});
        bench.load(2, 2, {300});
        CHECK(bench.present({103, 203, 303}) == (first ? Lines{103, 203} : Lines{203, 303}));
    }
}

TEST_CASE("a load whose DIST entry was replaced keeps its mispredictions unless caps.keep_counts is false") {
    for (const bool keep : {true, false}) {
        CapsBench bench(
            {"caps.dist_entries=1", "caps.threshold=2", std::string("caps.keep_counts=") + (keep ? "true" : "false")});
        bench.find_stride();
        for (unsigned i = 0; i < 3; ++i) { bench.load_each(0, {{0, 0}, {1, 7}}); }
        bench.load_each(1, {{0, 50}, {1, 52}});
        bench.find_stride();
        CHECK(bench.caps("strides") == 3);
        bench.load(2, 0, {100});
        CHECK(bench.present({103}) == (keep ? Lines{} : Lines{103}));
        CHECK(bench.caps("shut_off") == (keep ? 1 : 0));
    }
}

TEST_CASE("a stride that is found again repeats no prefetches") {
    CapsBench bench({"caps.dist_entries=1"});
    bench.load(2, 0, {100});
    bench.find_stride();
    CHECK(bench.caps("stride_after_base") == 1);
    CHECK(bench.present({103}) == Lines{103});
    bench.load_each(1, {{0, 50}, {1, 52}});
    CHECK(bench.prefetches().requested == 1);
    bench.load_each(0, {{0, 20}, {1, 23}});
    CHECK(bench.caps("strides") == 3);
    bench.settle();
    CHECK(bench.caps("repeated") == 1);
    CHECK(bench.prefetches().requested == 1);
    bench.load(2, 0, {120});  // another iteration of its loop
    CHECK(bench.present({123}) == Lines{123});
}

TEST_CASE("a CTA's bases end with it") {
    CapsBench bench;
    bench.load(2, 0, {100});
    bench.unit->cta_ended(1);
    bench.find_stride();
    bench.settle();
    CHECK(bench.caps("strides") == 1);
    CHECK(bench.prefetches().requested == 0);
}

TEST_CASE("the 129th misprediction shuts a load's prefetches off, the 128th does not") {
    for (const unsigned wrong : {128u, 129u}) {
        CapsBench bench;
        bench.find_stride();
        for (unsigned i = 1; i <= wrong; ++i) { bench.load_each(0, {{0, 0}, {1, 7}}); }
        CHECK(bench.caps("mispredictions") == wrong);
        bench.load(2, 0, {100});
        bench.settle();
        CHECK(bench.has(103) == (wrong == 128));
        CHECK(bench.caps("shut_off") == (wrong == 128 ? 0 : 1));
    }
}

TEST_CASE("a trailing warp that makes more than four accesses was mispredicted; a leading one gives its base up") {
    CapsBench bench({}, 3, 2);
    bench.find_stride();
    bench.load(2, 0, {6, 7, 8, 9, 10});
    CHECK(bench.caps("uncoalesced") == 1);
    CHECK(bench.caps("predictions") == 1);
    CHECK(bench.caps("mispredictions") == 1);
    bench.load(2, 0, {6, 7, 8, 9, 10});  // an iteration that the leading warp has not reached
    CHECK(bench.caps("predictions") == 1);
    bench.load(0, 0, {20, 21, 22, 23, 24});
    CHECK(bench.caps("bases") == 1);
    bench.load(1, 0, {23});
    CHECK(bench.caps("bases") == 2);
}

TEST_CASE("warps that have executed a load already are prefetched for unless caps.include_executed is false") {
    for (const bool include : {true, false}) {
        CapsBench bench({std::string("caps.include_executed=") + (include ? "true" : "false")}, 4, 2);
        bench.load_each(0, {{0, 0}, {1, 50}, {4, 100}, {5, 150}});
        CHECK(bench.prefetches().requested == 3);
        CHECK(bench.caps("executed") == 0);
        bench.load(5, 0, {160});  // the second iteration, before its leading warp
        bench.load(4, 0, {110});
        CHECK(bench.caps("executed") == 1);
        CHECK(bench.prefetches().requested == (include ? 6 : 5));
    }
}

TEST_CASE("right predictions are counted and throttle nothing") {
    CapsBench bench;
    bench.find_stride();
    bench.load_each(0, {{0, 10}, {1, 13}});
    CHECK(bench.caps("predictions") == 1);
    CHECK(bench.caps("mispredictions") == 0);
}

TEST_CASE("in loops a leading warp moves the base, sets off prefetches again, and is compared in its own iteration") {
    CapsBench bench;
    bench.find_stride();
    bench.load_each(0, {{2, 100}, {2, 110}});
    CHECK(bench.present({103, 113}) == Lines{103, 113});
    bench.load_each(0, {{0, 10}, {0, 20}});
    bench.load(1, 0, {13});  // the second iteration, while the base is that of the third
    CHECK(bench.caps("predictions") == 0);
    bench.load(1, 0, {23});
    CHECK(bench.caps("predictions") == 1);
    CHECK(bench.caps("mispredictions") == 0);
}

TEST_CASE("the data of a prefetch wake up the warp for which it was, if caps.wakeup holds") {
    for (const bool wakeup : {true, false}) {
        CapsBench bench({std::string("caps.wakeup=") + (wakeup ? "true" : "false")});
        bench.find_stride();
        bench.load(2, 0, {100});
        bench.settle();
        std::vector<PrefetchBench::Hint> expected{{0, WarpHint::demote}, {2, WarpHint::demote}};
        if (wakeup) { expected.push_back({3, WarpHint::promote}); }
        CHECK(bench.hints == expected);
    }
}

TEST_CASE("a new CTA in a slot starts with an empty table, and one in the leading CTA's slot is a trailing one") {
    CapsBench bench;
    bench.find_stride();
    bench.load(2, 0, {100});
    bench.settle();
    CHECK(bench.prefetches().issued == 1);
    bench.unit->cta_ended(0);
    bench.unit->cta_started(0, 4);
    bench.load(0, 0, {200});
    CHECK(bench.caps("bases") == 3);
    CHECK(bench.present({203}) == Lines{203});
}

TEST_CASE("the leading CTA's own warps are prefetched only with caps.include_leading") {
    for (const bool include : {false, true}) {
        CapsBench bench({std::string("caps.include_leading=") + (include ? "true" : "false")}, 4, 2);
        bench.find_stride();
        CHECK(bench.present({6, 9}) == (include ? Lines{6, 9} : Lines{}));
    }
}

TEST_CASE("with caps.fanout = same_index each warp of the leading CTA stands for one warp of the others") {
    CapsBench bench({"caps.fanout=same_index"}, 4, 2);
    bench.load_each(0, {{0, 0}, {4, 100}, {1, 3}});
    CHECK(bench.present({103, 106, 109}) == Lines{103});
    bench.load(2, 0, {6});
    CHECK(bench.present({103, 106, 109}) == Lines{103, 106});
}

TEST_CASE("strides do not outlive their launch") {
    CapsBench bench;
    bench.find_stride();
    bench.settle();
    bench.unit->end_launch();
    bench.unit->begin_kernel();
    bench.begin_launch();
    bench.load(2, 0, {100});
    bench.settle();
    CHECK(bench.prefetches().requested == 0);
}

TEST_CASE("one CTA, or CTAs of one warp, give no prefetches") {
    CapsBench one({}, 8, 1);
    CapsBench narrow({}, 1, 8);
    for (const std::uint16_t context : {0, 1, 2, 3, 4, 5, 6, 7}) {
        one.load(context, 0, {3u * context});
        narrow.load(context, 0, {3u * context});
    }
    one.settle();
    narrow.settle();
    CHECK(one.prefetches().requested == 0);
    CHECK(narrow.prefetches().requested == 0);
}

TEST_CASE("the first wave of N CTAs of W warps is covered by (N - 1)(W - 1) prefetches, all of them right") {
    const unsigned shapes[][2] = {{4, 2}, {2, 4}};
    for (const auto& shape : shapes) {
        const unsigned ctas = shape[0];
        const unsigned warps = shape[1];
        CapsBench bench({}, warps, ctas);
        const auto load = [&](unsigned cta, unsigned warp) {
            bench.load(static_cast<std::uint16_t>(cta * warps + warp), 0, {100 * cta + 3 * warp});
            bench.settle();
        };
        for (unsigned cta = 0; cta < ctas; ++cta) { load(cta, 0); }
        for (unsigned cta = 0; cta < ctas; ++cta) {
            for (unsigned warp = 1; warp < warps; ++warp) { load(cta, warp); }
        }
        const PrefetchCounters& counters = bench.prefetches();
        CHECK(counters.load_accesses == ctas * warps);
        CHECK(counters.issued == (ctas - 1) * (warps - 1));
        CHECK(counters.useful == counters.issued);
        CHECK(counters.matched == counters.issued);
        CHECK(bench.caps("mispredictions") == 0);
        CHECK(bench.caps("executed") == 0);  // nor does a leading warp request its own lines again
    }
}

// ---- Loads whose address comes from data ----------------------------------------------------------------------------

isa::Operand reg(std::uint16_t index, std::uint8_t rows = 1) {
    return {isa::Operand::Kind::reg, rows, index};
}
isa::Instruction alu(isa::Operation operation, std::uint16_t to, isa::Operand a, isa::Operand b = {}) {
    isa::Instruction result;
    result.operation = operation;
    result.type = isa::Type::u32;
    result.destination = to;
    result.destination_rows = 1;
    result.source[0] = a;
    result.source[1] = b;
    return result;
}
isa::Instruction special(std::uint16_t to, isa::SpecialRegister which) {
    isa::Instruction result = alu(isa::Operation::read_special, to, {});
    result.special = which;
    return result;
}
isa::Instruction load_at(std::uint16_t to, std::uint16_t address, isa::Space space = isa::Space::global) {
    isa::Instruction result = make_memory(isa::Operation::load, isa::Type::u32, space);
    result.destination = to;
    result.destination_rows = 1;
    result.source[0] = reg(address);
    return result;
}
isa::Instruction branch_to(std::uint32_t target, std::uint8_t guard = isa::kTruePredicate) {
    isa::Instruction result;
    result.operation = isa::Operation::bra;
    result.target = target;
    result.guard = guard;
    return result;
}
isa::Instruction last() {
    isa::Instruction result;
    result.operation = isa::Operation::exit;
    return result;
}
std::vector<bool> direct(std::vector<isa::Instruction> code) {
    isa::Kernel kernel;
    kernel.code = std::move(code);
    kernel.registers = 8;
    return direct_loads(kernel);
}

TEST_CASE("a load is direct if its address comes from thread ids, block ids and constants alone") {
    const isa::Operand constant{isa::Operand::Kind::constant, 1, 8};
    const auto found = direct({special(0, isa::SpecialRegister::tid_x), special(1, isa::SpecialRegister::ctaid_x),
                               alu(isa::Operation::add, 2, reg(0), reg(1)),
                               alu(isa::Operation::add, 2, reg(2), constant), load_at(3, 2), last()});
    CHECK(found == std::vector<bool>{false, false, false, false, true, false});
}

TEST_CASE("a load behind a load, a shuffle, an atomic or the warp's slot is not direct; constant memory is no data") {
    using isa::Operation;
    const auto behind = [](isa::Instruction source) -> bool {
        source.destination = 1;
        source.destination_rows = 1;
        return direct({special(0, isa::SpecialRegister::tid_x), source, alu(Operation::add, 2, reg(0), reg(1)),
                       load_at(3, 2), last()})[3];
    };
    CHECK_FALSE(behind(load_at(1, 0)));
    CHECK_FALSE(behind(load_at(1, 0, isa::Space::shared)));
    CHECK_FALSE(behind(alu(Operation::shuffle, 1, reg(0))));
    CHECK_FALSE(behind(alu(Operation::atomic, 1, reg(0))));
    CHECK_FALSE(behind(special(1, isa::SpecialRegister::warpid)));
    CHECK_FALSE(behind(special(1, isa::SpecialRegister::clock)));
    CHECK(behind(load_at(1, 0, isa::Space::constant)));
    CHECK(behind(special(1, isa::SpecialRegister::ctaid_y)));
}

TEST_CASE("an overwritten register is clean again; one of a guarded write or another path, or of a loop, is not") {
    using isa::Operation;
    const isa::Instruction tid = special(0, isa::SpecialRegister::tid_x);
    isa::Instruction guarded = tid;
    guarded.guard = 0;
    CHECK(direct({load_at(0, 1), tid, load_at(2, 0), last()})[2]);
    CHECK_FALSE(direct({load_at(0, 1), guarded, load_at(2, 0), last()})[2]);
    // Taken: register 0 is data; not taken: a thread id.
    CHECK_FALSE(direct({load_at(0, 1), branch_to(3, 0), tid, load_at(2, 0), last()})[3]);
    // In the second round register 0 holds the value that the first one loaded.
    CHECK_FALSE(direct({tid, load_at(2, 0), alu(Operation::mov, 0, reg(2)), branch_to(1, 0), last()})[1]);
}

TEST_CASE("an indirect load is never targeted") {
    CapsBench bench;
    bench.kernels.front().registers = 8;
    bench.kernels.front().code[0] = load_at(1, 0);
    bench.kernels.front().code[1] = load_at(2, 1);
    bench.begin_launch();
    bench.load(0, 1, {0});
    bench.load(0, 0, {0});
    CHECK(bench.caps("indirect") == 1);
    CHECK(bench.caps("bases") == 1);
}

}  // namespace
}  // namespace lookahead::gpu::test
