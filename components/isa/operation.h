#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lookahead::isa {

/// The operation of a machine instruction (operations.def); with its Type and modifiers it names one handler.
enum class Operation : std::uint8_t {
#define OPERATION(name, text, group, operands) name,
#include "components/isa/operations.def"
};

/// Operations that are timed and counted alike, apart from their types.
enum class OperationGroup : std::uint8_t {
    none,  ///< has no result
    move,
    convert,
    add,  ///< and what takes as long
    compare,
    min_max,
    multiply,
    mad,
    divide,
    root,  ///< reciprocals and square roots
    special,
    logic,
    predicate,
    branch,
    exit,
    barrier,
    fence,
    trap,
    memory,
    texture,
    exchange,  ///< values of other lanes
    vote,      ///< predicates of other lanes
};

struct OperationInfo {
    std::string_view text;
    OperationGroup group;
    std::string_view operands;
};
inline constexpr OperationInfo kOperations[] = {
#define OPERATION(name, text, group, operands) {text, OperationGroup::group, operands},
#include "components/isa/operations.def"
};
constexpr const OperationInfo& info_of(Operation operation) {
    return kOperations[static_cast<std::size_t>(operation)];
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

/// The source for the mask of the lanes that must execute an instruction together (PTX ISA, "shfl.sync", "vote.sync",
/// "match.sync", "redux.sync", "bar.warp.sync"); -1: the operation has none.
constexpr int member_source(Operation op) {
    switch (op) {
        case Operation::warp_sync:
        case Operation::vote:
            return 0;
        case Operation::match:
        case Operation::redux:
            return 1;
        case Operation::shuffle:
            return 3;
        default:
            return -1;
    }
}

enum class Comparison : std::uint8_t { none, eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
/// How a setp's result is combined with its source predicate.
enum class Combine : std::uint8_t { none, bit_and, bit_or, bit_xor };
enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rni, rzi, rmi, rpi, approx, full };
enum class AtomicOp : std::uint8_t { none, add, min, max, inc, dec, bit_and, bit_or, bit_xor, exch, cas };
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
