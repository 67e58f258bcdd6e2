#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/spill/spill_registers.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/function_transform.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;
using isa::Operation;

namespace {

/// Annotates the first instruction with the operation, over all blocks.
TransformFunction annotates(Operation operation, std::int64_t value, std::uint32_t* origin = nullptr) {
    return [=](KernelUnderWork& kernel, const FinaliserOptions&) {
        bool done = false;
        for_each_instruction(kernel.main, [&](VirtualInstruction& instruction) {
            if (done || instruction.machine.operation != operation) { return; }
            kernel.main.annotate(instruction, "test.mark", value);
            if (origin != nullptr) { *origin = instruction.origin; }
            done = true;
        });
        REQUIRE(done);
    };
}

std::vector<std::uint32_t> annotated(const isa::Kernel& kernel) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < kernel.code.size(); ++i) {
        if (kernel.annotation(i, "test.mark")) { found.push_back(i); }
    }
    return found;
}

/// Instructions with that origin, including those inserted for it.
std::vector<std::uint32_t> made_of(const isa::Kernel& kernel, std::uint32_t origin) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < kernel.origins.size(); ++i) {
        if (kernel.origins[i] == origin) { found.push_back(i); }
    }
    return found;
}

}  // namespace

TEST_CASE("an annotation is on the machine instruction that the annotated one has become, and on no other") {
    const isa::Kernel kernel = kernel_of(
        "ld.global.u32 %r0, [%out]; ld.global.u32 %r1, [%out+4]; add.u32 %r0, %r0, %r1; st.global.u32 [%out+8], %r0;",
        with_transform(annotates(Operation::store, -7)));
    const unsigned store = position(kernel, "ST");
    CHECK(annotated(kernel) == std::vector<std::uint32_t>{store});
    CHECK(kernel.annotation(store, "test.mark") == -7);
    CHECK_FALSE(kernel.annotation(store, "test.other").has_value());
    CHECK_FALSE(kernel.annotation(store - 1, "test.mark").has_value());
}

TEST_CASE("a scheduled instruction takes its annotation and origin along") {
    const std::string body =
        "mul.lo.u32 %r0, %a, %b; mul.lo.u32 %r1, %r0, %a; ld.global.u32 %r2, [%out]; add.u32 %r1, %r1, %r2;"
        "st.global.u32 [%out+8], %r1;";
    FinaliserOptions in_order;
    in_order.schedule = false;
    std::uint32_t origin = 0;
    const isa::Kernel old_order = kernel_of(body, with_transform(annotates(Operation::load, 3, &origin), {}, in_order));
    const isa::Kernel kernel = kernel_of(body, with_transform(annotates(Operation::load, 3, &origin)));
    const unsigned load = position(kernel, "LD");
    CHECK(load < position(old_order, "LD"));
    CHECK(annotated(kernel) == std::vector<std::uint32_t>{load});
    CHECK(kernel.origins[load] == origin);
    CHECK(made_of(kernel, origin) == std::vector<std::uint32_t>{load});
}

TEST_CASE("all words of a wide operation have its origin and annotation") {
    const std::string body =
        "ld.global.u64 %rd0, [%out]; ld.global.u64 %rd1, [%out+8]; sub.s64 %rd2, %rd0, %rd1;"
        "st.global.u64 [%out+16], %rd2;";
    std::uint32_t origin = 0;
    FinaliserOptions options = with_transform(annotates(Operation::sub, 5, &origin));
    CHECK(annotated(kernel_of(body, options)).size() == 1);
    options.isa.expand_64bit = true;
    const isa::Kernel kernel = kernel_of(body, options);
    const std::vector<std::uint32_t> parts = annotated(kernel);
    CHECK(parts.size() == 2);
    CHECK(parts == made_of(kernel, origin));
    for (const std::uint32_t part : parts) { CHECK(kernel.code[part].operation == Operation::sub_borrow); }
}

TEST_CASE("what is said last of an instruction under one tag holds; other tags stand beside it") {
    const auto marks = [](KernelUnderWork& kernel, const FinaliserOptions&) {
        for_each_instruction(kernel.main, [&](VirtualInstruction& instruction) {
            if (instruction.machine.operation != Operation::store) { return; }
            kernel.main.annotate(instruction, "test.mark", 1);
            kernel.main.annotate(instruction, "test.other", 2);
            kernel.main.annotate(instruction, "test.mark", 3);
        });
    };
    const isa::Kernel kernel = kernel_of("st.global.u32 [%out], %a;", with_transform(marks));
    const unsigned store = position(kernel, "ST");
    CHECK(kernel.annotation(store, "test.mark") == 3);
    CHECK(kernel.annotation(store, "test.other") == 2);
}

