#pragma once

#include "tests/support/kernel_builder.h"

/// Hand-written machine-ISA versions of the five kernels that every layer must run, for tests without a front end.
/// Parameters are those of the CUDA kernels.
namespace lookahead::test {

/// c[i] = a[i] + b[i] for i < n; parameters a, b, c, n.
inline isa::Kernel vecadd_kernel() {
    using isa::Operation, isa::Type, isa::Space;
    KernelBuilder k("vecadd", {8, 8, 8, 4});
    const auto ctaid = k.reg(), tid = k.reg(), i = k.reg(), x = k.reg(), y = k.reg();
    const auto offset = k.reg64(), address = k.reg64();
    const auto beyond = k.predicate();
    const auto end = k.label();
    k.special(ctaid, isa::SpecialRegister::ctaid_x);
    k.special(tid, isa::SpecialRegister::tid_x);
    k.op(Operation::mad_lo, Type::s32, i, {ctaid, k.launch(isa::LaunchRow::ntid_x), tid});
    k.setp(isa::Comparison::ge, Type::s32, beyond, i, k.parameter(3));
    k.branch_if(beyond, end, end);
    k.op(Operation::mul_wide, Type::s64, offset, {i, k.literal(4)}).source_type = Type::s32;
    k.op(Operation::add, Type::s64, address, {offset, k.parameter(0)});
    k.load(Space::global, Type::f32, x, address);
    k.op(Operation::add, Type::s64, address, {offset, k.parameter(1)});
    k.load(Space::global, Type::f32, y, address);
    k.op(Operation::add, Type::f32, x, {x, y});
    k.op(Operation::add, Type::s64, address, {offset, k.parameter(2)});
    k.store(Space::global, Type::f32, address, x);
    k.bind(end);
    return k.finish();
}

/// C = A * B for n x n matrices in 16 x 16 tiles, one thread per element; parameters A, B, C, n (a multiple of 16).
inline isa::Kernel sgemm_kernel() {
    using isa::Operation, isa::Type, isa::Space;
    KernelBuilder k("sgemm", {8, 8, 8, 4});
    k.shared_bytes(2048);
    const auto tx = k.reg(), ty = k.reg(), row = k.reg(), column = k.reg(), n = k.parameter(3);
    const auto a_tile = k.reg(), b_tile = k.reg(), a_slot = k.reg(), b_slot = k.reg();
    const auto sum = k.reg(), x = k.reg(), y = k.reg(), step = k.reg(), index = k.reg();
    const auto a = k.reg64(), b = k.reg64(), b_step = k.reg64();
    const auto more = k.predicate();
    k.special(tx, isa::SpecialRegister::tid_x);
    k.special(ty, isa::SpecialRegister::tid_y);
    k.special(row, isa::SpecialRegister::ctaid_y);
    k.special(column, isa::SpecialRegister::ctaid_x);
    k.op(Operation::mad_lo, Type::s32, row, {row, k.literal(16), ty});
    k.op(Operation::mad_lo, Type::s32, column, {column, k.literal(16), tx});
    // Shared: A's tile at 0, B's at 1024.
    k.op(Operation::shl, Type::b32, a_tile, {ty, k.literal(6)});
    k.op(Operation::shl, Type::b32, b_tile, {tx, k.literal(2)});
    k.op(Operation::add, Type::s32, a_slot, {a_tile, b_tile});
    k.op(Operation::add, Type::s32, b_slot, {a_slot, k.literal(1024)});
    // Global: A + 4 (row n + tx), B + 4 (ty n + column).
    k.op(Operation::mad_lo, Type::s32, index, {row, n, tx});
    k.op(Operation::mad_wide, Type::s64, a, {index, k.literal(4), k.parameter(0)}).source_type = Type::s32;
    k.op(Operation::mad_lo, Type::s32, index, {ty, n, column});
    k.op(Operation::mad_wide, Type::s64, b, {index, k.literal(4), k.parameter(1)}).source_type = Type::s32;
    k.op(Operation::mul_wide, Type::s64, b_step, {n, k.literal(64)}).source_type = Type::s32;
    k.op(Operation::mov, Type::b32, sum, {k.launch(isa::LaunchRow::zero)});
    k.op(Operation::mov, Type::b32, step, {k.launch(isa::LaunchRow::zero)});
    const auto loop = k.here();
    const auto after = k.label();
    k.load(Space::global, Type::f32, x, a);
    k.store(Space::shared, Type::f32, a_slot, x);
    k.load(Space::global, Type::f32, y, b);
    k.store(Space::shared, Type::f32, b_slot, y);
    k.barrier();
    for (std::int32_t i = 0; i < 16; ++i) {
        k.load(Space::shared, Type::f32, y, b_tile, 1024 + 64 * i);
        k.load(Space::shared, Type::f32, x, a_tile, 4 * i);
        k.op(Operation::fma, Type::f32, sum, {x, y, sum}).rounding = isa::Rounding::rn;
    }
    k.barrier();
    k.op(Operation::add, Type::s64, b, {b, b_step});
    k.op(Operation::add, Type::s64, a, {a, k.literal64(64)});
    k.op(Operation::add, Type::s32, step, {step, k.literal(16)});
    k.setp(isa::Comparison::lt, Type::s32, more, step, n);
    k.branch_if(more, loop, after);
    k.bind(after);
    k.op(Operation::mad_lo, Type::s32, index, {row, n, column});
    k.op(Operation::mad_wide, Type::s64, a, {index, k.literal(4), k.parameter(2)}).source_type = Type::s32;
    k.store(Space::global, Type::f32, a, sum);
    return k.finish();
}

/// bins[v & 255] += 1 for n values, with shared and then global atomics, 256 threads per block; parameters values,
/// bins, n.
inline isa::Kernel histogram_kernel() {
    using isa::Operation, isa::Type, isa::Space;
    KernelBuilder k("histogram", {8, 8, 4});
    k.shared_bytes(1024);
    const auto tid = k.reg(), i = k.reg(), stride = k.reg(), slot = k.reg(), value = k.reg(), old_value = k.reg();
    const auto address = k.reg64();
    const auto beyond = k.predicate(), more = k.predicate();
    const auto done = k.label();
    k.special(tid, isa::SpecialRegister::tid_x);
    k.op(Operation::shl, Type::b32, slot, {tid, k.literal(2)});
    k.store(Space::shared, Type::u32, slot, k.launch(isa::LaunchRow::zero));
    k.barrier();
    k.special(i, isa::SpecialRegister::ctaid_x);
    k.op(Operation::mad_lo, Type::s32, i, {i, k.launch(isa::LaunchRow::ntid_x), tid});
    k.setp(isa::Comparison::ge, Type::s32, beyond, i, k.parameter(2));
    k.branch_if(beyond, done, done);
    k.op(Operation::mul_lo, Type::s32, stride, {k.launch(isa::LaunchRow::ntid_x), k.launch(isa::LaunchRow::nctaid_x)});
    const auto loop = k.here();
    k.op(Operation::mad_wide, Type::s64, address, {i, k.literal(4), k.parameter(0)}).source_type = Type::s32;
    k.load(Space::global, Type::u32, value, address);
    k.op(Operation::shl, Type::b32, value, {value, k.literal(2)});
    k.op(Operation::bit_and, Type::b32, value, {value, k.literal(1020)});
    k.atomic(Space::shared, isa::AtomicOp::add, Type::u32, old_value, value, k.literal(1));
    k.op(Operation::add, Type::s32, i, {i, stride});
    k.setp(isa::Comparison::lt, Type::s32, more, i, k.parameter(2));
    k.branch_if(more, loop, done);
    k.bind(done);
    k.barrier();
    k.load(Space::shared, Type::u32, value, slot);
    k.op(Operation::mad_wide, Type::u64, address, {tid, k.literal(4), k.parameter(1)}).source_type = Type::u32;
    k.atomic(Space::global, isa::AtomicOp::add, Type::u32, {}, address, value);
    return k.finish();
}

}  // namespace lookahead::test
