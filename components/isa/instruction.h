#pragma once

#include <cstdint>

namespace lookahead::isa {

inline constexpr unsigned kWarpSize = 32;
/// One bit a lane; bit 0 is lane 0.
using LaneMask = std::uint32_t;
inline constexpr LaneMask kFullMask = 0xffffffffu;

/// Bytes of one machine instruction: program counters are instruction indices times this (Fermi: 8).
inline constexpr unsigned kInstructionBytes = 8;

/// Predicate registers P0..P6 and the constant-true PT, as in NVIDIA's machine ISAs.
inline constexpr std::uint8_t kPredicateRegisters = 7;
inline constexpr std::uint8_t kTruePredicate = 7;
inline constexpr std::uint8_t kNoPredicate = 0xff;
inline constexpr std::uint32_t kNoTarget = 0xffffffffu;

enum class Type : std::uint8_t {
    none,
    b8,
    b16,
    b32,
    b64,
    u8,
    u16,
    u32,
    u64,
    s8,
    s16,
    s32,
    s64,
    f16,
    f16x2,
    f32,
    f64,
    pred
};

/// What a machine instruction does; with its Type and modifiers it names one handler.
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
    // Waits for lanes of the warp, and does nothing else (bar.warp.sync)
    warp_sync,
    // Four words of a texture (texture.h)
    texture,
};

enum class Comparison : std::uint8_t { none, eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
/// How a setp's result is combined with its source predicate.
enum class Combine : std::uint8_t { none, bit_and, bit_or, bit_xor };
enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rni, rzi, rmi, rpi, approx, full };
enum class Space : std::uint8_t { none, global, shared, local, constant, generic };
/// Ordering of a memory access (PTX ISA, "Memory Consistency Model"). Weak accesses may hit and merge in L1.
enum class Order : std::uint8_t { weak, volatile_, relaxed, acquire, release, acq_rel, sc };
enum class Scope : std::uint8_t { none, cta, gpu, sys };
/// What a barrier instruction does beside counting the warp: wait; go on; wait, and reduce the lanes' predicates.
enum class BarrierKind : std::uint8_t { sync, arrive, popc, bit_and, bit_or };
enum class AtomicOp : std::uint8_t { none, add, min, max, inc, dec, bit_and, bit_or, bit_xor, exch, cas };
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
};

/// A source operand. A 64-bit value stands in an aligned pair of 32-bit warp registers, low word first.
struct Operand {
    enum class Kind : std::uint8_t {
        none,
        reg,       ///< warp registers index, index+1, ...
        constant,  ///< rows index, index+1, ... of the launch's constant rows (the same value in all lanes)
    };
    Kind kind = Kind::none;
    std::uint8_t rows = 0;  ///< 1 (32 bits or fewer), 2 (64 bits), or up to 4 for vectors
    std::uint16_t index = 0;
};

/// One instruction of the machine ISA: what the finaliser makes, the emulator and the SMs execute. Trivially copyable.
///
/// Operand conventions: ALU operations read source[0..2]; `load` has its address in source[0]; `store` its address
/// in source[0] and its data (vector elements in consecutive rows) in source[1]; `atomic` and `reduce` their address
/// in source[0] and operands in source[1] and source[2] (cas: compare, then swap). `select` picks source[0] where
/// source_predicate holds, else source[1]. Predicate operations read source_predicate and source_predicate2.
/// `barrier` has its number in source[0], or in `mode` without one, and its count of threads in source[1], if any; a
/// reduction reads source_predicate. `shuffle` has its member mask, if any, in source[3].
/// Values narrower than 32 bits stand zero- or sign-extended by their type in one row.
struct Instruction {
    Operation operation = Operation::nop;
    Type type = Type::none;         ///< of the operation; of the result for `convert`
    Type source_type = Type::none;  ///< of the source for `convert`, mul_wide and mad_wide
    Comparison comparison = Comparison::none;
    Combine combine = Combine::none;
    Rounding rounding = Rounding::none;
    bool flush_to_zero = false;
    bool saturate = false;
    Space space = Space::none;
    Order order = Order::weak;
    Scope scope = Scope::none;
    AtomicOp atomic = AtomicOp::none;
    SpecialRegister special = SpecialRegister::none;
    BarrierKind barrier = BarrierKind::sync;
    bool yields = false;              ///< branch back in a loop that may wait for other lanes
    std::uint8_t mode = 0;            ///< lop3 table, shuffle or vote mode, barrier number
    std::uint8_t address_window = 0;  ///< high word of a memory address whose operand is one row
    std::uint8_t vector = 1;          ///< elements of a load or store: 1, 2 or 4
    std::uint8_t guard = kTruePredicate;
    bool guard_negated = false;
    std::uint8_t source_predicate = kNoPredicate;
    bool source_predicate_negated = false;
    std::uint8_t source_predicate2 = kNoPredicate;
    bool source_predicate2_negated = false;
    std::uint8_t destination_predicate = kNoPredicate;
    std::uint8_t destination_predicate2 = kNoPredicate;  ///< setp's complement
    std::uint8_t destination_rows = 0;                   ///< 0 where nothing is written
    std::uint16_t destination = 0;                       ///< first warp register
    Operand source[4];
    std::int32_t offset = 0;                  ///< displacement of a memory address, bytes
    std::uint32_t target = kNoTarget;         ///< branch: index of the instruction to go to
    std::uint32_t reconvergence = kNoTarget;  ///< branch: immediate post-dominator; kNoTarget: at exit only
    std::uint32_t line = 0;                   ///< line of the PTX file, for messages
};

/// Bytes of one element of `type`: 1, 2, 4 or 8.
constexpr unsigned type_bytes(Type type) {
    switch (type) {
        case Type::b8:
        case Type::u8:
        case Type::s8:
            return 1;
        case Type::b16:
        case Type::u16:
        case Type::s16:
        case Type::f16:
            return 2;
        case Type::b64:
        case Type::u64:
        case Type::s64:
        case Type::f64:
            return 8;
        default:
            return 4;
    }
}

/// Warp registers that one element of `type` takes.
constexpr unsigned type_rows(Type type) {
    return type_bytes(type) == 8 ? 2 : 1;
}

/// The source that holds the mask of the lanes that must execute the instruction together (PTX ISA, "shfl.sync",
/// "vote.sync", "match.sync", "redux.sync", "bar.warp.sync"); -1: it has none.
constexpr int member_source(const Instruction& instruction) {
    int source = -1;
    switch (instruction.operation) {
        case Operation::warp_sync:
        case Operation::vote:
            source = 0;
            break;
        case Operation::match:
        case Operation::redux:
            source = 1;
            break;
        case Operation::shuffle:
            source = 3;
            break;
        default:
            return -1;
    }
    return instruction.source[source].kind == Operand::Kind::none ? -1 : source;
}

constexpr bool is_memory(Operation op) {
    return op == Operation::load || op == Operation::store || op == Operation::atomic || op == Operation::reduce;
}

}  // namespace lookahead::isa
