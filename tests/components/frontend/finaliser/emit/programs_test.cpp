#include <doctest/doctest.h>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/emit/print.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/function_transform.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;
using isa::Operation;

namespace {

const std::string kBody =
    "setp.lt.u32 %p0, %a, %b; mov.u32 %r0, 1000; @%p0 bra L; ld.global.u32 %r0, [%out]; mul.lo.u32 %r0, %r0, 77;"
    "L: st.global.u32 [%out], %r0;";

/// Adds a second program, a copy of the kernel with another literal and `values` more values that live to its end.
TransformFunction adds_copy(const std::string& name, unsigned values = 0) {
    return [=](KernelUnderWork& kernel, const FinaliserOptions&) {
        VirtualProgram program{name, kernel.main};
        VirtualKernel& code = program.code;
        std::vector<VirtualInstruction> loads, stores;
        const VirtualInstruction* access = nullptr;
        for_each_instruction(kernel.main, [&](VirtualInstruction& instruction) {
            if (instruction.machine.operation == Operation::store) { access = &instruction; }
        });
        REQUIRE(access != nullptr);
        const VirtualOperand address{isa::Operand::Kind::constant, 2, isa::kFirstParameterRow};
        for (unsigned i = 0; i < values; ++i) {
            VirtualInstruction load = beside(*access), store = beside(*access);
            load.machine = store.machine = access->machine;
            load.machine.operation = Operation::load;
            load.machine.order = store.machine.order = isa::Order::volatile_;
            load.machine.offset = store.machine.offset = static_cast<std::int32_t>(4 * i);
            load.source[0] = store.source[0] = address;
            load.destination = code.new_rows(1);
            load.destination_rows = 1;
            store.source[1] = {isa::Operand::Kind::reg, 1, load.destination};
            loads.push_back(load);
            stores.push_back(store);
        }
        auto& first = code.blocks[0].code;
        first.insert(first.begin(), stores.begin(), stores.end());
        first.insert(first.begin(), loads.begin(), loads.end());
        kernel.programs.push_back(std::move(program));
    };
}

FinaliserOptions in_order() {
    FinaliserOptions options;
    options.schedule = false;
    return options;
}

isa::Kernel two_programs(unsigned values = 0, FinaliserOptions options = in_order()) {
    return kernel_of(kBody, with_transform(adds_copy("second", values), {}, options));
}

}  // namespace

TEST_CASE("a kernel's further program stands behind its own code, with registers of its own") {
    const isa::Kernel alone = kernel_of(kBody, in_order());
    CHECK(alone.programs.empty());
    CHECK(alone.own_size() == alone.code.size());
    const isa::Kernel kernel = two_programs(9);
    REQUIRE(kernel.programs.size() == 1);
    const isa::Program& second = kernel.programs[0];
    CHECK(second.name == "second");
    CHECK(second.entry == alone.code.size());
    CHECK(kernel.own_size() == second.entry);
    CHECK(second.end == kernel.code.size());
    CHECK(second.end - second.entry == alone.code.size() + 18);
    CHECK(kernel.registers == alone.registers);
    CHECK(second.registers == 9);
    CHECK(kernel.most_registers() == 9);
    CHECK(second.predicates == alone.predicates);
    for (std::uint32_t i = 0; i < second.entry; ++i) { CHECK(print(kernel, i) == print(alone, i)); }
}

TEST_CASE("branches, joins, literals and origins of a further program are its own") {
    const isa::Kernel kernel = two_programs();
    const isa::Program& second = kernel.programs[0];
    REQUIRE(second.end == 2 * second.entry);
    unsigned branches = 0;
    for (std::uint32_t i = 0; i < second.entry; ++i) {
        const isa::Instruction &own = kernel.code[i], &other = kernel.code[second.entry + i];
        CHECK(own.operation == other.operation);
        CHECK(kernel.origins[i] == kernel.origins[second.entry + i]);
        if (own.operation != Operation::bra) { continue; }
        ++branches;
        CHECK(other.target == own.target + second.entry);
        CHECK(other.reconvergence == own.reconvergence + second.entry);
    }
    CHECK(branches == 1);
    // 1000 and 77 appear twice; each program reads its own.
    CHECK(kernel.literals.size() == 4);
    const auto reads_literal = [&](std::uint32_t i, std::uint32_t from, std::uint32_t to) {
        for (const isa::Operand& operand : kernel.code[i].source) {
            if (operand.kind == isa::Operand::Kind::constant && operand.index >= kernel.first_literal_row()) {
                const std::uint32_t literal = operand.index - kernel.first_literal_row();
                CHECK(literal >= from);
                CHECK(literal < to);
            }
        }
    };
    for (std::uint32_t i = 0; i < second.entry; ++i) { reads_literal(i, 0, 2); }
    for (std::uint32_t i = second.entry; i < second.end; ++i) { reads_literal(i, 2, 4); }
}

