#pragma once

#include <cstdint>

namespace lookahead::isa {

/// Meanings of Instruction::mode, and the operands of operations with a mode, if they are not obvious. (lop3: the
/// table; barrier: the barrier's number, if source[0] does not have it.)

/// `shuffle`: source[0] value, source[1] lane or distance, source[2] PTX's c operand (clamp and segment
/// mask). destination_predicate, if any, tells whether the source lane was in range. A lane that reads a lane which
/// does not execute the shuffle gets the value of that lane's register.
enum class ShuffleMode : std::uint8_t { up, down, bfly, idx };

/// `vote`: source_predicate is the vote; source[0], if any, the member mask. ballot writes its destination
/// row, the others their destination_predicate.
enum class VoteMode : std::uint8_t { all, any, uni, ballot };

/// `match` (type b32 or b64): source[0] value; source[1], if any, the member mask. Writes a lane mask; `all`
/// also the destination_predicate, if any.
enum class MatchMode : std::uint8_t { any, all };

/// `shf_l`, `shf_r`: source[0] low word, source[1] high word, source[2] amount. `wide`: one word of a 64-bit shift by
/// any amount, the high one of a shift to the left, the low one of a shift to the right (by the type: s32 brings in the
/// sign), as NVIDIA's SHF.L.U64.HI and SHF.R.U64 do.
enum class ShiftMode : std::uint8_t { clamp, wrap, wide };

/// `setp` of u32 and s32: `extended` compares the high words of 64-bit values; where they are equal, source_predicate2,
/// the comparison of the low words, is the result (ISETP.EX). For f64, `least` and `greatest` tell whether the first
/// source is the lesser or the greater one, where a number is chosen before a NaN; the second result tells whether both
/// are NaN (DSETP.MIN, .MAX).
enum class CompareMode : std::uint8_t { plain, extended, least, greatest };

/// `bfind`: position of the bit, or the shift that would bring it to the top (.shiftamt).
enum class FindMode : std::uint8_t { position, shift_amount };

/// `redux`: source[0] value, source[1], if any, the member mask; Instruction::atomic is the operation. `add_carry` and
/// `sub_borrow`: source_predicate is the carry in, destination_predicate, if any, the carry out; a difference's carry
/// is that of a + ~b + 1, set without a borrow (nvcc's 128-bit division adds it with addc). `dot4`: source[0] and
/// source[1] four bytes each, signed as the mode's bits 0 and 1 say, source[2] the addend.
inline constexpr std::uint8_t kDotFirstSigned = 1;
inline constexpr std::uint8_t kDotSecondSigned = 2;
/// `dot2`: source[0] two 16-bit values, source[1] four bytes, of which the lower two, or with this bit the upper two,
/// are used; source[2] the addend.
inline constexpr std::uint8_t kDotUpperHalf = 4;
/// `abs_diff`: source[0] and source[1] four bytes each, or with kDiffHalves two 16-bit values, signed as kDot… say;
/// source[2] the addend of the sum of the differences. Without kDiffSum the differences are the result, and `saturate`
/// clamps them to the range of a byte or half, signed or unsigned.
inline constexpr std::uint8_t kDiffSum = 4;
inline constexpr std::uint8_t kDiffResultSigned = 8;
inline constexpr std::uint8_t kDiffHalves = 16;

/// `trap`: ends the kernel with an error. An assertion has in source[0] the addresses of its expression and its file,
/// in source[1] that of its function and the line: four and three rows. An indirect call has in source[0] the invalid
/// address. `stack`: the frames of recursive functions need more than kCallStackBytes.
enum class TrapMode : std::uint8_t { plain, assertion, call, stack };

/// `enqueue`, `dequeue`: the entries of the queue. `data` is the address of a load whose bytes are requested when it is
/// enqueued, `address` that of any other access; one queue of a warp holds both in the program's order, another its
/// predicates. A `dequeue` instruction takes predicates only: the access dequeues its own address
/// (Instruction::dequeues). `lanes` goes the other way, from the warps: a branch's predicate, one bit per lane.
enum class QueueMode : std::uint8_t { address, data, predicate, lanes };

/// Modifiers of native code's sources (InstructionForm::modifiers); bit i of each group is for source i: it is negated
/// (complemented in a logical operation or one with a carry in), its absolute value is taken, or the lower or the upper
/// half of a 16-bit pair is used for both. A negated absolute value has both bits.
inline constexpr std::uint16_t kNegated = 1;
inline constexpr std::uint16_t kAbsolute = 1 << 4;
inline constexpr std::uint16_t kLowHalf = 1 << 8;
inline constexpr std::uint16_t kHighHalf = 1 << 12;

/// `iadd3`, `lea`, `mad_carry`: source_predicate (and for iadd3 source_predicate2) is a carry in, and negated sources
/// are complemented. destination_predicate is the carry out; if iadd3 has two, both hold for a carry of 2.
inline constexpr std::uint8_t kWithCarry = 1;
/// `lea`: source[1] plus source[0] shifted to the left by Instruction::offset; with `kLeaHigh` the high word of the
/// pair (source[0], source[2]), or of source[0] extended by its sign, shifted so.
inline constexpr std::uint8_t kLeaHigh = 2;
inline constexpr std::uint8_t kLeaSignExtends = 4;

/// `funnel_shift`: the pair of source[0] (low) and source[2] shifted by source[1], which counts modulo the width, or up
/// to it. The result is the low or the high word of the shifted pair.
inline constexpr std::uint8_t kShiftRight = 1;
inline constexpr std::uint8_t kShiftHigh = 2;
inline constexpr std::uint8_t kShiftWraps = 4;
inline constexpr std::uint8_t kShiftSigned = 8;
inline constexpr std::uint8_t kShiftWide = 16;  ///< the width is 64, otherwise 32

/// `mad_high_pair` (u32, s32): the high word of the product plus the 64 bits of source[2].
/// `mark` has no effect: waits and hints of native code, which take an issue slot.
/// `open_barrier`, `leave_barrier`: the mode is the number of the convergence barrier; the former's target is the place
/// where its lanes meet (SimtState::open, leave).
/// `lop3_test`: Instruction::mode is the table; destination_predicate tells whether the result is not 0, combined with
/// source_predicate as Instruction::combine says.
/// `pred_lop3`: Instruction::mode is the table of source_predicate, source_predicate2 and, if there is a
/// destination_predicate2, that one's value, which stays; Instruction::vector is 0 if it is taken negated.
/// `pred_pack`: source[0] with the bits of Instruction::offset set if source_predicate holds, else cleared.
/// `choose_extreme`, `add_extreme`, `extreme_of_3` (u32, s32, f32): the lesser where source_predicate holds, else the
/// greater, of source[0] and source[1]; of their sum and source[2]; of all three.
/// `choose_extreme` of u16 and s16 takes pairs of them.
/// `choose_extreme` of f32 with kPassesNan: NaN if either source is, as .NAN says.
inline constexpr std::uint8_t kPassesNan = 1;
/// `scaled_product` of f32: the product times 2 to the power of Instruction::offset, rounded once.

/// `rcp` and `rsqrt` of f64 with kHighWord: of the high word alone, in one row, from which Newton iterations start.
inline constexpr std::uint8_t kHighWord = 1;
/// `sin` and `cos` with kTurns: of 2 pi times the source.
inline constexpr std::uint8_t kTurns = 1;

/// A memory instruction in shared memory with 32-bit addresses: the mode is the number of places by which source[0] is
/// shifted to the left, as NVIDIA's [R0.X4] is.
/// `prmt`: source[0] and source[1] the eight bytes, source[2] the selector.
enum class PermuteMode : std::uint8_t { generic, f4e, b4e, rc8, ecl, ecr, rc16 };

}  // namespace lookahead::isa
