#pragma once

#include <cstdint>

#include "components/isa/instruction_bytes.h"
#include "components/isa/instruction_form.h"
#include "components/isa/operand.h"

namespace lookahead::isa {

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
/// one row. A `bra` with source[0] goes to the address in its low word plus offset. A memory instruction of native code
/// may have a uniform base of one or two rows in source[3] (add_base). A branch with a source_predicate is taken, and a
/// convergence barrier is left, where both the guard and it hold.
struct Instruction : InstructionForm {
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
    Operand source[4] = {};
    std::uint32_t target = kNoTarget;         ///< branch: index of the instruction to go to
    std::uint32_t reconvergence = kNoTarget;  ///< branch: immediate post-dominator; kNoTarget: at exit only
};

/// The instruction of which an AluHandler was given the form.
inline const Instruction& instruction_of(const InstructionForm& form) {
    return static_cast<const Instruction&>(form);
}

}  // namespace lookahead::isa