TEST_CASE("a further program spills behind what the kernel has in local memory") {
    FinaliserOptions options = in_order();
    options.isa.registers = 9;
    const isa::Kernel fits = two_programs(9, options);
    CHECK(fits.local_bytes == 0);
    CHECK(fits.programs[0].registers == 9);
    options.isa.registers = 8;
    const isa::Kernel kernel = two_programs(9, options);
    CHECK(kernel.programs[0].registers <= 8);
    CHECK(kernel.spill_bytes > 0);
    CHECK(kernel.local_bytes == kernel.spill_bytes);
    for (std::uint32_t i = 0; i < kernel.own_size(); ++i) { CHECK(kernel.code[i].space != isa::Space::local); }
}

TEST_CASE("a further program's annotations stand at its instructions") {
    const auto marks = [](KernelUnderWork& kernel, const FinaliserOptions& options) {
        adds_copy("second")(kernel, options);
        for_each_instruction(kernel.programs[0].code, [&](VirtualInstruction& instruction) {
            if (instruction.machine.operation == Operation::store) {
                kernel.programs[0].code.annotate(instruction, "test.mark", 4);
            }
        });
    };
    const isa::Kernel kernel = kernel_of(kBody, with_transform(marks));
    REQUIRE(kernel.annotations.size() == 1);
    const std::uint32_t place = kernel.annotations[0].instruction;
    CHECK(place >= kernel.programs[0].entry);
    CHECK(kernel.code[place].operation == Operation::store);
    CHECK(kernel.annotation(place, "test.mark") == 4);
}

TEST_CASE("several further programs follow each other") {
    const auto two = [](KernelUnderWork& kernel, const FinaliserOptions& options) {
        adds_copy("second", 3)(kernel, options);
        adds_copy("third", 5)(kernel, options);
    };
    const isa::Kernel kernel = kernel_of(kBody, with_transform(two, {}, in_order()));
    REQUIRE(kernel.programs.size() == 2);
    CHECK(kernel.programs[0].end == kernel.programs[1].entry);
    CHECK(kernel.programs[1].end == kernel.code.size());
    CHECK(kernel.programs[1].registers == 5);
}

TEST_CASE("the kernel's own code runs as if it were alone") {
    EmulatedDevice device({two_programs(9)}, {1000});
    const DeviceAddress out = device.upload(std::vector<std::uint32_t>{5});
    device.launch("k", {{1, 1, 1}, {1, 1, 1}}, pack_parameters(out, 3U, 2U));
    CHECK(device.download<std::uint32_t>(out, 1).at(0) == 5 * 77);
    device.launch("k", {{1, 1, 1}, {1, 1, 1}}, pack_parameters(out, 2U, 3U));
    CHECK(device.download<std::uint32_t>(out, 1).at(0) == 1000);
}

TEST_CASE("a further program that needs more than the limit is refused as the kernel would be") {
    const auto wide = [](KernelUnderWork& kernel, const FinaliserOptions& options) {
        adds_copy("second", 1)(kernel, options);
        for_each_instruction(kernel.programs[0].code, [&](VirtualInstruction& instruction) {
            if (instruction.machine.order != isa::Order::volatile_) { return; }
            instruction.machine.vector = 16;
            if (instruction.machine.operation == Operation::load) {
                instruction.destination = kernel.programs[0].code.new_rows(16);
                instruction.destination_rows = 16;
            } else {
                instruction.source[1] = {isa::Operand::Kind::reg, 16, kernel.programs[0].code.rows() - 16};
            }
        });
    };
    FinaliserOptions options;
    options.isa.registers = 16;
    CHECK(kernel_of(kBody, with_transform(wide, {}, options)).programs[0].registers == 16);
    options.isa.registers = 15;
    CHECK_THROWS_AS(kernel_of(kBody, with_transform(wide, {}, options)), RegisterLimitError);
}