TEST_CASE("what spilling puts beside an annotated instruction has its origin and not its annotation") {
    std::string body;
    for (int i = 0; i < 12; ++i) {
        body += "ld.volatile.global.u32 %r" + std::to_string(i) + ", [%out+" + std::to_string(4 * i) + "];";
    }
    for (int i = 0; i < 12; ++i) {
        body += "st.volatile.global.u32 [%out+" + std::to_string(4 * i) + "], %r" + std::to_string(11 - i) + ";";
    }
    const TransformFunction all = [](KernelUnderWork& kernel, const FinaliserOptions&) {
        for_each_instruction(kernel.main, [&](VirtualInstruction& instruction) {
            if (isa::is_memory(instruction.machine.operation)) {
                kernel.main.annotate(instruction, "test.mark", instruction.origin);
            }
        });
    };
    FinaliserOptions options = with_transform(all);
    options.isa.registers = 8;
    const isa::Kernel kernel = kernel_of(body, options);
    const SpillInstructions spills = spill_instructions(kernel);
    CHECK(spills.loads > 0);
    CHECK(spills.stores > 0);
    CHECK(annotated(kernel).size() == 24);
    for (std::uint32_t i = 0; i < kernel.code.size(); ++i) {
        const bool is_spill = kernel.code[i].space == isa::Space::local;
        CHECK(kernel.annotation(i, "test.mark").has_value() == (isa::is_memory(kernel.code[i].operation) && !is_spill));
        if (!is_spill) { continue; }
        const std::uint32_t origin = kernel.origins[i];
        const std::vector<std::uint32_t> family = made_of(kernel, origin);
        CHECK(std::ranges::any_of(family, [&](std::uint32_t each) {
            return kernel.annotation(each, "test.mark") == static_cast<std::int64_t>(origin);
        }));
    }
}

TEST_CASE("an annotated instruction that nobody needs is gone, and its annotation with it") {
    const isa::Kernel kernel =
        kernel_of("mul.lo.u32 %r0, %a, %b; st.global.u32 [%out], %a;",
                  with_transform([](KernelUnderWork& work, const FinaliserOptions&) {
                      VirtualInstruction& first = work.main.blocks[0].code.front();
                      VirtualInstruction extra = first;
                      extra.machine.operation = Operation::mul_lo;
                      extra.machine.type = isa::Type::u32;
                      extra.source = {};
                      extra.source[0] = extra.source[1] = {isa::Operand::Kind::constant, 1, isa::kFirstParameterRow};
                      extra.destination = work.main.new_rows(1);
                      extra.destination_rows = 1;
                      extra.guard = {};
                      extra.guard.index = kAlways;
                      work.main.annotate(extra, "test.mark", 1);
                      work.main.blocks[0].code.insert(work.main.blocks[0].code.begin(), extra);
                  }));
    CHECK(kernel.annotations.empty());
    CHECK(kernel.origins.size() == kernel.code.size());
}

TEST_CASE("an instruction without an origin is refused") {
    CHECK_THROWS_AS(
        kernel_of("st.global.u32 [%out], %a;", with_transform([](KernelUnderWork& work, const FinaliserOptions&) {
                      work.main.blocks[0].code.front().origin = kNone;
                  })),
        InternalError);
}

TEST_CASE("every machine instruction has an origin, on every way through the passes") {
    const std::string body =
        "setp.lt.u32 %p0, %a, %b; @%p0 bra L; ld.global.u64 %rd0, [%out]; mul.lo.s64 %rd1, %rd0, %rd0;"
        "st.global.u64 [%out], %rd1; bra E; L: div.u32 %r0, %a, %b; st.global.u32 [%out], %r0; E:";
    for (unsigned way = 0; way < 16; ++way) {
        FinaliserOptions options;
        options.isa.expand_64bit = way & 1;
        options.isa.single_constant = way & 2;
        options.isa.pointers = way & 4 ? 32 : 64;
        options.isa.registers = way & 8 ? 6 : 63;
        const isa::Kernel kernel = kernel_of(body, options);
        CHECK(kernel.origins.size() == kernel.code.size());
        CHECK(std::ranges::count(kernel.origins, kNone) == 0);
        CHECK(std::set<std::uint32_t>(kernel.origins.begin(), kernel.origins.end()).size() > 4);
    }
}
