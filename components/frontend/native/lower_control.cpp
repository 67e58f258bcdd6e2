// The warp, the CTA and control flow.
#include "components/frontend/native/lowering.h"
#include "components/isa/instruction.h"
#include "components/isa/modes.h"
#include "core/bits/one_of.h"

namespace lookahead::native {
namespace {

using isa::Operation;
using isa::Type;

constexpr unsigned kBarrierResult = 4;  ///< the temporary row

/// SHFL, VOTE, MATCH.
bool is_exchange(unsigned number) {
    return is_one_of(number, 0x189u, 0x006u, 0x1a1u);
}
/// Branches, exits, barriers: after them other lanes may run.
bool is_control(unsigned number) {
    return (number >= 0x140 && number <= 0x15d) || is_one_of(number, 0x11bu, 0x11du);
}

}  // namespace

void Lowering::barrier(const Native& from) {
    const Word& word = from.word;
    const std::uint64_t kind = word.bits(77, 3), combined = word.bits(74, 2), form = word.bits(9, 3);
    if (kind > 2 || combined > 2) { refuse("this barrier is not supported"); }
    Machine to = begin(from, Operation::barrier, Type::none);
    to.barrier = kind == 0 ? isa::BarrierKind::sync : kind == 1 ? isa::BarrierKind::arrive : isa::BarrierKind::popc;
    // A register has the number in its lower half, the count of threads in its upper one.
    const bool known_number = form == 4 || form == 5, known_count = form == 2 || form == 5;
    const isa::Operand in_register = operands_.reg(from.reg(32), 1);
    const auto half = [&](Operation operation, std::uint32_t by, unsigned number) {
        Machine part = begin(from, operation, operation == Operation::shr ? Type::u32 : Type::b32);
        part.source[0] = in_register;
        part.source[1] = operands_.literals({by});
        operands_.set_temporary(part, number);
        emit(part);
        return operands_.temporary(number);
    };
    to.mode = known_number ? static_cast<std::uint8_t>(word.bits(54, 4)) : 0;
    if (!known_number) { to.source[0] = half(Operation::bit_and, 0xffff, 0); }
    const auto count = static_cast<std::uint32_t>(word.bits(42, 12));
    if (!known_count) { to.source[1] = half(Operation::shr, 16, 1); }
    if (known_count && count != 0) { to.source[1] = operands_.literals({count}); }
    if (kind != 2) { return emit(to); }
    // All hold if the number of those that do not is 0.
    to.type = Type::u32;
    set_predicate(from, to, 87);
    if (combined == 1) { to.source_predicate_negated = !to.source_predicate_negated; }
    operands_.set_temporary(to, kBarrierResult);
    emit(to);
    if (combined != 1) { return; }
    for (const Operation operation : {Operation::min, Operation::bit_xor}) {
        Machine part = begin(from, operation, operation == Operation::min ? Type::u32 : Type::b32);
        part.source[0] = operands_.temporary(kBarrierResult);
        part.source[1] = operands_.literals({1});
        operands_.set_temporary(part, kBarrierResult);
        emit(part);
    }
}

bool Lowering::lower_warp(const Native& from) {
    const Word& word = from.word;
    switch (from.opcode->number) {
        case 0x189: {
            constexpr isa::ShuffleMode kModes[] = {isa::ShuffleMode::idx, isa::ShuffleMode::up, isa::ShuffleMode::down,
                                                   isa::ShuffleMode::bfly};
            const std::uint64_t form = word.bits(9, 3);
            const bool known_lane = form == 4 || form == 7, known_clamp = form == 2 || form == 7;
            Machine to = begin(from, Operation::shuffle, Type::b32);
            to.mode = static_cast<std::uint8_t>(kModes[word.bits(58, 2)]);
            to.source[0] = operands_.reg(from.reg(24), 1);
            to.source[1] = known_lane ? operands_.literals({static_cast<std::uint32_t>(word.bits(53, 5))})
                                      : operands_.reg(from.reg(32), 1);
            to.source[2] = known_clamp ? operands_.literals({static_cast<std::uint32_t>(word.bits(40, 13))})
                                       : operands_.reg(from.reg(64), 1);
            to.destination_predicate = written_predicate(from, 81);
            set_result(from, to);
            to.source[3] = members();
            emit(to);
            return true;
        }
        case 0x006:
        case 0x086: {
            constexpr isa::VoteMode kModes[] = {isa::VoteMode::all, isa::VoteMode::any, isa::VoteMode::uni,
                                                isa::VoteMode::uni};
            const bool uniform = from.opcode->number == 0x086;
            const std::uint32_t number = uniform ? from.uniform(16) : from.reg(16);
            const bool ballots = number != (uniform ? from.uniform_zero() : kZeroRegister);
            Machine to = begin(from, Operation::vote, Type::none);
            to.uniform = uniform;
            to.source[0] = members();
            set_predicate(from, to, 87);
            // The ballot first: the other result may be the predicate that both read.
            if (ballots) {
                Machine ballot = to;
                ballot.type = Type::b32;
                ballot.mode = static_cast<std::uint8_t>(isa::VoteMode::ballot);
                if (uniform) {
                    operands_.set_uniform_result(ballot, number);
                } else {
                    operands_.set_result(ballot, number);
                }
                emit(ballot);
            }
            if (written_predicate(from, 81) != isa::kNoPredicate) {
                to.mode = static_cast<std::uint8_t>(kModes[word.bits(72, 2)]);
                to.destination_predicate = written_predicate(from, 81);
                emit(to);
            }
            return true;
        }
        case 0x1a1: {
            const unsigned rows = word.bit(73) ? 2 : 1;
            Machine to = begin(from, Operation::match, rows == 2 ? Type::b64 : Type::b32);
            to.mode = static_cast<std::uint8_t>(word.bit(79) ? isa::MatchMode::any : isa::MatchMode::all);
            to.source[0] = operands_.reg(from.reg(24), rows);
            to.source[1] = members();
            to.destination_predicate = written_predicate(from, 81);
            set_result(from, to);
            emit(to);
            return true;
        }
        case 0x1c4: {
            using enum isa::AtomicOp;
            constexpr isa::AtomicOp kOperations[] = {bit_and, bit_or, bit_xor, add, min, max, none, none};
            Machine to = begin(from, Operation::redux, word.bit(73) ? Type::s32 : Type::u32);
            to.atomic = kOperations[word.bits(78, 3)];
            if (to.atomic == none) { refuse("this operation is not known"); }
            to.uniform = true;
            to.source[0] = operands_.reg(from.reg(24), 1);
            operands_.set_uniform_result(to, from.uniform(16));
            emit(to);
            return true;
        }
        case 0x0cc: {
            Machine to = begin(from, Operation::redux, word.bit(73) ? Type::s32 : Type::u32);
            to.atomic = word.bit(79) ? isa::AtomicOp::min : isa::AtomicOp::max;
            if (word.bits(74, 5) != 0) { refuse("this operation is not known"); }
            to.uniform = true;
            to.source[0] = operands_.reg(from.reg(24), 1);
            operands_.set_uniform_result(to, from.uniform(16));
            emit(to);
            return true;
        }
        case 0x11c: {
            if (word.bits(77, 2) != 2) { refuse("only the result of a reduction is read"); }
            if (from.reg(16) != kZeroRegister) {
                Machine to = begin(from, Operation::mov, Type::b32);
                to.source[0] = operands_.temporary(kBarrierResult);
                set_result(from, to);
                emit(to);
            }
            if (written_predicate(from, 81) != isa::kNoPredicate) {
                Machine to = begin(from, Operation::setp, Type::u32);
                to.comparison = isa::Comparison::ne;
                to.source[0] = operands_.temporary(kBarrierResult);
                to.source[1] = operands_.literals({0});
                to.destination_predicate = written_predicate(from, 81);
                emit(to);
            }
            return true;
        }
        case 0x11d:
            barrier(from);
            return true;
        case 0x148:
            synchronise_warp(from);
            return true;
        default:
            return false;
    }
}

/// WARPSYNC: the lanes of the mask meet. If the instructions after it exchange values, these are where they meet,
/// because lanes may come from several places (with .COLLECTIVE, until ENDCOLLECTIVE), and because lanes with other
/// masks have an exchange of their own.
void Lowering::synchronise_warp(const Native& from) {
    constexpr std::uint64_t kAll = 4;  // Form: WARPSYNC.ALL
    const Word& word = from.word;
    const bool since_hopper = cubin_.architecture >= 90;
    if (since_hopper && word.bits(9, 3) == kAll) {
        members_ = operands_.literals({0xffffffffu});
    } else {
        members_ = since_hopper ? operands_.reg(from.reg(24)) : operand(from, from.b, 1);
    }
    const auto overwrites = [&](const Native& each) {
        constexpr std::uint32_t kMostRows = 4;
        const std::string_view operands = each.opcode->operands;
        const bool writes = operands.starts_with("d ") || operands.find(" d ") != std::string_view::npos;
        return members_.kind == isa::Operand::Kind::reg && writes && members_.index - each.reg(16) < kMostRows;
    };
    bool exchanges = false;
    for (members_end_ = place_ + 1; members_end_ < code_.size(); ++members_end_) {
        const Native& each = code_[members_end_];
        if (each.opcode == nullptr || is_control(each.opcode->number)) { break; }
        exchanges |= is_exchange(each.opcode->number);
        if (overwrites(each)) {
            ++members_end_;
            break;
        }
    }
    Machine to = begin(from, exchanges ? Operation::mark : Operation::warp_sync, Type::none);
    if (!exchanges) { to.source[0] = members_; }
    emit(to);
}

isa::Operand Lowering::members() const {
    return place_ < members_end_ ? members_ : isa::Operand{};
}

/// BRA.DIV: taken if the lanes that execute it are not those of the mask.
void Lowering::branch_if_diverged(const Native& from) {
    const Word& word = from.word;
    const std::uint32_t number = cubin_.architecture >= 100 ? from.uniform(24) : from.uniform(24) & 63;
    const bool inverted = cubin_.architecture < 100 && word.bit(30);
    if (inverted && number != from.uniform_zero()) { refuse("the complement of a mask is not supported"); }
    Machine active = begin(from, Operation::activemask, Type::b32);
    operands_.set_temporary(active, 0);
    emit(active);
    Machine differs = begin(from, Operation::setp, Type::u32);
    differs.comparison = isa::Comparison::ne;
    differs.source[0] = operands_.temporary(0);
    differs.source[1] = inverted ? operands_.literals({0xffffffffu}) : operands_.uniform(number);
    differs.destination_predicate = kSparePredicate;
    emit(differs);
    Machine to = begin(from, Operation::bra, Type::none);
    to.source_predicate = kSparePredicate;
    set_target(from);
    emit(to);
}

/// The sum of a register, the offset and the next instruction's address.
void Lowering::set_computed_target(const Native& from, Machine& to) {
    to.source[0] = operands_.reg(from.reg(24), 1);
    to.offset =
        static_cast<std::int32_t>((std::int64_t{place_} + 1) * isa::kNativeInstructionBytes + from.branch_offset());
}

/// Of the instruction that is emitted next.
void Lowering::set_target(const Native& from) {
    const std::int64_t target = std::int64_t{place_} + 1 + from.branch_offset() / isa::kNativeInstructionBytes;
    if (from.branch_offset() % isa::kNativeInstructionBytes != 0 || target < 0 ||
        target >= static_cast<std::int64_t>(kernel_.code.size())) {
        refuse("it goes outside the kernel");
    }
    targets_.resize(to_.code.size() + 1, isa::kNoTarget);
    targets_.back() = static_cast<std::uint32_t>(target);
}

bool Lowering::lower_control(const Native& from) {
    const Word& word = from.word;
    const auto condition = [&](Machine& to) {
        const bool by_uniform = from.opcode->number == 0x147 && word.bits(9, 3) == 2;
        const unsigned bit = by_uniform ? 24 : 87;
        if (word.bits(bit, 3) == kTrue && !word.bit(bit + 3)) { return; }
        if (to.guard != isa::kTruePredicate || to.guard_negated) {
            const bool may = to.source[0].kind == isa::Operand::Kind::none;
            if (!may || by_uniform) { refuse("two conditions are not supported"); }
            return set_predicate(from, to, bit);
        }
        to.guard = static_cast<std::uint8_t>(word.bits(bit, 3));
        if (by_uniform && to.guard != kTrue) {
            to.guard = static_cast<std::uint8_t>(to.guard + isa::kFirstUniformPredicate);
        }
        to.guard_negated = word.bit(bit + 3);
    };
    switch (from.opcode->number) {
        case 0x147:
        case 0x144: {
            if (from.opcode->number == 0x147 && word.bit(91) && word.bits(9, 3) != 2) {
                branch_if_diverged(from);
                return true;
            }
            Machine to = begin(from, Operation::bra, Type::none);
            if (from.opcode->number == 0x147) { condition(to); }
            if (from.opcode->number == 0x144) { calls_.push_back(static_cast<std::uint32_t>(to_.code.size())); }
            if (from.opcode->number == 0x144 && word.bits(9, 3) == 1) {
                set_computed_target(from, to);
            } else {
                set_target(from);
            }
            emit(to);
            return true;
        }
        case 0x150:
        case 0x149: {
            Machine to = begin(from, Operation::bra, Type::none);
            if (from.opcode->number == 0x149) { condition(to); }
            if (to.guard != isa::kTruePredicate || to.guard_negated) {
                // The other lanes go past it first.
                Machine past = begin(from, Operation::bra, Type::none);
                past.guard = to.guard;
                past.guard_negated = !to.guard_negated;
                targets_.resize(to_.code.size() + 1, isa::kNoTarget);
                targets_.back() = place_ + 1;
                emit(past);
                to.guard = isa::kTruePredicate;
                to.guard_negated = false;
            }
            set_computed_target(from, to);
            emit(to);
            return true;
        }
        case 0x14d: {
            Machine to = begin(from, Operation::exit, Type::none);
            condition(to);
            emit(to);
            return true;
        }
        case 0x146:
        case 0x15d:
            emit(begin(from, Operation::nop, Type::none));
            return true;
        case 0x155: {
            // Convergence barriers are the machine's: what is kept of them in registers is not used.
            Machine to = begin(from, Operation::mov, Type::b32);
            to.source[0] = operands_.literals({0});
            set_result(from, to);
            emit(to);
            return true;
        }
        case 0x145: {
            Machine to = begin(from, Operation::open_barrier, Type::none);
            to.mode = static_cast<std::uint8_t>(word.bits(16, 4));
            set_target(from);
            emit(to);
            return true;
        }
        case 0x142: {
            Machine to = begin(from, Operation::leave_barrier, Type::none);
            to.mode = static_cast<std::uint8_t>(word.bits(16, 4));
            condition(to);
            emit(to);
            return true;
        }
        case 0x141:
        case 0x156:
        case 0x118:
        case 0x11a:
        case 0x11b:
            emit(begin(from, Operation::mark, Type::none));
            return true;
        case 0x15c: {
            Machine to = begin(from, Operation::trap, Type::none);
            emit(to);
            return true;
        }
        default:
            return false;
    }
}

}  // namespace lookahead::native
