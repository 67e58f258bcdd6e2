#include <doctest/doctest.h>

#include "components/frontend/finaliser/analysis/live_ranges.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/register_profile.h"
#include "components/frontend/finaliser/spill/spill_registers.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

FinaliserOptions unscheduled(unsigned registers = 63, unsigned predicates = 7) {
    FinaliserOptions options;
    options.isa.registers = registers;
    options.predicate_limit = predicates;
    options.schedule = false;
    return options;
}

/// `count` values that all live at once, then their sum.
std::string sum_of_loads(unsigned count) {
    std::string body;
    for (unsigned i = 0; i < count; ++i) {
        body += "ld.volatile.global.u32 %r" + std::to_string(i) + ", [%out+" + std::to_string(4 * i) + "];";
    }
    body += "mov.u32 %r30, 0;";
    for (unsigned i = 0; i < count; ++i) { body += "add.u32 %r30, %r30, %r" + std::to_string(i) + ";"; }
    return body + "st.global.u32 [%out], %r30;";
}

RangeSet set_of(std::initializer_list<LiveRange> descending) {
    RangeSet set;
    for (const LiveRange& range : descending) { set.prepend(range); }
    set.finish();
    return set;
}

}  // namespace

TEST_CASE("a result takes the register of a source that dies there") {
    const isa::Kernel kernel =
        kernel_of("ld.global.u32 %r0, [%out]; add.u32 %r1, %r0, 1; mul.lo.u32 %r2, %r1, 3; st.global.u32 [%out], %r2;");
    CHECK(kernel.registers == 1);
}

TEST_CASE("a kernel gets no more registers than its bounds and the SM leave a thread of its CTAs") {
    ptx::Module module = module_of(sum_of_loads(24));
    FinaliserOptions options = unscheduled();
    const auto registers = [&] { return finalise(module, module.functions[0], options).registers; };
    const unsigned many = registers();
    CHECK(many == 24);
    options.registers_per_sm = 16384;
    CHECK(registers() == many);
    module.functions[0].bounds.max_threads = {32, 32, 1};
    CHECK(registers() == 16);
    options.registers_per_sm = 32768;
    CHECK(registers() == many);
    // A warp gets multiples of the unit: 15 x 32 of the 500 registers that each of 33 warps could have.
    module.functions[0].bounds.max_threads = {33 * 32, 1, 1};
    options.registers_per_sm = 33 * 500;
    options.register_unit = 32;
    CHECK(registers() == 15);
    // .reqntid gives the number of threads, .maxnreg that of registers.
    module.functions[0].bounds.required_threads = {32, 1, 1};
    CHECK(registers() == many);
    module.functions[0].bounds.max_registers = 12;
    CHECK(registers() == 12);
    // An impossible limit has no effect: the launch reports it.
    module.functions[0].bounds.max_registers = 1;
    CHECK(registers() == many);
}

TEST_CASE("a register that an access has just read takes a new value only if no other is free") {
    const std::string body =
        ".shared .align 4 .b8 s[128]; mov.u32 %r0, %tid.x; st.shared.u32 [%r0], %a;"
        "mul.lo.u32 %r2, %a, 3; st.global.u32 [%out], %r2;";
    FinaliserOptions options = unscheduled();
    CHECK(kernel_of(body, options).registers == 1);
    options.isa.held_sources = 12;
    CHECK(kernel_of(body, options).registers == 2);
    options.isa.registers = 1;
    const isa::Kernel narrow = kernel_of(body, options);
    CHECK(narrow.registers == 1);
    CHECK(narrow.spill_bytes == 0);
    CHECK(run(narrow, 5)[0] == 15);
}

TEST_CASE("values that live together have different registers, and no more than needed") {
    CHECK(kernel_of(sum_of_loads(20), unscheduled()).registers == 20);
    CHECK(run(kernel_of("st.global.u32 [%out], 5;" + sum_of_loads(20), unscheduled()))[0] == 5);
}

TEST_CASE("a kernel that needs exactly the limit does not spill, and with one register less it spills one value") {
    const isa::Kernel fits = kernel_of(sum_of_loads(20), unscheduled(20));
    CHECK(fits.registers == 20);
    CHECK(fits.local_bytes == 0);
    const isa::Kernel spilled = kernel_of(sum_of_loads(20), unscheduled(19));
    CHECK(spilled.registers == 19);
    CHECK(spilled.spill_bytes > 0);
    CHECK(spilled.local_bytes == spilled.spill_bytes);
    CHECK(spill_instructions(spilled).stores == spilled.spill_bytes / 4);
    CHECK(spill_instructions(spilled).loads == spilled.spill_bytes / 4);
    for (unsigned limit = 2; limit <= 20; ++limit) {
        CAPTURE(limit);
        const isa::Kernel kernel = kernel_of("st.global.u32 [%out+12], %a;" + sum_of_loads(20), unscheduled(limit));
        CHECK(kernel.registers <= limit);
        CHECK(run(kernel, 77)[0] == 77);
    }
}

