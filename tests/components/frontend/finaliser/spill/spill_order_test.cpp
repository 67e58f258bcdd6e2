// finaliser.spill_order and finaliser.rematerialise: which values go to local memory first, and which are recomputed.
#include <doctest/doctest.h>

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

FinaliserOptions with(unsigned registers, const std::string& order, bool rematerialise = true) {
    FinaliserOptions options;
    options.isa.registers = registers;
    options.spill_order = order;
    options.rematerialise = rematerialise;
    options.schedule = false;
    return options;
}

/// Six generic values, each read once at the end, and six uniform ones from memory, which cannot be recomputed and are
/// read twice; by cost the generic ones are spilled first.
std::string twelve_values() {
    std::string body = "mov.u32 %r20, %tid.x; mul.wide.u32 %rd5, %r20, 64; add.u64 %rd6, %out, %rd5;";
    for (int i = 0; i < 6; ++i) { body += fmt::format("ld.volatile.global.u32 %r{}, [%out+{}];", i, 4 * i); }
    for (int i = 6; i < 12; ++i) { body += fmt::format("ld.volatile.global.u32 %r{}, [%rd6+{}];", i, 4 * i); }
    body += "bar.sync 0; mov.u32 %r31, 0;";
    for (int i = 0; i < 6; ++i) { body += fmt::format("st.volatile.global.u32 [%out+{}], %r{};", 64 + 4 * i, i); }
    body += "bar.sync 0;";
    for (int i = 11; i >= 0; --i) { body += fmt::format("mad.lo.u32 %r31, %r31, 3, %r{};", i); }
    return body + "st.global.u32 [%out], %r31;";
}

/// The number of spilled values loaded from one address for all lanes, and from an address per lane.
struct Spilled {
    unsigned uniform = 0;
    unsigned generic = 0;
};
Spilled spilled_values(const isa::Kernel& kernel) {
    Spilled result;
    for (std::size_t i = 1; i < kernel.code.size(); ++i) {
        if (kernel.code[i].operation != isa::Operation::store || kernel.code[i].space != isa::Space::local) {
            continue;
        }
        // A spilled value is stored after the load that brings it.
        const isa::Instruction& made = kernel.code[i - 1];
        REQUIRE(made.operation == isa::Operation::load);
        ++(made.source[0].kind == isa::Operand::Kind::constant ? result.uniform : result.generic);
    }
    return result;
}

}  // namespace

TEST_CASE("by cost the values go that are accessed least, affine first the uniform ones as long as there are any") {
    const isa::Kernel by_cost = kernel_of(twelve_values(), with(10, "cost"));
    const isa::Kernel affine_first = kernel_of(twelve_values(), with(10, "affine_first"));
    REQUIRE(by_cost.spill_bytes > 0);
    CHECK(spilled_values(by_cost).generic > 0);
    CHECK(spilled_values(by_cost).uniform == 0);
    CHECK(spilled_values(affine_first).uniform > 0);
    CHECK(spilled_values(affine_first).generic == 0);
    // Other values follow when no uniform ones are left.
    const isa::Kernel both = kernel_of(twelve_values(), with(5, "affine_first"));
    CHECK(spilled_values(both).uniform == 6);
    CHECK(spilled_values(both).generic > 0);
}

TEST_CASE("in both orders, with and without values that are made again, a kernel computes the same at every limit") {
    const auto expected = run(kernel_of(twelve_values(), with(63, "cost")), 5);
    for (const char* order : {"cost", "affine_first"}) {
        for (const bool rematerialise : {true, false}) {
            for (unsigned limit = 5; limit <= 20; ++limit) {
                CAPTURE(order);
                CAPTURE(rematerialise);
                CAPTURE(limit);
                const isa::Kernel kernel = kernel_of(twelve_values(), with(limit, order, rematerialise));
                CHECK(kernel.registers <= limit);
                CHECK(run(kernel, 5) == expected);
            }
        }
    }
}

TEST_CASE("without rematerialisation a value that constants make goes to memory, and r_base is higher") {
    std::string body = "mov.u32 %r30, %tid.x; mov.u32 %r29, %ntid.x; add.u32 %r29, %r29, 1000;";
    for (int i = 0; i < 8; ++i) { body += fmt::format("ld.volatile.global.u32 %r{}, [%out+{}];", i, 4 * i); }
    body += "mov.u32 %r31, 0;";
    for (int i = 0; i < 8; ++i) { body += fmt::format("add.u32 %r31, %r31, %r{};", i); }
    body += "add.u32 %r30, %r30, %r29; add.u32 %r31, %r31, %r30; st.global.u32 [%out], %r31;";
    const ptx::Module module = module_of(body);
    const auto base = [&](bool rematerialise) {
        return profile_registers(module, module.functions.back(), with(63, "cost", rematerialise)).base;
    };
    CHECK(base(true) == 8);
    CHECK(base(false) == 10);
    CHECK(kernel_of(body, with(9, "cost")).spill_bytes == 0);
    CHECK(kernel_of(body, with(9, "cost", false)).spill_bytes > 0);
}

TEST_CASE("an order that is not known is refused") {
    CHECK_THROWS_WITH_AS(kernel_of("", with(63, "first")), doctest::Contains("spill order \"first\" is not known"),
                         ConfigurationError);
}
