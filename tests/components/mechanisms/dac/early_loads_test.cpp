// Lines requested when an address is expanded: their locks, stores to them, and their fate under pressure.
#include <doctest/doctest.h>

#include "tests/components/mechanisms/dac/machine_bench.h"
#include "tests/functional/dac/bench.h"

namespace lookahead::dac::test::early_loads_tests {
namespace {

/// Loads ten lines per warp, each with other words, and sums them up.
const std::string kStream =
    "mov.u32 %r9, 0; mul.wide.u32 %rd1, %gid, 4; add.s64 %rd1, %in, %rd1; mov.u32 %r40, 0;\n"
    "L: ld.global.u32 %r1, [%rd1]; add.u32 %r9, %r9, %r1; add.s64 %rd1, %rd1, 512; add.u32 %r40, %r40, 1;"
    " setp.lt.u32 %p9, %r40, 10; @%p9 bra L; st.global.u32 [%mine], %r9;";

TEST_CASE("each line of a load is asked for and locked once, and every lock ends") {
    const MachineRun run = good(kStream, {1, 1, 1}, {128, 1, 1});
    CHECK(run.dac.line_requests == 40);
    CHECK(run.dac.locked_lines == 40);
    CHECK(run.dac.unlocked_lines == 0);
    CHECK(run.dac.lost_lines == 0);
    CHECK(run.dac.data_wait_cycles > 0);
}

TEST_CASE("by a tag port of its own the address unit waits less for L1, and requests the same lines") {
    // Each load of the other warps takes L1's port for many cycles.
    const std::string busy =
        kStream +
        " mul.lo.u32 %r2, %gid, 132; and.b32 %r2, %r2, 16383; cvt.u64.u32 %rd2, %r2; add.s64 %rd2, %in, %rd2;"
        " ld.global.u32 %r3, [%rd2]; add.u32 %r9, %r9, %r3; st.global.u32 [%mine], %r9;";
    const MachineRun shared = good(busy, {4, 1, 1}, {128, 1, 1});
    const MachineRun own = good(busy, {4, 1, 1}, {128, 1, 1}, {"dac.own_tag_port=true"});
    CHECK(own.dac.line_requests == shared.dac.line_requests);
    CHECK(own.dac.lock_wait_cycles < shared.dac.lock_wait_cycles);
}

TEST_CASE("without early requests nothing is asked for, and a chain of loads takes longer") {
    const MachineRun early = good(kStream, {1, 1, 1}, {128, 1, 1});
    const MachineRun late = good(kStream, {1, 1, 1}, {128, 1, 1}, {"dac.early_loads=false"});
    CHECK(late.dac.line_requests == 0);
    CHECK(late.dac.data_wait_cycles == 0);
    CHECK(late.dac.dequeued_data == early.dac.dequeued_data);
    // Each of ten dependent iterations waits for memory; early requests overlap.
    CHECK(early.cycles * 3 < late.cycles * 2);
}

TEST_CASE("a load that does not await its lines awaits its address, and holds up no load behind it") {
    const std::vector<std::string> no_wait{"dac.loads_await_lines=false"};
    const MachineRun stream = good(kStream, {1, 1, 1}, {128, 1, 1}, no_wait);
    CHECK(stream.dac.line_requests == 40);
    CHECK(stream.dac.locked_lines == 40);
    // Four records per access keep the unit busy for long if lines come one by one.
    good(
        "mov.u32 %r9, 0; mul.wide.u32 %rd1, %gid, 16; add.s64 %rd1, %in, %rd1; mov.u32 %r40, 0;\n"
        "L: ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; add.u32 %r9, %r9, %r4; add.s64 %rd1, %rd1, 2048;"
        " add.u32 %r40, %r40, 1; setp.lt.u32 %p9, %r40, 4; @%p9 bra L; st.global.u32 [%mine], %r9;",
        {1, 1, 1}, {64, 1, 1}, {no_wait[0], "l1d.mshrs=1"});
    // The second load is generic and stays.
    const std::string two =
        "ld.global.u32 %r1, [%mine]; mov.b64 %rd1, %in; add.s64 %rd1, %rd1, 8192; ld.u32 %r2, [%rd1]; add.u32 %r1, "
        "%r1, %r2;"
        "st.global.u32 [%mine], %r1;";
    const MachineRun waits = good(two, {1, 1, 1}, {32, 1, 1}, {"finaliser.schedule=false"});
    const MachineRun goes_on = good(two, {1, 1, 1}, {32, 1, 1}, {"finaliser.schedule=false", no_wait[0]});
    CHECK(waits.dac.dequeued_data == 1);
    CHECK(goes_on.cycles + 50 < waits.cycles);
}

TEST_CASE("a set's last way is never locked: behind the first line of an access locks are not waited for") {
    // Each warp's access of 16 bytes per lane has four lines.
    const std::string body =
        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%mine]; add.u32 %r1, %r1, %r4; st.global.u32 [%mine], %r1;";
    const std::vector<std::string> tight{"l1d.set_index=linear", "l1d.sets=1"};
    const auto with_ways = [&](const std::string& ways, const std::string& pinned) {
        std::vector<std::string> options = tight;
        options.push_back("l1d.ways=" + ways);
        options.push_back("l1d.pinned_ways=" + pinned);
        return good(body, {2, 1, 1}, {128, 1, 1}, options).dac;
    };
    const DacCounters four = with_ways("4", "3");
    CHECK(four.locked_lines > 0);
    CHECK(four.unlocked_lines > 0);
    const DacCounters two = with_ways("2", "1");
    CHECK(two.locked_lines == 8);
    CHECK(two.unlocked_lines == 3 * 8);
    const DacCounters one = with_ways("1", "0");
    CHECK(one.locked_lines == 0);
    CHECK(one.unlocked_lines == 32);
    CHECK(with_ways("64", "63").unlocked_lines == 0);
}

TEST_CASE("a load that a store of its warp aliases sees the store, whatever L1 does with stores") {
    const std::string body =
        "mov.u32 %r40, 0;\nL: ld.global.u32 %r1, [%mine]; add.u32 %r1, %r1, %a; st.global.u32 [%mine], %r1;"
        " add.u32 %r40, %r40, 1; setp.lt.u32 %p9, %r40, 10; @%p9 bra L;";
    for (const char* policy : {"write_evict", "write_through"}) {
        CAPTURE(policy);
        const MachineRun run = good(body, {3, 1, 1}, {64, 1, 1}, {std::string("l1d.write_policy=") + policy});
        CHECK(run.dac.locked_lines > 0);
        CHECK(run.dac.lost_lines == 0);
    }
}

TEST_CASE("an atomic takes a locked line, and the load sees what it left") {
    const std::string body =
        "mov.u32 %r40, 0;\nL: red.global.add.u32 [%mine], %a; ld.global.u32 %r1, [%mine]; st.global.u32 [%mine+4], %r1;"
        " add.u32 %r40, %r40, 1; setp.lt.u32 %p9, %r40, 5; @%p9 bra L;";
    good(body, {3, 1, 1}, {64, 1, 1});
}

TEST_CASE("an address outside of what is allocated is not asked for, and is an error where the load dequeues it") {
    const std::string text = kernel_text(
        "mul.wide.u32 %rd1, %a, 1048576; add.s64 %rd1, %out, %rd1;\n"
        "ld.global.u32 %r1, [%rd1]; st.global.u32 [%mine], %r1;");
    const MachineRun run = run_on_machine(text, {1, 1, 1}, {32, 1, 1}, kParameters, {});
    CHECK(run.fault.find("is not in allocated global memory") != std::string::npos);
    CHECK(run.fault.find("test.ptx:") != std::string::npos);
}

TEST_CASE("sectors of a line that a load touches are asked for, and no others") {
    const std::vector<std::string> sectors{"l1d.sector_bytes=32", "l2.sector_bytes=32"};
    CHECK(good(kStream, {2, 1, 1}, {128, 1, 1}, sectors).dac.locked_lines == 80);
    good("ld.global.u32 %r1, [%mine]; st.global.u32 [%mine+4], %r1;", {2, 1, 1}, {128, 1, 1}, sectors);
}

TEST_CASE("loads of local memory are asked for where the words of their warp lie") {
    const std::string text =
        ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 a, .param .u32 "
        "b)\n{\n"
        ".local .align 4 .b8 array[64];\n.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
        "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n"
        "mov.u32 %r2, 0;\nL: st.local.u32 [array+8], %r2; ld.local.u32 %r3, [array+8]; st.local.u32 [array], %r1;\n"
        "ld.local.u32 %r4, [array]; add.u32 %r3, %r3, %r4; st.global.u32 [%rd2], %r3; add.u32 %r2, %r2, 1;\n"
        "setp.lt.u32 %p1, %r2, 5; @%p1 bra L; ret;\n}\n";
    for (const char* policy : {"write_back", "write_through", "write_evict"}) {
        CAPTURE(policy);
        const MachineRun run =
            run_rightly(text, {1, 1, 1}, {64, 1, 1}, kParameters, {std::string("l1d.local_write_policy=") + policy});
        CHECK(run.dac.dequeued_data == 2 * 2 * 5);
        CHECK(run.dac.line_requests == 2 * 2 * 5);
    }
}

TEST_CASE("a locked line whose fill a store has detached is asked for again") {
    // Each iteration stores some words to the line of a later iteration's load. The number of MSHRs decides which lines
    // are then under way; such a line is held for the stored bytes, without a fill to come.
    const std::string text =
        ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 a, .param .u32 "
        "b)\n{\n"
        ".local .align 4 .b8 array[64];\n.reg .b32 %r<8>; .reg .b64 %rd<6>; .reg .pred %p<3>;\n"
        "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n"
        "mov.u32 %r2, 0; mov.u32 %r4, %r1; setp.lt.u32 %p2, %r1, 20; mov.u64 %rd3, array; \n"
        "L: ld.local.u32 %r3, [%rd3]; add.u32 %r4, %r4, %r3; @%p2 st.local.u32 [%rd3+4], %r4; add.s64 %rd3, %rd3, 4;\n"
        "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 12; @%p1 bra L; st.global.u32 [%rd2], %r4; ret;\n}\n";
    for (unsigned turns = 1; turns <= 3; ++turns) {
        std::string ahead = text;
        ahead.replace(ahead.find("[%rd3+4]"), 8, "[%rd3+" + std::to_string(4 * turns) + "]");
        for (unsigned mshrs = 1; mshrs <= 4; ++mshrs) {
            CAPTURE(turns);
            CAPTURE(mshrs);
            const MachineRun run =
                run_rightly(ahead, {1, 1, 1}, {32, 1, 1}, kParameters,
                            {"l1d.local_write_policy=write_back", "l1d.mshrs=" + std::to_string(mshrs)});
            CHECK(run.dac.locked_lines > 0);
        }
    }
}

}  // namespace
}  // namespace lookahead::dac::test::early_loads_tests
