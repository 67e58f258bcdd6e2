#include <bit>

#include "components/isa/handler_groups.h"
#include "components/isa/instruction.h"
#include "components/isa/lanes.h"
#include "components/isa/modes.h"

namespace lookahead::isa {
namespace {

/// The lane that `lane` reads, and whether it is in range (PTX ISA, shfl). `clamp_operand`: bits 0-4 are the clamp
/// value, bits 8-12 the mask that divides the warp into segments.
struct ShuffleSource {
    unsigned lane;
    bool in_range;
};

template <ShuffleMode kMode>
ShuffleSource shuffle_source(unsigned lane, std::uint32_t lane_operand, std::uint32_t clamp_operand) {
    const int b = lane_operand & 0x1f;
    const int segment = clamp_operand >> 8 & 0x1f;
    const int clamp = clamp_operand & 0x1f;
    const int self = static_cast<int>(lane);
    const int last = (self & segment) | (clamp & ~segment);
    const int first = self & segment;
    int from = 0;
    bool in_range = false;
    switch (kMode) {
        case ShuffleMode::up:
            from = self - b;
            in_range = from >= last;
            break;
        case ShuffleMode::down:
            from = self + b;
            in_range = from <= last;
            break;
        case ShuffleMode::bfly:
            from = self ^ b;
            in_range = from <= last;
            break;
        case ShuffleMode::idx:
            from = first | (b & ~segment);
            in_range = from <= last;
            break;
    }
    return {static_cast<unsigned>(in_range ? from : self), in_range};
}

template <ShuffleMode kMode>
void shuffle(OperandRows& rows, LaneMask active, const InstructionForm&) {
    alignas(32) std::uint32_t result[kWarpSize];
    LaneMask in_range = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const ShuffleSource from = shuffle_source<kMode>(lane, rows.source[1][0][lane], rows.source[2][0][lane]);
        result[lane] = rows.source[0][0][from.lane];
        in_range |= LaneMask{from.in_range} << lane;
    }
    blend_rows(rows.destination[0], active, result, rows.destination[0]);
    rows.destination_predicate = merge_lanes(rows.destination_predicate, in_range, active);
}

/// Lanes that participate in `lane`'s vote or match: they execute it and are in the lane's member mask.
LaneMask members(const std::uint32_t* member_masks, LaneMask active, unsigned lane) {
    return member_masks == nullptr ? active : active & member_masks[lane];
}

const std::uint32_t* member_masks(const OperandRows& rows, const InstructionForm& instruction, unsigned source) {
    return instruction_of(instruction).source[source].kind == Operand::Kind::none ? nullptr : rows.source[source][0];
}

template <VoteMode kMode>
void vote(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    const std::uint32_t* const masks = member_masks(rows, instruction, 0);
    const LaneMask votes = rows.source_predicate;
    alignas(32) std::uint32_t ballot[kWarpSize];
    LaneMask result = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const LaneMask voters = members(masks, active, lane);
        const LaneMask yes = votes & voters;
        ballot[lane] = yes;
        const bool all = yes == voters, any = yes != 0;
        const bool holds = kMode == VoteMode::all ? all : kMode == VoteMode::any ? any : all || !any;
        result |= LaneMask{holds} << lane;
    }
    const LaneMask written = instruction.uniform ? kFullMask : active;
    if (kMode == VoteMode::ballot) {
        blend_rows(rows.destination[0], written, ballot, rows.destination[0]);
    } else {
        rows.destination_predicate = merge_lanes(rows.destination_predicate, result, written);
    }
}

template <class T, MatchMode kMode>
void match(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    const std::uint32_t* const masks = member_masks(rows, instruction, 1);
    const SourceRow<T> values(rows.source[0]);
    alignas(32) std::uint32_t result[kWarpSize];
    LaneMask agreed = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        LaneMask equal = 0;
        for (unsigned other = 0; other < kWarpSize; ++other) {
            equal |= LaneMask{values[other] == values[lane]} << other;
        }
        const LaneMask compared = members(masks, active, lane);
        const bool all = (equal & compared) == compared;
        agreed |= LaneMask{all} << lane;
        result[lane] = kMode == MatchMode::any ? equal & compared : all ? compared : 0;
    }
    blend_rows(rows.destination[0], active, result, rows.destination[0]);
    if (kMode == MatchMode::all) {
        rows.destination_predicate = merge_lanes(rows.destination_predicate, agreed, active);
    }
}

void active_mask(OperandRows& rows, LaneMask active, const InstructionForm&) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        rows.destination[0][lane] = (active >> lane & 1) ? active : rows.destination[0][lane];
    }
}

/// Lanes with the same members get the same result, so most lanes take the result of the lane before.
template <class T>
void reduce(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    const std::uint32_t* const masks = member_masks(rows, instruction, 1);
    alignas(32) std::uint32_t result[kWarpSize] = {};
    LaneMask last = 0;
    std::uint32_t last_result = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const LaneMask mine = members(masks, active, lane);
        if (mine != last) {
            const auto first = static_cast<unsigned>(std::countr_zero(mine));
            T value = static_cast<T>(rows.source[0][0][first]);
            for (LaneMask left = mine & (mine - 1); left != 0; left &= left - 1) {
                value =
                    apply_integer(instruction.atomic, value, static_cast<T>(rows.source[0][0][std::countr_zero(left)]));
            }
            last_result = static_cast<std::uint32_t>(value);
            last = mine;
        }
        result[lane] = last_result;
    }
    blend_rows(rows.destination[0], instruction.uniform ? kFullMask : active, result, rows.destination[0]);
}

AluHandler select_shuffle(ShuffleMode mode) {
    using enum ShuffleMode;
    return with_one_of<up, down, bfly, idx>(mode, []<ShuffleMode kMode>() { return shuffle<kMode>; });
}

AluHandler select_vote(VoteMode mode) {
    using enum VoteMode;
    return with_one_of<all, any, uni, ballot>(mode, []<VoteMode kMode>() { return vote<kMode>; });
}

AluHandler select_match(const InstructionForm& instruction) {
    const bool wide = type_rows(instruction.type) == 2;
    if (static_cast<MatchMode>(instruction.mode) == MatchMode::any) {
        return wide ? match<std::uint64_t, MatchMode::any> : match<std::uint32_t, MatchMode::any>;
    }
    return wide ? match<std::uint64_t, MatchMode::all> : match<std::uint32_t, MatchMode::all>;
}

}  // namespace

AluHandler select_warp(const InstructionForm& instruction) {
    switch (instruction.operation) {
        case Operation::shuffle:
            return select_shuffle(static_cast<ShuffleMode>(instruction.mode));
        case Operation::vote:
            return select_vote(static_cast<VoteMode>(instruction.mode));
        case Operation::match:
            return select_match(instruction);
        case Operation::activemask:
            return active_mask;
        case Operation::redux:
            return instruction.type == Type::s32 ? reduce<std::int32_t> : reduce<std::uint32_t>;
        default:
            return nullptr;
    }
}

}  // namespace lookahead::isa
