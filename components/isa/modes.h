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
/// the comparison of the low words, is the result (ISETP.EX).
enum class CompareMode : std::uint8_t { plain, extended };

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

/// `prmt`: source[0] and source[1] the eight bytes, source[2] the selector.
enum class PermuteMode : std::uint8_t { generic, f4e, b4e, rc8, ecl, ecr, rc16 };

}  // namespace lookahead::isa