TEST_CASE("the profile of a kernel's registers tells where spilling begins and where allocation ends") {
    const ptx::Module module = module_of(sum_of_loads(20));
    const RegisterProfile profile = profile_registers(module, module.functions.back(), unscheduled());
    CHECK(profile.preferred == 20);
    CHECK(profile.base == 20);
    CHECK(profile.least == 2);
    CHECK(profile.limits.size() == 19);
    CHECK(profile.limits.front().spill_bytes == 0);
    for (std::size_t i = 1; i < profile.limits.size(); ++i) {
        CHECK(profile.limits[i].spill_loads > 0);
        CHECK(profile.limits[i].spill_bytes >= profile.limits[i - 1].spill_bytes);
    }
}

TEST_CASE("a share of r_base is rounded to the nearest register, and ends at what can be allocated") {
    RegisterProfile profile;
    profile.base = 13;
    profile.least = 3;
    CHECK(limit_at_share(profile, 1) == 13);
    CHECK(limit_at_share(profile, 0.75) == 10);  // 9.75
    CHECK(limit_at_share(profile, 0.5) == 7);    // 6.5
    CHECK(limit_at_share(profile, 0.26) == 3);   // 3.38
    CHECK(limit_at_share(profile, 0.1) == 3);
}

TEST_CASE("with a share each kernel of a module gets that of its own r_base") {
    const ptx::Module module = module_of(sum_of_loads(20));
    FinaliserOptions options = unscheduled();
    CHECK(finalise_module(module, options).back().registers == 20);
    options.register_share = 0.5;
    CHECK(finalise_module(module, options).back().registers == 10);
    options.register_share = 1;
    CHECK(finalise_module(module, options).back().spill_bytes == 0);
}

TEST_CASE("spilled values lie behind the kernel's own local variables") {
    const isa::Kernel kernel = kernel_of(".local .align 4 .b8 l[12]; st.local.u32 [l+8], %a; bar.sync 0;" +
                                             sum_of_loads(20) + "ld.local.u32 %r0, [l+8]; st.global.u32 [%out+4], %r0;",
                                         unscheduled(10));
    CHECK(kernel.spill_bytes > 0);
    CHECK(kernel.local_bytes == 12 + kernel.spill_bytes);
    CHECK(run(kernel, 9)[1] == 9);
}

TEST_CASE("values that constants make are made again instead of being kept in memory") {
    std::string body = "mov.u32 %r31, %tid.x; mov.u32 %r29, %ntid.x; add.u32 %r29, %r29, 1000;" + sum_of_loads(12);
    body += "add.u32 %r31, %r31, %r29; st.global.u32 [%out+4], %r31;";
    const isa::Kernel kernel = kernel_of(body, unscheduled(12));
    CHECK(kernel.spill_bytes == 0);
    CHECK(run(kernel)[1] == 1001);
}

TEST_CASE("a kernel of which one instruction needs more registers than there are is refused") {
    const std::string body =
        "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%out]; st.global.v4.u32 [%out+16], {%r0, %r1, %r2, %r3};";
    CHECK(kernel_of(body, unscheduled(4)).registers == 4);
    CHECK_THROWS_WITH_AS(kernel_of(body, unscheduled(3)), doctest::Contains("the limit is 3"), RegisterLimitError);
}

TEST_CASE("the scheduler gives way when its order does not fit the limit") {
    std::string body;
    for (int i = 0; i < 12; ++i) {
        const std::string n = std::to_string(i);
        body += "ld.global.u32 %r" + n + ", [%out+" + std::to_string(4 * i) + "]; add.u32 %r30, %r" + n + ", %a;" +
                "st.shared.u32 [%b+" + std::to_string(4 * i) + "], %r30;";
    }
    FinaliserOptions options;
    CHECK(kernel_of(body, options).registers > 4);
    options.isa.registers = 4;
    CHECK(kernel_of(body, options).registers <= 4);
    options.isa.registers = 1;
    CHECK(kernel_of(body, options).registers == 1);
}

