#pragma once

#include <cstdint>

#include "components/isa/atomic_op.h"
#include "components/isa/lane_mask.h"
#include "components/isa/operation.h"
#include "components/isa/type.h"

namespace lookahead::isa {

/// Bytes of one machine instruction: program counters are instruction indices times this (Fermi: 8).
inline constexpr unsigned kInstructionBytes = 8;

/// The most registers of one operand: a vector memory instruction's data. Registers of such an operand are aligned to
/// their number, rounded up to a power of two.
inline constexpr unsigned kMostOperandRows = 16;
/// The most rows that an instruction reads or writes: one such operand, and three of a pair each.
inline constexpr unsigned kMostInstructionRows = kMostOperandRows + 3 * 2;
/// The most rows that a vector memory instruction reads or writes: data, indices and an address.
inline constexpr unsigned kMostVectorMemoryRows = 2 * kMostOperandRows + 2;
/// The first register of a vector memory instruction's data or indices is a multiple of this: a register file reads
/// four words of a lane at once, aligned (Crago et al., TACO 2018, section 4.2: "aligned to a 128-bit granularity").
inline constexpr unsigned kVectorMemoryAlignment = 4;

/// Predicate registers P0..P6 and the constant-true PT, as in NVIDIA's machine ISAs.
inline constexpr std::uint8_t kPredicateRegisters = 7;
inline constexpr std::uint8_t kTruePredicate = 7;
inline constexpr std::uint8_t kNoPredicate = 0xff;
inline constexpr std::uint32_t kNoTarget = 0xffffffffu;

/// A source operand. A 64-bit value is in an aligned pair of 32-bit warp registers, low word first.
struct Operand {
    enum class Kind : std::uint8_t {
        none,
        reg,       ///< warp registers index, index+1, ...
        constant,  ///< rows index, index+1, ... of the launch's constant rows (the same value in all lanes)
    };
    Kind kind = Kind::none;
    std::uint8_t rows = 0;  ///< 1 (32 bits or fewer), 2 (64 bits), or up to kMostOperandRows for vectors
    std::uint16_t index = 0;
};

/// One instruction of the machine ISA: the finaliser makes it, the emulator and the SMs execute it. Trivially copyable.
///
/// Operand conventions: ALU operations read source[0..2]; `load` has its address in source[0]; `store` its address in
/// source[0] and its data (vector elements in consecutive rows) in source[1]; `atomic` and `reduce` their address in
/// source[0] and operands in source[1] and source[2] (cas: compare, then swap). `select` picks source[0] where
/// source_predicate holds, else source[1]. Predicate operations read source_predicate and source_predicate2. `barrier`
/// has its number in source[0], or in `mode` without one, and its count of threads in source[1], if any; a reduction
/// reads source_predicate. `shuffle` has its member mask, if any, in source[3]. Vector memory instructions (Crago et
/// al., TACO 2018, section 4.2) access `vector` words a lane, element after element: all lanes' element 0, then all
/// lanes' element 1. Element k is at the address in source[0], plus offset, plus 4 times a signed 32-bit number of
/// elements: k times the stride, or index k. `load_stride` has its stride, `load_indirect` its indices in source[1];
/// `store_stride` and `store_indirect` have their data in source[1] and stride or indices in source[2]. All sources are
/// read before any destination is written, so a destination may be one of them. Of stores to one place the last element
/// wins, and within an element the highest lane. `enqueue` has an address in source[0], with type, vector, space and
/// offset of the access that takes it, or a predicate in source_predicate. `dequeue` sets destination_predicate, and
/// destination_predicate2 to the complement. Values narrower than 32 bits are zero- or sign-extended by their type in
/// one row.
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
    bool yields = false;  ///< branch back in a loop that may wait for other lanes
    /// A load or store without source[0] takes its address from the warp's queue; a branch takes its guard from it,
    /// which is written to destination_predicate first.
    bool dequeues = false;
    std::uint8_t mode = 0;            ///< lop3 table, shuffle or vote mode, barrier number
    std::uint8_t address_window = 0;  ///< high word of a memory address whose operand is one row
    std::uint8_t vector = 1;          ///< elements of a load or store: 1, 2, 4, 8 or 16; vector memory: 4, 8 or 16
    std::uint8_t guard = kTruePredicate;
    bool guard_negated = false;
    std::uint8_t source_predicate = kNoPredicate;
    bool source_predicate_negated = false;
    std::uint8_t source_predicate2 = kNoPredicate;
    bool source_predicate2_negated = false;
    std::uint8_t destination_predicate = kNoPredicate;
    std::uint8_t destination_predicate2 = kNoPredicate;  ///< setp's complement
    std::uint8_t destination_rows = 0;                   ///< 0 if no row is written
    std::uint16_t destination = 0;                       ///< first warp register
    Operand source[4];
    std::int32_t offset = 0;                  ///< displacement of a memory address, bytes
    std::uint32_t target = kNoTarget;         ///< branch: index of the instruction to go to
    std::uint32_t reconvergence = kNoTarget;  ///< branch: immediate post-dominator; kNoTarget: at exit only
    std::uint32_t line = 0;                   ///< line of the PTX file, for messages
};

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

/// Strided and indirect loads and stores.
constexpr bool is_vector_memory(Operation op) {
    return op == Operation::load_stride || op == Operation::store_stride || op == Operation::load_indirect ||
           op == Operation::store_indirect;
}
constexpr bool is_strided(Operation op) {
    return op == Operation::load_stride || op == Operation::store_stride;
}
/// The source of a vector memory instruction that holds its stride, or its indices.
constexpr unsigned pattern_source(Operation op) {
    return op == Operation::load_stride || op == Operation::load_indirect ? 1 : 2;
}

constexpr bool is_load(Operation op) {
    return op == Operation::load || op == Operation::load_stride || op == Operation::load_indirect;
}
constexpr bool is_store(Operation op) {
    return op == Operation::store || op == Operation::store_stride || op == Operation::store_indirect;
}
constexpr bool is_memory(Operation op) {
    return info_of(op).group == OperationGroup::memory;
}

/// Operations that write predicates and nothing else.
constexpr bool sets_predicate(Operation op) {
    return op == Operation::setp || op == Operation::pred_and || op == Operation::pred_or ||
           op == Operation::pred_xor || op == Operation::pred_not || op == Operation::pred_mov;
}

}  // namespace lookahead::isa
