#pragma once

#include "components/isa/address_space.h"
#include "components/isa/instruction.h"
#include "tests/support/kernel_builder.h"

namespace lookahead::test {

using isa::Operation;
using isa::Type;

/// `count` instructions and an exit. Each depends on the previous one if `dependent`, else none does.
inline isa::Kernel chain(Operation operation, Type type, unsigned count, bool dependent) {
    KernelBuilder k("chain", {});
    const std::uint8_t rows = type == Type::f64 ? 2 : 1;
    const auto one = type == Type::f64 ? k.literal64(0x3ff0000000000000u) : k.literal(0x3f800000u);
    isa::Operand x = k.registers(rows);
    for (unsigned i = 0; i < count; ++i) {
        if (!dependent && i > 0) { x = k.registers(rows); }
        if (operation == Operation::mad_lo || operation == Operation::fma) {
            k.op(operation, type, x, {dependent ? x : one, one, one});
        } else {
            k.op(operation, type, x, {dependent ? x : one, one});
        }
        if (type == Type::f32 || type == Type::f64) { k.last().rounding = isa::Rounding::rn; }
    }
    return k.finish();
}
inline isa::Kernel dependent_chain(Operation operation, Type type, unsigned count) {
    return chain(operation, type, count, true);
}
inline isa::Kernel independent_chain(Operation operation, Type type, unsigned count) {
    return chain(operation, type, count, false);
}

/// A kernel under construction with two pointers as parameters, which begins with
/// `index` = %ctaid.x * %ntid.x + %tid.x and `address` = parameter 0 + 4 * `index`.
struct ThreadKernel : KernelBuilder {
    explicit ThreadKernel(std::string name) : KernelBuilder(std::move(name), {8, 8}) {
        const auto tid = reg(), cta = reg();
        index = reg();
        address = reg64();
        special(tid, isa::SpecialRegister::tid_x);
        special(cta, isa::SpecialRegister::ctaid_x);
        op(Operation::mad_lo, Type::u32, index, {cta, launch(isa::LaunchRow::ntid_x), tid});
        op(Operation::mad_wide, Type::u64, address, {index, literal(4), parameter(0)}).source_type = Type::u32;
    }
    /// The kernel; at its end each thread stores `result` at its place.
    isa::Kernel finish_with(isa::Operand result) {
        store(isa::Space::global, Type::u32, address, result);
        return finish();
    }

