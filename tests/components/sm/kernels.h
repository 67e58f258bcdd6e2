#pragma once

#include "components/isa/address_space.h"
#include "tests/support/kernel_builder.h"

namespace lookahead::test {

using isa::Operation;
using isa::Type;

/// `count` instructions, each needing the result of the one before, then exit.
inline isa::Kernel dependent_chain(Operation operation, Type type, unsigned count) {
    KernelBuilder k("chain", {});
    const auto x = k.registers(type == Type::f64 ? 2 : 1);
    const auto one = type == Type::f64 ? k.literal64(0x3ff0000000000000u) : k.literal(0x3f800000u);
    for (unsigned i = 0; i < count; ++i) {
        if (operation == Operation::mad_lo || operation == Operation::fma) {
            k.op(operation, type, x, {x, one, one});
        } else {
            k.op(operation, type, x, {x, one});
        }
        if (type == Type::f32 || type == Type::f64) {
            k.last().rounding = isa::Rounding::rn;
        }
    }
    k.exit();
    return k.finish();
}

/// `count` instructions without dependences, then exit.
inline isa::Kernel independent_chain(Operation operation, Type type, unsigned count) {
    KernelBuilder k("independent", {});
    const auto one = type == Type::f64 ? k.literal64(0x3ff0000000000000u) : k.literal(0x3f800000u);
    for (unsigned i = 0; i < count; ++i) {
        const auto x = k.registers(type == Type::f64 ? 2 : 1);
        k.op(operation, type, x, {one, one});
        if (type == Type::f32 || type == Type::f64) {
            k.last().rounding = isa::Rounding::rn;
        }
    }
    k.exit();
    return k.finish();
}

/// Emits `address = parameter 0 + 4 * (%ctaid.x * %ntid.x + %tid.x)` and returns {address, global thread index}.
struct ThreadAddress {
    isa::Operand address, index;
};
inline ThreadAddress thread_address(KernelBuilder& k) {
    const auto tid = k.reg(), cta = k.reg(), index = k.reg();
    const auto address = k.reg64();
    k.special(tid, isa::SpecialRegister::tid_x);
    k.special(cta, isa::SpecialRegister::ctaid_x);
    k.op(Operation::mad_lo, Type::u32, index, {cta, k.launch(isa::LaunchRow::ntid_x), tid});
    k.op(Operation::mad_wide, Type::u64, address, {index, k.literal(4), k.parameter(0)}).source_type = Type::u32;
    return {address, index};
}

/// out[i] = in[i] (at parameter 1) + i, over a grid.
inline isa::Kernel add_index() {
    KernelBuilder k("add_index", {8, 8});
    const auto [address, index] = thread_address(k);
    const auto value = k.reg();
    const auto source = k.reg64();
    k.op(Operation::mad_wide, Type::u64, source, {index, k.literal(4), k.parameter(1)}).source_type = Type::u32;
    k.load(isa::Space::global, Type::u32, value, source);
    k.op(Operation::add, Type::u32, value, {value, index});
    k.store(isa::Space::global, Type::u32, address, value);
    k.exit();
    return k.finish();
}

/// Parameters of kernels that write to the start of global memory and read from 16 KiB on.
inline std::vector<std::uint32_t> global_parameters() {
    const std::uint64_t out = isa::kGlobalBase, in = isa::kGlobalBase + (1 << 14);
    return {static_cast<std::uint32_t>(out), static_cast<std::uint32_t>(out >> 32), static_cast<std::uint32_t>(in),
            static_cast<std::uint32_t>(in >> 32)};
}

}  // namespace lookahead::test