TEST_CASE("wide values stand in aligned pairs") {
    const isa::Kernel kernel = kernel_of(
        "ld.global.u32 %r0, [%out]; ld.global.u64 %rd0, [%out+8]; ld.global.u32 %r1, [%out+16]; add.s64 %rd1, %rd0, 1;"
        "add.u32 %r2, %r0, %r1; st.global.u64 [%out], %rd1; st.global.u32 [%out+8], %r2;");
    for (const isa::Instruction& instruction : kernel.code) {
        if (instruction.destination_rows == 2) { CHECK(instruction.destination % 2 == 0); }
    }
    CHECK(kernel.registers == 4);
}

TEST_CASE("vectors are loaded and stored without copies") {
    const isa::Kernel kernel = kernel_of(
        "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%out]; add.u32 %r4, %r0, 1; add.u32 %r5, %r1, 1; add.u32 %r6, %r2, 1;"
        "add.u32 %r7, %r3, 1; st.global.v4.u32 [%out], {%r4, %r5, %r6, %r7};");
    CHECK(count(kernel, "MOV") == 0);
    CHECK(kernel.code.size() == 7);
    CHECK(kernel.registers <= 8);
    CHECK(run(kernel)[3] == 1);
}

TEST_CASE("a vector of a value used twice is copied as often as needed") {
    const auto words =
        run("add.u32 %r0, %a, 1; st.global.v4.u32 [%out], {%r0, %r0, %b, 7}; st.global.u32 [%out+16], %r0;", 41, 5);
    CHECK(std::vector<std::uint32_t>(words.begin(), words.begin() + 5) == std::vector<std::uint32_t>{42, 42, 5, 7, 42});
}

TEST_CASE("a guarded write keeps the value of lanes whose guard fails") {
    const std::string body =
        "add.u32 %r0, %a, 1; setp.gt.u32 %p0, %b, 10; ld.global.u32 %r1, [%out]; add.u32 %r2, %r1, 3;"
        "@%p0 add.u32 %r0, %r2, 100; st.global.u32 [%out], %r0;";
    CHECK(run(body, 1, 0)[0] == 2);
    CHECK(run(body, 1, 11)[0] == 103);
}

TEST_CASE("a value that a loop carries keeps its register through the loop") {
    CHECK(run("mov.u32 %r0, 1; mov.u32 %r1, %a;\nL:\nmul.lo.u32 %r0, %r0, 3; sub.u32 %r1, %r1, 1; setp.ne.u32 %p0, "
              "%r1, 0;"
              "@%p0 bra L; st.global.u32 [%out], %r0;",
              5)[0] == 243);
}

TEST_CASE("results that must be written though nobody reads them have a register of their own") {
    const auto words = run(
        "mov.u32 %r1, %tid.x; add.u32 %r1, %r1, 77; atom.global.exch.b32 %r0, [%out], %a; st.global.u32 [%out+4], %r1;",
        3);
    CHECK(words[0] == 3);
    CHECK(words[1] == 77);
}

TEST_CASE("predicates beyond the limit are kept in registers") {
    std::string body;
    for (int i = 0; i < 12; ++i) { body += "setp.gt.u32 %p" + std::to_string(i) + ", %a, " + std::to_string(i) + ";"; }
    for (int i = 0; i < 12; ++i) { body += "@%p" + std::to_string(i) + " atom.global.add.u32 %r0, [%out], 1;"; }
    for (unsigned limit : {7U, 4U, 1U}) {
        CAPTURE(limit);
        const isa::Kernel kernel = kernel_of(body, unscheduled(63, limit));
        CHECK(kernel.predicates <= limit);
        CHECK(run(kernel, 9)[0] == 9);
        CHECK(run(kernel, 30)[0] == 12);
    }
}

TEST_CASE("ranges overlap only where both live") {
    const RangeSet holes = set_of({{10, 20}, {2, 5}});
    CHECK_FALSE(holes.overlaps(set_of({{5, 10}})));
    CHECK(holes.overlaps(set_of({{4, 6}})));
    CHECK(holes.overlaps(set_of({{9, 11}})));
    CHECK_FALSE(holes.overlaps(set_of({{20, 30}, {0, 2}})));
    CHECK(set_of({{15, 16}}).overlaps(holes));
}

TEST_CASE("ranges that touch become one") {
    RangeSet set = set_of({{10, 20}, {2, 5}});
    set.unite(set_of({{5, 10}}));
    CHECK(set.ranges() == std::vector<LiveRange>{{2, 20}});
}