    isa::Operand address, index;
};

/// out[i] = in[i] (at parameter 1) + i, over a grid.
inline isa::Kernel add_index() {
    ThreadKernel k("add_index");
    const auto value = k.reg();
    const auto source = k.reg64();
    k.op(Operation::mad_wide, Type::u64, source, {k.index, k.literal(4), k.parameter(1)}).source_type = Type::u32;
    k.load(isa::Space::global, Type::u32, value, source);
    k.op(Operation::add, Type::u32, value, {value, k.index});
    return k.finish_with(value);
}

/// A loop with everything that an SM does: loads, shared memory with barriers, divergence, all pipelines, atomics, a
/// fence and the clock. Writes one word per thread at parameter 0, reads words at parameter 1.
inline isa::Kernel mixed_kernel(unsigned passes) {
    ThreadKernel k("mixed");
    k.shared_bytes(256 * 4);
    const auto tid = k.reg(), slot = k.reg(), count = k.reg(), sum = k.reg(), value = k.reg(), odd = k.reg(),
               clock = k.reg();
    const auto source = k.reg64(), wide = k.reg64();
    const auto p = k.predicate(), more = k.predicate();
    k.special(tid, isa::SpecialRegister::tid_x);
    k.op(Operation::mul_lo, Type::u32, slot, {tid, k.literal(4)});
    k.op(Operation::mad_wide, Type::u64, source, {k.index, k.literal(4), k.parameter(1)}).source_type = Type::u32;
    const auto again = k.here();
    const auto even = k.label(), join = k.label(), done = k.label();
    k.load(isa::Space::global, Type::u32, value, source);
    k.store(isa::Space::shared, Type::u32, slot, value);
    k.barrier();
    k.op(Operation::bit_xor, Type::b32, odd, {slot, k.literal(4)});
    k.load(isa::Space::shared, Type::u32, value, odd);
    k.op(Operation::add, Type::u32, sum, {sum, value});
    k.op(Operation::add, Type::u32, odd, {k.index, count});
    k.op(Operation::bit_and, Type::b32, odd, {odd, k.literal(3)});
    k.setp(isa::Comparison::eq, Type::u32, p, odd, k.literal(0));
    k.branch_if(p, even, join);
    k.op(Operation::div, Type::u32, value, {sum, k.literal(3)});
    k.op(Operation::add, Type::u32, sum, {sum, value});
    k.branch(join, join);
    k.bind(even);
    k.op(Operation::fma, Type::f32, value, {sum, sum, sum}).rounding = isa::Rounding::rn;
    k.op(Operation::max, Type::u32, sum, {sum, value});
    k.bind(join);
    k.op(Operation::mul_wide, Type::u64, wide, {sum, k.literal(77)}).source_type = Type::u32;
    k.op(Operation::bit_xor, Type::b32, sum, {sum, KernelBuilder::word(wide, 1)});
    k.atomic(isa::Space::global, isa::AtomicOp::add, Type::u32, value, k.parameter(0), k.literal(0));
    k.op(Operation::add, Type::u32, sum, {sum, value});
    k.op(Operation::membar, Type::none, {}, {});
    k.barrier();
    k.op(Operation::add, Type::u32, count, {count, k.literal(1)});
    k.setp(isa::Comparison::lt, Type::u32, more, count, k.literal(passes));
    k.branch_if(more, again, done);
    k.bind(done);
    k.special(clock, isa::SpecialRegister::clock);
    k.op(Operation::bit_xor, Type::b32, sum, {sum, clock});
    k.store(isa::Space::global, Type::u32, k.address, sum, 4);
    return k.finish();
}

/// Adds the code of `second`, with the same parameters, to the kernel as a further program.
inline isa::Kernel with_program(isa::Kernel kernel, const isa::Kernel& second) {
    const auto entry = static_cast<std::uint32_t>(kernel.code.size());
    const auto literals = static_cast<std::uint16_t>(kernel.literals.size());
    const unsigned first_literal = second.constant_rows() - static_cast<unsigned>(second.literals.size());
    for (isa::Instruction instruction : second.code) {
        for (std::uint32_t* target : {&instruction.target, &instruction.reconvergence}) {
            *target += *target == isa::kNoTarget ? 0 : entry;
        }
        for (isa::Operand& operand : instruction.source) {
            if (operand.kind == isa::Operand::Kind::constant && operand.index >= first_literal) {
                operand.index = static_cast<std::uint16_t>(operand.index + literals);
            }
        }
        kernel.code.push_back(instruction);
    }
    kernel.literals.insert(kernel.literals.end(), second.literals.begin(), second.literals.end());
    kernel.programs.push_back({.name = "second",
                               .entry = entry,
                               .end = static_cast<std::uint32_t>(kernel.code.size()),
                               .registers = second.registers,
                               .predicates = second.predicates});
    return kernel;
}

/// Parameters of kernels that write to the start of global memory and read from 16 KiB on (SmHarness::kInput).
inline std::vector<std::uint32_t> global_parameters() {
    const std::uint64_t out = isa::kGlobalBase, in = isa::kGlobalBase + (1 << 14);
    return {static_cast<std::uint32_t>(out), static_cast<std::uint32_t>(out >> 32), static_cast<std::uint32_t>(in),
            static_cast<std::uint32_t>(in >> 32)};
}

}  // namespace lookahead::test
