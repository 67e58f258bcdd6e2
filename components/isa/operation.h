#pragma once

#include <cstdint>

namespace lookahead::isa {

/// The operation of a machine instruction; with its Type and modifiers it names one handler.
enum class Operation : std::uint8_t {
    nop,
    // Data movement and special registers
    mov,
    select,
    convert,
    read_special,
    // Integer and floating-point arithmetic (by Type)
    add,
    sub,
    mul_lo,
    mul_hi,
    mul_wide,
    mad_lo,
    mad_hi,
    mad_wide,
    fma,
    div,
    rem,
    neg,
    abs,
    min,
    max,
    sqrt,
    rcp,
    rsqrt,
    ex2,
    lg2,
    sin,
    cos,
    tanh,
    // Logic and bits
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
    shl,
    shr,
    lop3,
    bfe,
    bfi,
    bfind,
    brev,
    clz,
    popc,
    prmt,
    shf_l,
    shf_r,
    // Predicates
    setp,
    set,
    pred_and,
    pred_or,
    pred_xor,
    pred_not,
    pred_mov,
    // Control
    bra,
    exit,
    barrier,
    membar,
    trap,
    // Memory
    load,
    store,
    atomic,
    reduce,
    // Across the warp
    shuffle,
    vote,
    match,
    activemask,
    redux,
    // Integer arithmetic with a carry, and sums of four byte products
    add_carry,
    sub_borrow,
    dot4,
    // Sums of two 16-bit by byte products; absolute differences of four bytes, apart or summed
    dot2,
    abs_diff,
    // Waits for lanes of the warp and has no other effect (bar.warp.sync)
    warp_sync,
    // Four words of a texture (texture.h)
    texture,
    // Several words per lane, at equal distances or by indices (instruction.h)
    load_stride,
    store_stride,
    load_indirect,
    store_indirect,
    // Between a kernel's programs: a value goes to a queue of every participating warp, or comes from the warp's own
    enqueue,
    dequeue,
};

enum class Comparison : std::uint8_t { none, eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
/// How a setp's result is combined with its source predicate.
enum class Combine : std::uint8_t { none, bit_and, bit_or, bit_xor };
enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rni, rzi, rmi, rpi, approx, full };
enum class Space : std::uint8_t { none, global, shared, local, constant, generic };
/// Ordering of a memory access (PTX ISA, "Memory Consistency Model"). Weak accesses may hit and merge in L1.
enum class Order : std::uint8_t { weak, volatile_, relaxed, acquire, release, acq_rel, sc };
enum class Scope : std::uint8_t { none, cta, gpu, sys };
/// The effect of a barrier instruction besides counting the warp: wait; go on; wait, and reduce the lanes' predicates.
enum class BarrierKind : std::uint8_t { sync, arrive, popc, bit_and, bit_or };
enum class SpecialRegister : std::uint8_t {
    none,
    tid_x,
    tid_y,
    tid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    laneid,
    warpid,
    nwarpid,
    smid,
    nsmid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    clock,
    clock64,
    globaltimer,
    gridid,
};

}  // namespace lookahead::isa
