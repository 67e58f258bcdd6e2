#pragma once

#include <cstdint>
#include <string_view>

namespace lookahead::ptx {

/// Instructions that the parser accepts. A trailing underscore avoids a C++ keyword.
/// `add` stands for integer, floating-point and carry-out forms alike: the modifiers tell.
enum class Opcode : std::uint8_t {
    // integer and floating-point arithmetic
    abs,
    add,
    addc,
    bfe,
    bfi,
    bfind,
    bmsk,
    brev,
    clz,
    copysign,
    cos,
    div,
    dp2a,
    dp4a,
    ex2,
    fma,
    fns,
    lg2,
    mad,
    mad24,
    madc,
    max,
    min,
    mul,
    mul24,
    neg,
    popc,
    rcp,
    rem,
    rsqrt,
    sad,
    sin,
    sqrt,
    sub,
    subc,
    tanh,
    testp,
    vabsdiff2,
    vabsdiff4,
    // logic and shifts
    and_,
    cnot,
    lop3,
    not_,
    or_,
    prmt,
    shf,
    shl,
    shr,
    xor_,
    // comparison and selection
    selp,
    set,
    setp,
    slct,
    // data movement
    cvt,
    cvta,
    isspacep,
    ld,
    ld_indirect,
    ld_stride,
    ldu,
    mov,
    prefetch,
    prefetchu,
    st,
    st_indirect,
    st_stride,
    suld,
    sust,
    tex,
    tld4,
    // control
    bra,
    brx_idx,
    call,
    exit,
    ret,
    trap,
    brkpt,
    // synchronisation
    bar,
    bar_warp_sync,
    barrier,
    fence,
    membar,
    nanosleep,
    // warp-wide
    activemask,
    match,
    redux,
    shfl,
    vote,
    // atomics
    atom,
    red,
};

/// PTX's word, without modifiers: "and", "brx.idx", "bar.warp.sync".
std::string_view name_of(Opcode opcode);

}  // namespace lookahead::ptx
