// The rules of the queues and of the units that fill them, from both sides, on a machine of one SM.
#include <doctest/doctest.h>

#include <array>

#include "components/isa/lane_mask.h"
#include "core/error/error.h"
#include "tests/components/mechanisms/dac/machine_bench.h"
#include "tests/functional/dac/bench.h"

namespace lookahead::dac::test {
namespace {

const std::string kStore = "st.global.u32 [%mine], %a;";
/// Ten iterations that all the block's warps take.
std::string loop(const std::string& body) {
    return "mov.u32 %r40, 0;\nL: " + body + "\nadd.u32 %r40, %r40, 1; setp.lt.u32 %p9, %r40, 10; @%p9 bra L;";
}

TEST_CASE("each access and predicate is enqueued once for the batch, and dequeued once by each warp") {
    const MachineRun run =
        good("ld.global.u32 %r1, [%mine]; add.u32 %r1, %r1, %a; st.global.u32 [%mine+4], %r1;", {2, 1, 1}, {128, 1, 1});
    CHECK(run.dac.runs == 1);
    CHECK(run.dac.batch_ctas == 2);
    CHECK(run.dac.enqueues == 2);
    CHECK(run.dac.dequeued_data == 8);
    CHECK(run.dac.dequeued_addresses == 8);
    CHECK(run.dac.empty_queue_cycles > 0);
}

TEST_CASE("the issue trace of figure 3: an affine instruction beside one that is not, on four warps") {
    const auto pairs = [&](unsigned count, const std::string& extension) {
        std::string body = "ld.global.u32 %r2, [%mine]; mov.u32 %r1, %tid.x;\n";
        for (unsigned i = 0; i < count; ++i) { body += "add.u32 %r1, %r1, %a; mad.lo.u32 %r2, %r2, %r2, 7;\n"; }
        body +=
            "setp.lt.u32 %p1, %r1, 100; selp.u32 %r3, 1, 2, %p1; add.u32 %r2, %r2, %r3; st.global.u32 [%mine], %r2;";
        return run_rightly(kernel_text(body), {1, 1, 1}, {128, 1, 1}, kParameters, {}, extension,
                           extension == "dac" ? "dac" : "none");
    };
    // The cycles of ten more pairs.
    const auto more = [&](const std::string& extension) {
        const MachineRun few = pairs(10, extension), many = pairs(20, extension);
        return std::array<std::uint64_t, 3>{many.warp_instructions - few.warp_instructions,
                                            many.dac.instructions - few.dac.instructions,
                                            many.cae.instructions - few.cae.instructions};
    };
    CHECK((more("none") == std::array<std::uint64_t, 3>{4 * 20, 0, 0}));
    CHECK((more("cae") == std::array<std::uint64_t, 3>{4 * 20, 0, 4 * 10}));  // half of them in one cycle
    CHECK((more("dac") == std::array<std::uint64_t, 3>{4 * 10, 10, 0}));
}

TEST_CASE("the extension with kernels that are whole takes the cycles of an SM without it") {
    const std::string text = kernel_text(loop("ld.global.u32 %r1, [%mine]; st.global.u32 [%mine+4], %r1; bar.sync 0;"));
    const MachineRun with = run_on_machine(text, {9, 1, 1}, {96, 1, 1}, kParameters, {}, "dac", "none");
    const MachineRun without = run_on_machine(text, {9, 1, 1}, {96, 1, 1}, kParameters, {}, "none", "none");
    CHECK(with.cycles == without.cycles);
    CHECK(with.warp_instructions == without.warp_instructions);
    CHECK((with.words == without.words));
    CHECK(with.dac.instructions == 0);
}

TEST_CASE("the address unit adds once a CTA and once a line, and once more where rows of threads are adjusted") {
    // 16 bytes per thread: four lines per warp.
    const MachineRun one = good(kStore, {1, 1, 1}, {64, 1, 1});
    CHECK(one.dac.address_records == 8);
    CHECK(one.dac.aeu_operations == 1 + 8);
    const MachineRun two = good(kStore, {2, 1, 1}, {64, 1, 1});
    CHECK(two.dac.aeu_operations == 2 * (1 + 8));
    const MachineRun rows = good(kStore, {1, 1, 1}, {32, 2, 1});
    CHECK(rows.dac.aeu_operations == 1 + 1 + 8);
}

TEST_CASE("an access of more lines than a warp's queue has entries is expanded on the lanes") {
    // 48 warps and 8 CTAs per SM: warps of CTAs with 6 warps have a 48th of the entries each.
    const isa::Dim3 block{192, 1, 1};
    const MachineRun fits = good(kStore, {1, 1, 1}, block, {"dac.pwaq_entries=192"});
    CHECK(fits.dac.raw_accesses == 0);
    CHECK(fits.dac.address_records == 24);
    const MachineRun does_not = good(kStore, {1, 1, 1}, block, {"dac.pwaq_entries=191"});
    CHECK(does_not.dac.raw_accesses == 6);
    CHECK(does_not.dac.address_records == 0);
}

TEST_CASE("addresses that turn back within a warp are expanded on the lanes, which takes the issue slot") {
    const std::string load =
        "mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 15; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd1, %in, "
        "%rd1; ld.global.u32 %r2, [%rd1]; st.global.u32 [%mine], %r2;";
    const MachineRun run = good(load, {1, 1, 1}, {64, 1, 1});
    CHECK(run.dac.raw_accesses == 2);
    CHECK(run.dac.line_requests == 0);
    CHECK(run.slot_held == 2);
    const MachineRun straight = good("ld.global.u32 %r2, [%mine]; st.global.u32 [%mine], %r2;", {1, 1, 1}, {64, 1, 1});
    CHECK(straight.slot_held == 0);
}

TEST_CASE("the predicate unit makes one comparison for a CTA, two for a warp, or has the lanes compare") {
    const auto use = [](const std::string& comparison) { return comparison + " @%p1 st.global.u32 [%mine], %a;"; };
    SUBCASE("the same for the CTA") {
        const MachineRun run = good(use("mov.u32 %r1, %ctaid.x; setp.lt.u32 %p1, %r1, 1;"), {2, 1, 1}, {128, 1, 1});
        CHECK(run.dac.scalar_predicates == 8);
        CHECK(run.dac.peu_comparisons == 2);
        CHECK(run.dac.lane_predicates == 0);
    }
    // The number of warps of one CTA in which the lanes compare.
    const auto on_lanes = [&](const std::string& value, const std::string& comparison, isa::Dim3 block = {128, 1, 1}) {
        const MachineRun run = good(use(value + " setp." + comparison + ";"), {1, 1, 1}, block);
        const std::uint64_t warps = (block.count() + isa::kWarpSize - 1) / isa::kWarpSize;
        CHECK(run.dac.two_comparison_predicates + run.dac.lane_predicates == warps);
        CHECK(run.dac.peu_comparisons == 2 * run.dac.two_comparison_predicates);
        return run.dac.lane_predicates;
    };
    SUBCASE("both ends of a warp have one result, and so have the threads between them") {
        const std::string x = "mov.u32 %r1, %tid.x;", back = "mov.u32 %r1, %tid.x; sub.s32 %r1, 127, %r1;";
        for (const std::string& values : {x, back}) {
            CHECK(on_lanes(values, "lt.u32 %p1, %r1, 64") == 0);
            CHECK(on_lanes(values, "lt.u32 %p1, %r1, 65") == 1);
            CHECK(on_lanes(values, "lt.u32 %p1, %r1, 63") == 1);
            CHECK(on_lanes(values, "ge.u32 %p1, %r1, 64") == 0);
            CHECK(on_lanes(values, "ge.u32 %p1, %r1, 63") == 1);
            CHECK(on_lanes(values, "le.s32 %p1, %r1, 63") == 0);
            CHECK(on_lanes(values, "le.s32 %p1, %r1, 64") == 1);
            CHECK(on_lanes(values, "gt.s32 %p1, %r1, 63") == 0);
            CHECK(on_lanes(values, "gt.s32 %p1, %r1, 62") == 1);
            CHECK(on_lanes(values, "gt.s32 %p1, 64, %r1") == 0);
        }
    }
    SUBCASE("an equal number is not between the ends, or at both") {
        const std::string x = "mov.u32 %r1, %tid.x;";
        CHECK(on_lanes(x, "eq.u32 %p1, %r1, 40") == 1);
        CHECK(on_lanes(x, "ne.u32 %p1, %r1, 32") == 1);
        CHECK(on_lanes(x, "eq.u32 %p1, %r1, 128") == 0);
        CHECK(on_lanes("mov.u32 %r1, %tid.y;", "eq.u32 %p1, %r1, 1", {32, 4, 1}) == 0);
        CHECK(on_lanes("mov.u32 %r1, %tid.y;", "ne.u32 %p1, %r1, 1", {16, 8, 1}) == 1);
    }
    SUBCASE("rows narrower than the warp") {
        const std::string x = "mov.u32 %r1, %tid.x;", y = "mov.u32 %r1, %tid.y;", z = "mov.u32 %r1, %tid.z;";
        CHECK(on_lanes(x, "lt.u32 %p1, %r1, 90", {16, 4, 1}) == 0);
        CHECK(on_lanes(x, "lt.u32 %p1, %r1, 8", {16, 4, 1}) == 2);
        CHECK(on_lanes(x, "lt.u32 %p1, %r1, 4", {5, 9, 1}) ==
              2);  // the first row's end is not among the last one's threads
        CHECK(on_lanes(x, "lt.u32 %p1, %r1, 90", {5, 9, 1}) == 2);
        CHECK(on_lanes(y, "lt.u32 %p1, %r1, 90", {5, 9, 1}) == 0);
        CHECK(on_lanes(y, "lt.u32 %p1, %r1, 2", {16, 4, 1}) == 0);
        CHECK(on_lanes(y, "lt.u32 %p1, %r1, 1", {16, 4, 1}) == 1);
        CHECK(on_lanes(y, "lt.u32 %p1, %r1, 90", {4, 4, 4}) == 0);
        CHECK(on_lanes(y, "lt.u32 %p1, %r1, 90", {4, 3, 6}) == 2);  // two planes end in the middle of a warp
        CHECK(on_lanes(z, "lt.u32 %p1, %r1, 90", {4, 3, 6}) == 0);
    }
    SUBCASE("offsets of two signs") {
        const std::string rises = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mad.lo.s32 %r1, %r2, 16, %r1;";
        CHECK(on_lanes(rises, "lt.s32 %p1, %r1, 32", {16, 4, 1}) == 0);
        const std::string turns = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mad.lo.s32 %r1, %r2, -15, %r1;";
        CHECK(on_lanes(turns, "lt.s32 %p1, %r1, 1", {16, 4, 1}) ==
              2);  // 0 and 0 at the first warp's ends, 15 between them
    }
    SUBCASE("a value that wraps around between the ends") {
        const std::string wraps = "mov.u32 %r1, %tid.x; add.u32 %r1, %r1, 0xfffffff0;";
        CHECK(on_lanes(wraps, "lt.u32 %p1, %r1, 8") == 1);
        CHECK(on_lanes(wraps, "lt.s32 %p1, %r1, 100") == 1);
        CHECK(on_lanes(wraps, "ge.s32 %p1, %r1, -16") == 0);
    }
}

TEST_CASE("the lanes compare for one warp after the other, each as long as an instruction takes") {
    // Cycles of ten iterations with a predicate each, in rows of 16 threads: the lanes compare with 8, the unit with
    // 600.
    const auto cycles = [](unsigned number, unsigned warps, const std::string& latency) {
        const MachineRun run =
            good("mov.u32 %r1, %tid.x; mov.u32 %r2, 0;" +
                     loop("setp.lt.u32 %p1, %r1, " + std::to_string(number) + "; @%p1 add.u32 %r2, %r2, 1;") +
                     "st.global.u32 [%mine], %r2;",
                 {1, 1, 1}, {16, 2 * warps, 1}, {"sm.timing.integer_latency=" + latency});
        CHECK(run.dac.lane_predicates == (number == 8 ? 10 * warps : 0));
        return run.cycles;
    };
    const auto more = [&](unsigned warps, const std::string& latency) {
        return static_cast<std::int64_t>(cycles(8, warps, latency) - cycles(600, warps, latency));
    };
    CHECK(more(1, "40") - more(1, "4") >= 36);  // the affine warp waits for the first one
    CHECK(more(16, "40") < 36 * 20);            // 160 predicates overlap
}

TEST_CASE("a warp that ends while the affine warp's branch resolves moves the affine warp on") {
    for (const char* latency : {"1", "4", "12"}) {
        for (unsigned between = 0; between < 12; ++between) {
            CAPTURE(latency);
            CAPTURE(between);
            std::string body = "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; mov.u32 %r5, %a;\n";
            for (unsigned i = 0; i < between; ++i) { body += "add.u32 %r5, %r5, %a;\n"; }
            good(body +
                     "@!%p1 bra END; and.b32 %r5, %r5, 255; mul.wide.u32 %rd1, %r5, 4; add.s64 %rd1, %in, %rd1;\n"
                     "ld.global.u32 %r2, [%rd1]; st.global.u32 [%mine], %r2; END:",
                 {1, 1, 1}, {64, 1, 1}, {std::string("sm.branch_latency=") + latency});
        }
    }
}

/// A chain of loads, hidden from the affine warp, in those warps of the block for which `which` holds.
std::string chain(const std::string& label, const std::string& which) {
    // %r20 is zero, but only the warp finds out. Its loads are not decoupled.
    return "mov.u32 %r21, %tid.x; add.u32 %r21, %r21, %r20;\n"
           "setp." +
           which + " %p5, %r21, 32; @!%p5 bra " + label + "E; mov.u32 %r22, %r20;\n" + label +
           "L: mul.wide.u32 %rd20, %r22, 512; add.s64 %rd20, %in, %rd20; ld.global.u32 %r23, [%rd20];\n"
           "shr.u32 %r23, %r23, 31; add.u32 %r22, %r22, 1; add.u32 %r22, %r22, %r23; setp.lt.u32 %p6, %r22, 20;\n"
           "@%p6 bra " +
           label + "L;\n" + label + "E: ";
}

TEST_CASE("a warp whose queue is full does not hold up its siblings") {
    // One entry per warp. Warp 0 takes the first address late; warp 1 has much to do after the second one.
    const std::string first =
        "ld.global.u32 %r20, [%out]; shr.u32 %r20, %r20, 31; "
        "mul.wide.u32 %rd1, %gid, 4; add.s64 %rd1, %out, %rd1; add.s64 %rd1, %rd1, 65536; ";
    const std::string stores = "st.global.u32 [%rd1], %a; st.global.u32 [%rd1+256], %b; ";
    const std::vector<std::string> one_entry{"sm.max_warps=2", "sm.max_threads=64", "dac.pwaq_entries=2",
                                             "dac.pwpq_entries=2"};
    const auto cycles = [&](const std::string& before, const std::string& behind) {
        return good(first + before + stores + behind, {1, 1, 1}, {64, 1, 1}, one_entry).cycles;
    };
    const Cycle alone = cycles(chain("A", "lt.u32"), "");
    const Cycle both = cycles(chain("A", "lt.u32"), chain("B", "ge.u32"));
    CAPTURE(alone);
    CAPTURE(both);
    CHECK(alone > 20 * 100);
    CHECK(both < alone + alone / 10);
}

TEST_CASE("a warp or CTA that cannot go on holds up others as far as dac.expansion says") {
    // One entry per warp. Warp 0 takes the first of three addresses late; warp 1 has much to do after the third one.
    const std::string first =
        "mov.u32 %r24, %tid.x; mov.u32 %r25, %ctaid.x; mad.lo.u32 %r24, %r25, 32, %r24; ld.global.u32 %r20, [%out]; "
        "shr.u32 %r20, %r20, 31; add.u32 %r24, %r24, %r20;"
        "mul.wide.u32 %rd1, %gid, 4; add.s64 %rd1, %out, %rd1; add.s64 %rd1, %rd1, 65536; ";
    const std::string stores = "st.global.u32 [%rd1], %a; st.global.u32 [%rd1+256], %b; st.global.u32 [%rd1+512], %a; ";
    const auto cycles = [&](unsigned ctas, const char* expansion, const std::string& behind) {
        std::string body = first + chain("A", "lt.u32") + stores + behind;
        for (std::size_t at; (at = body.find("mov.u32 %r21, %tid.x;")) != std::string::npos;) {
            body.replace(at, 21, "mov.u32 %r21, %r24;");
        }
        return good(body, {ctas, 1, 1}, {64 / ctas, 1, 1},
                    {"sm.max_warps=2", "sm.max_threads=64", "dac.pwaq_entries=2", "dac.pwpq_entries=2",
                     std::string("dac.expansion=") + expansion})
            .cycles;
    };
    for (const unsigned ctas : {1u, 2u}) {
        const Cycle alone = cycles(ctas, "warp", "");
        CHECK(alone > 20 * 100);
        for (const std::string expansion : {"tuple", "cta", "warp"}) {
            CAPTURE(alone);
            CAPTURE(ctas);
            CAPTURE(expansion);
            const Cycle both = cycles(ctas, expansion.c_str(), chain("B", "ge.u32"));
            CAPTURE(both);
            const bool held = expansion == "tuple" || (expansion == "cta" && ctas == 1);
            CHECK((both > alone + alone / 5) == held);
            CHECK((both < alone + alone / 10) == !held);
        }
    }
}

/// Many loads, whose lines come one after another, in all blocks except the first, which has one; the work after them
/// takes long only in the block `late`.
std::string loads_and_work(unsigned blocks_before, unsigned late) {
    std::string body =
        "ld.global.u32 %r20, [%out]; shr.u32 %r20, %r20, 31; mov.u32 %r25, %ctaid.x; add.u32 %r24, %r25, %r20; "
        "mul.wide.u32 %rd1, %gid, 4; add.s64 %rd1, %in, %rd1; mov.u32 %r9, 0; setp.lt.u32 %p1, %r25, " +
        std::to_string(blocks_before) + "; @%p1 bra S;\n";
    for (int i = 0; i < 16; ++i) {
        body += "ld.global.u32 %r1, [%rd1+" + std::to_string(1024 * i) + "]; add.u32 %r9, %r9, %r1;\n";
    }
    return body + "S: setp.ne.u32 %p5, %r24, " + std::to_string(late) +
           "; @%p5 bra E; mov.u32 %r22, %r20;\nW: add.u32 %r22, %r22, 1; setp.lt.u32 %p6, %r22, 400; @%p6 bra W;\n"
           "E: st.global.u32 [%mine], %r9;";
}

TEST_CASE("the address unit serves one CTA after the other, or all tuple by tuple, as dac.address_order says") {
    const auto cycles = [](unsigned late, const char* order) {
        return good(loads_and_work(0, late), {2, 1, 1}, {32, 1, 1},
                    {"l1d.mshrs=1", std::string("dac.address_order=") + order})
            .cycles;
    };
    // The first CTA has its loads when half of all have come.
    const Cycle by_cta = cycles(0, "cta"), by_tuple = cycles(0, "tuple");
    CAPTURE(by_cta);
    CAPTURE(by_tuple);
    CHECK(by_cta + by_cta / 10 < by_tuple);
    // The second one, when all have.
    CHECK(cycles(1, "cta") > by_cta + by_cta / 10);
}

TEST_CASE("of CTAs those of the oldest run go first") {
    // Block 2 takes the place of block 0 while block 1 waits for loads; the work follows the loads of one of them.
    const auto cycles = [](unsigned late) {
        return good(loads_and_work(1, late), {3, 1, 1}, {32, 1, 1},
                    {"l1d.mshrs=1", "sm.max_ctas=2", "dac.batch=rolling"})
            .cycles;
    };
    const Cycle first = cycles(1), last = cycles(2);
    CAPTURE(first);
    CAPTURE(last);
    CHECK(first + first / 10 < last);
}

TEST_CASE("a line that cannot be locked does not hold up other warps' addresses") {
    // One way of each set may be locked. Warp 0, with lines in the third of four sets, takes the first one late, so its
    // second one is refused; warp 1, with lines in the fourth, has much to do after its second one.
    const std::string first =
        "ld.global.u32 %r20, [%out]; shr.u32 %r20, %r20, 31; "
        "mul.wide.u32 %rd1, %gid, 4; add.s64 %rd1, %out, %rd1; add.s64 %rd1, %rd1, 65792; ";
    const std::string loads = "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+512];";
    const auto cycles = [&](const std::string& behind) {
        return good(
                   first + chain("A", "lt.u32") + loads + behind + "add.u32 %r1, %r1, %r2; st.global.u32 [%mine], %r1;",
                   {1, 1, 1}, {64, 1, 1}, {"l1d.set_index=linear", "l1d.sets=4", "l1d.ways=2", "l1d.pinned_ways=1"})
            .cycles;
    };
    const Cycle alone = cycles(""), both = cycles(chain("B", "ge.u32"));
    CAPTURE(alone);
    CAPTURE(both);
    CHECK(alone > 20 * 100);
    CHECK(both < alone + alone / 10);
}

TEST_CASE("an access for which a warp's queue has no room yet is not overtaken by one for which it has") {
    // 48 warps have four entries each: a line that warp 0 takes late, then four, then one.
    const std::string line = "mul.wide.u32 %rd1, %gid, 4; add.s64 %rd1, %out, %rd1; add.s64 %rd1, %rd1, 65536; ";
    for (const char* expansion : {"tuple", "cta", "warp"}) {
        good("ld.global.u32 %r20, [%out]; shr.u32 %r20, %r20, 31; " + line + chain("A", "lt.u32") +
                 "st.global.u32 [%rd1], %a; " + kStore + " st.global.u32 [%rd1+256], %b;",
             {1, 1, 1}, {192, 1, 1}, {"dac.pwaq_entries=192", std::string("dac.expansion=") + expansion});
    }
}

TEST_CASE("the affine warp waits to enqueue while the tuple queue is full") {
    const std::string body = loop(kStore + kStore + kStore);
    CHECK(good(body, {1, 1, 1}, {256, 1, 1}, {"dac.atq_entries=1"}).dac.atq_full_cycles > 0);
    CHECK(good(body, {1, 1, 1}, {256, 1, 1}, {"dac.atq_entries=64"}).dac.atq_full_cycles == 0);
}

TEST_CASE("the affine warp waits to enqueue while one predicate queue is full") {
    // 1536 threads per SM: CTAs of 512 fill it with 48 warps.
    const std::string body =
        "mov.u32 %r1, %tid.x;" +
        loop("mul.lo.u32 %r2, %r40, 40; setp.lt.u32 %p1, %r1, %r2; @%p1 bra N; " + kStore + " N: bar.sync 0;");
    CHECK(good(body, {1, 1, 1}, {512, 1, 1}, {"dac.pwpq_entries=48"}).dac.pwpq_full_cycles > 0);
    CHECK(good(body, {1, 1, 1}, {512, 1, 1}, {"dac.pwpq_entries=16384"}).dac.pwpq_full_cycles == 0);
}

TEST_CASE("with dac.full_queue_stops = own a full predicate queue lets enqueues of accesses pass") {
    // Each turn enqueues a predicate and several addresses.
    const std::string body =
        "mov.u32 %r1, %tid.x;" + loop("mul.lo.u32 %r2, %r40, 40; setp.lt.u32 %p1, %r1, %r2; @%p1 bra N; " + kStore +
                                      " N: bar.sync 0; " + kStore + kStore + kStore);
    const std::vector<std::string> small{"dac.pwpq_entries=48"};
    const std::vector<std::string> own{small[0], "dac.full_queue_stops=own"};
    const std::uint64_t every = good(body, {1, 1, 1}, {512, 1, 1}, small).dac.pwpq_full_cycles;
    const std::uint64_t some = good(body, {1, 1, 1}, {512, 1, 1}, own).dac.pwpq_full_cycles;
    CHECK(some < every);
    CHECK(some > 0);
}

/// Stores after a loop with a number of iterations that depends on data: `%tid & 31`, or 20 for the block's first warp.
std::string data_loop(const std::string& inside) {
    return "ld.global.u32 %r20, [%out]; shr.u32 %r20, %r20, 31; mov.u32 %r21, %tid.x; and.b32 %r22, %r21, 3;"
           "add.u32 %r22, %r22, %r20; setp.lt.u32 %p5, %r21, 32; @%p5 mov.u32 %r22, 20; add.u32 %r22, %r22, %r20;"
           "mov.u32 %r23, %r20; D: " +
           inside + " add.u32 %r23, %r23, 1; setp.le.u32 %p6, %r23, %r22; @%p6 bra D;";
}

TEST_CASE("the affine warp waits at a branch for the reports of all its warps") {
    const std::string body = data_loop(kStore) + "st.global.u32 [%mine+4], %b;";
    const MachineRun told = good(body, {2, 1, 1}, {128, 1, 1}, {"dac.reports=true"});
    // Per block: 21 iterations in the first warp, up to 4 in three others.
    CHECK(told.dac.reports == 2 * (21 + 3 * 4));
    CHECK(told.dac.report_accesses == 2 * told.dac.reports);
    CHECK(told.dac.report_wait_cycles > 0);
    CHECK(told.dac.dequeued_addresses == told.dac.reports + 8);
    const MachineRun untold = good(body, {2, 1, 1}, {128, 1, 1}, {"dac.reports=false"});
    CHECK(untold.dac.reports == 0);
    CHECK(untold.dac.report_wait_cycles == 0);
    CHECK(untold.dac.dequeued_addresses == 8);
}

TEST_CASE("a warp whose reports are not taken waits, when it has no room for more") {
    // The affine warp waits for the first warp, which begins its first iteration late; the others dequeue nothing in
    // theirs.
    const std::vector<std::string> small{"sm.max_warps=4", "sm.max_threads=128", "dac.report_entries=4",
                                         "dac.reports=true"};
    const std::string body =
        chain("A", "lt.u32") + "mov.u32 %r31, 1; setp.eq.u32 %p8, %r31, %a;" + data_loop("@%p8 " + kStore);
    const MachineRun full = good(body, {1, 1, 1}, {128, 1, 1}, small);
    CHECK(full.dac.report_full_cycles > 0);
    std::vector<std::string> large = small;
    large[2] = "dac.report_entries=400";
    CHECK(good(body, {1, 1, 1}, {128, 1, 1}, large).dac.report_full_cycles == 0);
}

TEST_CASE("addresses behind a barrier are expanded for the blocks that have passed it") {
    const std::string exchange = "xor.b32 %r1, %gid, 32; mul.wide.u32 %rd1, %r1, 16; add.s64 %rd1, %out, %rd1; ";
    const std::string use = " ld.global.u32 %r2, [%mine+8]; st.global.u32 [%mine+4], %r2;";
    const MachineRun behind = good(loop(kStore + " bar.sync 0;" + use), {2, 1, 1}, {64, 1, 1});
    const MachineRun free = good(loop(kStore + use), {2, 1, 1}, {64, 1, 1});
    CHECK(behind.dac.barrier_wait_cycles > 0);
    CHECK(free.dac.barrier_wait_cycles == 0);
    const MachineRun fence = good(loop(kStore + " membar.gl;" + use), {2, 1, 1}, {64, 1, 1});
    CHECK(fence.dac.barrier_wait_cycles > 0);
}

TEST_CASE("an atomic whose result is spilled is passed once, not again with its store") {
    // Reads the returned values in the opposite order.
    std::string atomics, reads;
    for (int i = 21; i < 30; ++i) {
        const std::string value = "%r" + std::to_string(i);
        atomics += "atom.global.add.u32 " + value + ", [%mine], %a;";
        reads = "mad.lo.u32 %r3, %r3, %r3, " + value + ";" + reads;
    }
    const std::string load = "ld.global.u32 %r2, [%mine+8]; st.global.u32 [%mine+4], %r2;";
    const std::string body = "mov.u32 %r3, 0;" + loop(atomics + reads + load) + "st.global.u32 [%mine+12], %r3;";
    for (const std::string registers : {"isa.registers=63", "isa.registers=8", "isa.registers=6"}) {
        CAPTURE(registers);
        const MachineRun run = good(body, {2, 1, 1}, {64, 1, 1}, {registers, "finaliser.rematerialise=false"});
        CHECK(run.dac.barrier_wait_cycles > 0);
    }
}

TEST_CASE("addresses of stores wait for a barrier unless dac.addresses_pass_barriers, those of loads in any case") {
    const auto waits = [](const std::string& access, const char* pass) {
        return good(loop(kStore + " bar.sync 0;" + access), {2, 1, 1}, {64, 1, 1},
                    {std::string("dac.addresses_pass_barriers=") + pass})
                   .dac.barrier_wait_cycles > 0;
    };
    const std::string load = "ld.global.u32 %r2, [%mine+8]; st.global.u32 [%mine+4], %r2;";
    CHECK(waits(kStore, "false"));
    CHECK_FALSE(waits(kStore, "true"));
    CHECK(waits(load, "false"));
    CHECK(waits(load, "true"));
}

TEST_CASE("what a warp stores before a barrier the others' loads behind it see") {
    // The neighbour in the other warp: tid + 32, for the first half of the block.
    good(
        "mul.lo.u32 %r3, %gid, 3; st.global.u32 [%mine], %r3; bar.sync 0; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, "
        "32; "
        "@%p1 ld.global.u32 %r2, [%mine+512]; @%p1 st.global.u32 [%mine+4], %r2;",
        {3, 1, 1}, {64, 1, 1});
}

TEST_CASE("a batch is what came together; the next run begins when the last has ended, or its CTAs have") {
    const std::string body = loop("ld.global.u32 %r1, [%mine]; st.global.u32 [%mine+4], %r1;");
    const MachineRun rolling = good(body, {20, 1, 1}, {64, 1, 1}, {"dac.batch=rolling", "dac.gather_cycles=100"});
    const MachineRun drain = good(body, {20, 1, 1}, {64, 1, 1}, {"dac.batch=drain", "dac.gather_cycles=100"});
    CHECK(rolling.dac.batch_ctas == 20);
    CHECK(drain.dac.batch_ctas == 20);
    CHECK(drain.dac.runs == 3);  // 8, 8 and 4 places
    CHECK(rolling.dac.runs > drain.dac.runs);
    const MachineRun one_batch = good(body, {8, 1, 1}, {64, 1, 1}, {"dac.batch=drain", "dac.gather_cycles=100"});
    CHECK(one_batch.dac.runs == 1);
    CHECK(drain.dac.unserved_cycles > one_batch.dac.unserved_cycles);
    const MachineRun at_once = good(body, {8, 1, 1}, {64, 1, 1}, {"dac.gather_cycles=0"});
    const MachineRun gathered = good(body, {8, 1, 1}, {64, 1, 1}, {"dac.gather_cycles=100"});
    CHECK(gathered.dac.runs == 1);
    CHECK(at_once.dac.runs >= gathered.dac.runs);
}

TEST_CASE("a run waits for CTAs that were served before, but no longer than the last run took") {
    // Block 0 is very late. The affine warp's run is short, so other CTAs come meanwhile.
    const std::string late =
        "mov.u32 %r24, %ctaid.x; ld.global.u32 %r20, [%out]; shr.u32 %r20, %r20, 31; "
        "mad.lo.u32 %r24, %r24, 32, %r20; ";
    std::string body = late + chain("A", "lt.u32") + kStore;
    body.replace(body.find("mov.u32 %r21, %tid.x;"), 21, "mov.u32 %r21, %r24;");
    const auto run = [&](const std::string& text, const char* batch) {
        return good(text, {24, 1, 1}, {64, 1, 1}, {std::string("dac.batch=") + batch, "dac.gather_cycles=100"});
    };
    CHECK(run(body, "patient").dac.unserved_cycles < run(body, "drain").dac.unserved_cycles / 2);
    // The run takes as long as the CTAs: those that end first wait for the others, and the batch fills the SM.
    const std::string turns =
        "mov.u32 %r40, 0;\nL: ld.global.u32 %r1, [%mine]; st.global.u32 [%mine+4], %r1;"
        "\nadd.u32 %r40, %r40, 1; setp.lt.u32 %p9, %r40, 60; @%p9 bra L;";
    CHECK(run(turns, "drain").dac.runs == 3);
    CHECK(run(turns, "patient").dac.runs == 3);
    CHECK(run(turns, "rolling").dac.runs > 3);
}

TEST_CASE("warps whose lanes part take a cycle of their own in the affine stack") {
    const std::string body =
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 40; @%p1 bra N; " + kStore + " N: st.global.u32 [%mine+4], %b;";
    CHECK(good(body, {1, 1, 1}, {128, 1, 1}).dac.path_updates == 1);
    const std::string whole =
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 64; @%p1 bra N; " + kStore + " N: st.global.u32 [%mine+4], %b;";
    CHECK(good(whole, {1, 1, 1}, {128, 1, 1}).dac.path_updates == 0);
}

TEST_CASE("each priority of the affine warp gives the same values") {
    for (const char* priority : {"above", "beside", "below"}) {
        good(loop("ld.global.u32 %r1, [%mine]; add.u32 %r1, %r1, 1; st.global.u32 [%mine], %r1;"), {5, 1, 1},
             {128, 1, 1}, {std::string("dac.priority=") + priority});
    }
}

MachineRun stored(const std::vector<std::string>& options) {
    return run_on_machine(kernel_text(kStore), {1, 1, 1}, {32, 1, 1}, kParameters, options);
}

TEST_CASE("a companion of L1, whose words no lock covers, is refused beside the affine warp") {
    CHECK_THROWS_WITH_AS(stored({"l1d.companion=avc"}), doctest::Contains("needs l1d.companion = none"),
                         ConfigurationError);
    CHECK_NOTHROW(stored({"l1d.companion=none"}));
}

TEST_CASE("a queue for each warp is asked for when the configuration is read") {
    CHECK_NOTHROW(stored({"dac.pwaq_entries=48", "dac.pwpq_entries=48"}));
    CHECK_THROWS_WITH_AS(stored({"dac.pwaq_entries=47"}), doctest::Contains("dac.pwaq_entries = 47"),
                         ConfigurationError);
    CHECK_THROWS_WITH_AS(stored({"dac.pwpq_entries=47"}), doctest::Contains("must be 48 or more"), ConfigurationError);
}

TEST_CASE("kernels with queues are refused by name without the extension, and under convergence barriers") {
    const std::string text = kernel_text(kStore);
    const MachineRun none = run_on_machine(text, {1, 1, 1}, {32, 1, 1}, kParameters, {}, "none", "dac");
    CHECK(none.fault.find("kernel k has streams with queues") != std::string::npos);
    const MachineRun barriers = stored({"sm.simt=convergence_barrier"});
    CHECK(barriers.fault.find("kernel k has an affine stream, for which sm.simt must be stack") != std::string::npos);
    CHECK(run_on_machine(text, {1, 1, 1}, {32, 1, 1}, kParameters, {"sm.simt=convergence_barrier"}, "dac", "none")
              .fault == "");
}

}  // namespace
}  // namespace lookahead::dac::test
