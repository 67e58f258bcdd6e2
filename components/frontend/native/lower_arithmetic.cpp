// Integers, predicates, floating point, conversions and moves.
#include <array>

#include "components/frontend/native/lowering.h"
#include "components/frontend/native/special_registers.h"
#include "components/isa/modes.h"

namespace lookahead::native {
namespace {

using isa::Operation;
using isa::Type;

isa::Rounding rounding_of(std::uint64_t field) {
    constexpr isa::Rounding kRoundings[] = {isa::Rounding::rn, isa::Rounding::rm, isa::Rounding::rp, isa::Rounding::rz};
    return kRoundings[field];
}
isa::Rounding whole_rounding_of(std::uint64_t field) {
    constexpr isa::Rounding kRoundings[] = {isa::Rounding::rni, isa::Rounding::rmi, isa::Rounding::rpi,
                                            isa::Rounding::rzi};
    return kRoundings[field];
}

isa::Combine combine_of(std::uint64_t field) {
    constexpr isa::Combine kCombines[] = {isa::Combine::bit_and, isa::Combine::bit_or, isa::Combine::bit_xor,
                                          isa::Combine::none};
    return kCombines[field];
}

/// By the logarithm of the bytes.
Type integer_type(std::uint64_t size, bool is_signed) {
    constexpr Type kSigned[] = {Type::s8, Type::s16, Type::s32, Type::s64};
    constexpr Type kUnsigned[] = {Type::u8, Type::u16, Type::u32, Type::u64};
    return is_signed ? kSigned[size] : kUnsigned[size];
}
Type float_type(std::uint64_t size) {
    constexpr Type kFloats[] = {Type::none, Type::f16, Type::f32, Type::f64};
    return kFloats[size];
}

bool is_zero(const Source& source, const Instruction& of) {
    return (source.kind == Source::Kind::reg && source.value == kZeroRegister) ||
           (source.kind == Source::Kind::uniform && source.value == of.uniform_zero()) ||
           (source.kind == Source::Kind::immediate && source.value == 0);
}

/// The second operand of a sum: DADD has it in the third place.
const Source& second(const Instruction& from) {
    return from.b.kind == Source::Kind::none ? from.c : from.b;
}

}  // namespace

bool Lowering::lower_integer(const Native& from) {
    switch (from.opcode->number) {
        case 0x010:
        case 0x011:
        case 0x012:
        case 0x013:
        case 0x016:
        case 0x017:
        case 0x048:
        case 0x046:
        case 0x00f:
        case 0x036:
        case 0x019:
        case 0x01a:
        case 0x01b:
        case 0x024:
        case 0x025:
        case 0x027:
        case 0x026:
        case 0x00c:
        case 0x007:
        case 0x109:
        case 0x100:
        case 0x101:
            integer(from, from.opcode->number);
            return true;
        case 0x01c:
        case 0x003:
            predicates(from);
            return true;
        default:
            return false;
    }
}

/// The uniform unit's arithmetic is the other's, with numbers of its own.
bool Lowering::lower_uniform(const Native& from) {
    switch (from.opcode->number) {
        case 0x087:
        case 0x08c:
        case 0x090:
        case 0x091:
        case 0x092:
        case 0x096:
        case 0x099:
        case 0x09a:
        case 0x09b:
        case 0x0a4:
        case 0x0a5:
        case 0x0a7:
            integer(from, from.opcode->number - 0x80u);
            return true;
        case 0x0bd:
            integer(from, 0x100);
            return true;
        case 0x0be:
            integer(from, 0x101);
            return true;
        case 0x0bf:
            integer(from, 0x109);
            return true;
        case 0x09c:
            predicates(from);
            return true;
        default:
            return false;
    }
}

void Lowering::integer(const Native& from, unsigned number) {
    const Word& word = from.word;
    const auto sources = [&](Machine& to, const Source& a, const Source& b) {
        set_source(from, to, 0, a);
        set_source(from, to, 1, b);
    };
    const auto carries = [&](Machine& to) {
        to.mode = word.bit(74) ? isa::kWithCarry : 0;
        to.destination_predicate = written_predicate(from, 81);
        if (word.bit(74)) { set_predicate(from, to, 87); }
    };
    const auto refuse_carry = [&] {
        if (word.bit(74) || word.bits(81, 3) != kTrue) { refuse("a wide product with a carry is not supported"); }
    };
    // The least or the greatest by a predicate that compilers know.
    const auto extreme = [&](Operation operation, Type type) {
        Machine to = begin(from, operation, type);
        set_predicate(from, to, 87);
        const bool known = to.source_predicate == isa::kTruePredicate && operation == Operation::choose_extreme;
        if (known) {
            to.operation = to.source_predicate_negated ? Operation::max : Operation::min;
            to.source_predicate = isa::kNoPredicate;
            to.source_predicate_negated = false;
        }
        set_result(from, to);
        sources(to, from.a, from.b);
        return to;
    };
    Machine to;
    switch (number) {
        case 0x010:
            to = begin(from, Operation::iadd3, Type::u32);
            carries(to);
            to.destination_predicate2 = written_predicate(from, 84);
            if (word.bit(74)) { set_predicate2(from, to, 77); }
            set_result(from, to);
            sources(to, from.a, from.b);
            set_source(from, to, 2, from.c);
            break;
        case 0x036:
            to = begin(from, Operation::iadd3, Type::u32);
            set_result(from, to);
            sources(to, from.a, from.b);
            to.source[2] = literals({0});
            break;
        case 0x011:
            to = begin(from, Operation::lea, Type::u32);
            carries(to);
            to.offset = static_cast<std::int32_t>(word.bits(75, 5));
            if (word.bit(80)) { to.mode |= isa::kLeaHigh; }
            if (word.bit(73)) { to.mode |= isa::kLeaSignExtends; }
            set_result(from, to);
            sources(to, from.a, from.b);
            to.source[2] = word.bit(80) && !word.bit(73) ? operand(from, from.c, 1) : literals({0});
            break;
        case 0x012:
            to = begin(from, word.bits(81, 3) == kTrue ? Operation::lop3 : Operation::lop3_test, Type::b32);
            to.mode = static_cast<std::uint8_t>(word.bits(72, 8));
            if (to.operation == Operation::lop3_test) {
                to.destination_predicate = written_predicate(from, 81);
                set_predicate(from, to, 87);
                to.combine = word.bit(80) ? isa::Combine::bit_and : isa::Combine::bit_or;
            }
            set_result(from, to);
            sources(to, from.a, from.b);
            set_source(from, to, 2, from.c);
            break;
        case 0x013:
            to = begin(from, Operation::abs, Type::s32);
            set_result(from, to);
            set_source(from, to, 0, from.b);
            break;
        case 0x016:
            to = begin(from, Operation::prmt, Type::b32);
            to.mode = static_cast<std::uint8_t>(word.bits(72, 3));
            set_result(from, to);
            sources(to, from.a, from.c);
            set_source(from, to, 2, from.b);
            break;
        case 0x017:
            to = extreme(Operation::choose_extreme, word.bit(73) ? Type::s32 : Type::u32);
            break;
        case 0x048:
            to = extreme(Operation::choose_extreme, word.bit(72) ? Type::s32 : Type::u32);
            break;
        case 0x046:
            to = extreme(Operation::add_extreme, word.bit(72) ? Type::s32 : Type::u32);
            set_source(from, to, 2, from.c);
            break;
        case 0x00f:
            to = extreme(Operation::extreme_of_3, word.bit(72) ? Type::s32 : Type::u32);
            set_source(from, to, 2, from.c);
            break;
        case 0x019: {
            const std::uint64_t type = word.bits(73, 2);
            const bool wraps = word.bit(75), right = word.bit(76), high = word.bit(80);
            const bool is_signed = (type & 1) == 0;
            const bool by_known = from.b.kind == Source::Kind::immediate && from.b.value < 32;
            // Shifts of one word are the common ones.
            if (by_known && !right && !high) {
                to = begin(from, Operation::shl, Type::b32);
                sources(to, from.a, from.b);
            } else if (by_known && right && high && is_zero(from.a, from)) {
                to = begin(from, Operation::shr, is_signed ? Type::s32 : Type::u32);
                sources(to, from.c, from.b);
            } else {
                to = begin(from, Operation::funnel_shift, Type::b32);
                to.mode = static_cast<std::uint8_t>(
                    (right ? isa::kShiftRight : 0) | (high ? isa::kShiftHigh : 0) | (wraps ? isa::kShiftWraps : 0) |
                    (is_signed ? isa::kShiftSigned : 0) | (type < 2 ? isa::kShiftWide : 0));
                sources(to, from.a, from.b);
                set_source(from, to, 2, from.c);
            }
            set_result(from, to);
            break;
        }
        case 0x01a:
        case 0x01b:
            if (word.bit(75)) { refuse("a width that wraps is not supported"); }
            to = begin(from, number == 0x01a ? Operation::sign_extend : Operation::bit_mask,
                       word.bit(73) ? Type::s32 : Type::u32);
            set_result(from, to);
            sources(to, from.a, from.b);
            break;
        case 0x024:
            to = begin(from, word.bit(74) ? Operation::mad_carry : Operation::mad_lo, Type::u32);
            if (word.bit(74)) {
                carries(to);
            } else {
                refuse_carry();
            }
            set_result(from, to);
            sources(to, from.a, from.b);
            set_source(from, to, 2, from.c);
            break;
        case 0x025:
            refuse_carry();
            to = begin(from, Operation::mad_wide, word.bit(73) ? Type::s64 : Type::u64);
            to.source_type = word.bit(73) ? Type::s32 : Type::u32;
            set_result(from, to, 2);
            sources(to, from.a, from.b);
            set_source(from, to, 2, from.c, 2);
            break;
        case 0x027:
            refuse_carry();
            to = begin(from, Operation::mad_high_pair, word.bit(73) ? Type::s32 : Type::u32);
            set_result(from, to);
            sources(to, from.a, from.b);
            set_source(from, to, 2, from.c, 2);
            break;
        case 0x026:
            to = begin(from, word.bit(76) ? Operation::dot2 : Operation::dot4, Type::s32);
            to.mode = static_cast<std::uint8_t>((word.bit(73) ? isa::kDotFirstSigned : 0) |
                                                (word.bit(74) ? isa::kDotSecondSigned : 0) |
                                                (word.bit(76) && word.bit(77) ? isa::kDotUpperHalf : 0));
            set_result(from, to);
            sources(to, from.a, from.b);
            set_source(from, to, 2, from.c);
            break;
        case 0x00c: {
            using enum isa::Comparison;
            constexpr isa::Comparison kComparisons[] = {ne, lt, eq, le, gt, ne, ge, eq};
            const std::uint64_t comparison = word.bits(76, 3);
            to = begin(from, Operation::setp, word.bit(73) ? Type::s32 : Type::u32);
            to.comparison = kComparisons[comparison];
            to.combine = combine_of(word.bits(74, 2));
            if (word.bit(72)) {
                to.mode = static_cast<std::uint8_t>(isa::CompareMode::extended);
                set_predicate2(from, to, 68);
            }
            set_predicate(from, to, 87);
            to.destination_predicate = written_predicate(from, 81);
            to.destination_predicate2 = written_predicate(from, 84);
            if (comparison == 0 || comparison == 7) {  // never, always
                to.source[0] = to.source[1] = literals({0});
                to.mode = 0;
            } else {
                sources(to, from.a, from.b);
            }
            break;
        }
        case 0x007:
            to = begin(from, Operation::select, Type::b32);
            set_predicate(from, to, 87);
            set_result(from, to);
            sources(to, from.a, from.b);
            break;
        case 0x109:
        case 0x101:
            to = begin(from, number == 0x109 ? Operation::popc : Operation::brev, Type::b32);
            set_result(from, to);
            set_source(from, to, 0, from.b);
            break;
        default:
            to = begin(from, Operation::bfind, word.bit(73) ? Type::s32 : Type::u32);
            to.mode = static_cast<std::uint8_t>(word.bit(74) ? isa::FindMode::shift_amount : isa::FindMode::position);
            set_result(from, to);
            set_source(from, to, 0, from.b);
            break;
    }
    emit(to);
}

void Lowering::predicates(const Native& from) {
    const Word& word = from.word;
    if (from.opcode->number == 0x003) {
        if (from.b.kind != Source::Kind::immediate || word.bits(76, 2) != 0) { refuse("its mask must be a number"); }
        isa::Operand packed = operand(from, from.a, 1);
        for (unsigned number = 0; number < isa::kPredicateRegisters; ++number) {
            if ((from.b.value >> number & 1) == 0) { continue; }
            Machine to = begin(from, Operation::pred_pack, Type::b32);
            to.source_predicate = static_cast<std::uint8_t>(number);
            to.offset = std::int32_t{1} << number;
            to.source[0] = packed;
            set_result(from, to);
            packed = register_operand(from.reg(16), 1);
            emit(to);
        }
        return;
    }
    // A table is of the sources at the bits 87, 77 and 68.
    const auto first = static_cast<std::uint8_t>(word.bits(64, 3) | word.bits(72, 5) << 3);
    const auto other = static_cast<std::uint8_t>(word.bits(16, 8));
    for (const auto& [table, result] : {std::pair{first, 81u}, std::pair{other, 84u}}) {
        Machine to = begin(from, Operation::pred_lop3, Type::none);
        to.destination_predicate = written_predicate(from, result);
        if (to.destination_predicate == isa::kNoPredicate) { continue; }
        set_predicate(from, to, 87);
        set_predicate2(from, to, 77);
        to.mode = table;
        if (word.bits(68, 3) != kTrue) {
            const bool uniform = from.is_uniform || word.bit(67);
            to.destination_predicate2 =
                static_cast<std::uint8_t>(word.bits(68, 3) + (uniform ? isa::kFirstUniformPredicate : 0));
            to.vector = word.bit(71) ? 0 : 1;
        } else if (word.bit(71)) {
            // Never: what the table has for a third source that does not hold.
            to.mode = static_cast<std::uint8_t>((table & 0x55) | (table & 0x55) << 1);
        }
        emit(to);
    }
}

bool Lowering::lower_float(const Native& from) {
    switch (from.opcode->number) {
        case 0x020:
        case 0x021:
        case 0x023:
            arithmetic(from, Type::f32);
            return true;
        case 0x028:
        case 0x029:
        case 0x02b:
            arithmetic(from, Type::f64);
            return true;
        case 0x030:
        case 0x031:
        case 0x032:
        case 0x035:
            arithmetic(from, Type::f16x2);
            return true;
        case 0x00b:
            compare(from, Type::f32);
            return true;
        case 0x02a:
            compare(from, Type::f64);
            return true;
        case 0x009:
        case 0x008:
        case 0x102:
        case 0x108:
            function(from);
            return true;
        default:
            return false;
    }
}

void Lowering::arithmetic(const Native& from, Type type) {
    const Word& word = from.word;
    const unsigned rows = type == Type::f64 ? 2 : 1;
    const std::uint16_t number = from.opcode->number;
    const bool half = type == Type::f16x2;
    if (half && (word.bit(85) || word.bit(79))) { refuse("bfloat16 and .RELU are not supported"); }
    // Compilers make numbers of any kind by 0 * 0 + number, on a unit that has nothing else to do.
    if ((number == 0x031 || number == 0x035) && is_zero(from.a, from) &&
        (is_zero(from.b, from) || is_zero(from.c, from))) {
        const Source& value = is_zero(from.c, from) && !is_zero(from.b, from) ? from.b : from.c;
        Machine to = begin(from, Operation::mov, Type::b32);
        set_result(from, to);
        to.source[0] = operand(from, value, 1);
        return emit(to);
    }
    if (half && word.bit(78)) {
        // What is added to -0 stays as it is.
        const Source& other = second(from);
        const bool first = is_zero(other, from) && other.negated;
        if (number != 0x030 || !(first || (is_zero(from.a, from) && from.a.negated))) {
            refuse("a sum of halves as a single is not supported");
        }
        Machine to = begin(from, Operation::convert, Type::f32);
        to.source_type = Type::f16;
        set_result(from, to);
        set_source(from, to, 0, first ? from.a : other);
        return emit(to);
    }
    const bool fused = number == 0x023 || number == 0x02b || number == 0x031 || number == 0x035;
    const bool adds = number == 0x021 || number == 0x029 || number == 0x030;
    Machine to = begin(from, fused ? Operation::fma : adds ? Operation::add : Operation::mul_lo, type);
    if (!half) { to.rounding = rounding_of(word.bits(78, 2)); }
    to.flush_to_zero = type != Type::f64 && word.bit(80);
    to.saturate = type != Type::f64 && word.bit(77);
    if (number == 0x020) {
        // 3 to 1: a half to an eighth of the product; 5 to 7: twice to eight times it.
        to.offset = static_cast<std::int32_t>(word.bits(84, 3)) - 4;
        if (to.offset != 0) { to.operation = Operation::scaled_product; }
        if (to.offset == -4 || (to.offset != 0 && to.rounding != isa::Rounding::rn)) {
            refuse("this scale is not known");
        }
    }
    set_result(from, to, rows);
    set_source(from, to, 0, from.a, rows);
    set_source(from, to, 1, fused ? from.b : second(from), rows);
    if (fused) { set_source(from, to, 2, from.c, rows); }
    emit(to);
}

void Lowering::compare(const Native& from, Type type) {
    using enum isa::Comparison;
    constexpr isa::Comparison kComparisons[] = {ne, lt, eq, le, gt, ne, ge, num, nan, ltu, equ, leu, gtu, neu, geu, eq};
    const Word& word = from.word;
    const unsigned rows = type == Type::f64 ? 2 : 1;
    const std::uint64_t comparison = word.bits(76, 4);
    Machine to = begin(from, Operation::setp, type);
    to.comparison = kComparisons[comparison];
    to.combine = combine_of(word.bits(74, 2));
    to.flush_to_zero = type == Type::f32 && word.bit(80);
    set_predicate(from, to, 87);
    to.destination_predicate = written_predicate(from, 81);
    to.destination_predicate2 = written_predicate(from, 84);
    if (comparison == 0 || comparison == 15) {  // never, always
        to.source[0] = to.source[1] = literals(std::vector<std::uint32_t>(rows, 0));
    } else {
        set_source(from, to, 0, from.a, rows);
        set_source(from, to, 1, from.b, rows);
    }
    emit(to);
}

/// FMNMX, FSEL, FCHK, MUFU.
void Lowering::function(const Native& from) {
    const Word& word = from.word;
    Machine to = begin(from, Operation::select, Type::f32);
    switch (from.opcode->number) {
        case 0x009:
            set_predicate(from, to, 87);
            to.operation = Operation::choose_extreme;
            to.flush_to_zero = word.bit(80);
            to.mode = word.bit(81) ? isa::kPassesNan : 0;
            if (to.mode == 0 && to.source_predicate == isa::kTruePredicate) {
                to.operation = to.source_predicate_negated ? Operation::max : Operation::min;
                to.source_predicate = isa::kNoPredicate;
                to.source_predicate_negated = false;
            }
            break;
        case 0x008:
            set_predicate(from, to, 87);
            break;
        case 0x102:
            to.operation = Operation::check_division;
            to.destination_predicate = written_predicate(from, 81);
            break;
        default: {
            constexpr Operation kFunctions[] = {Operation::cos,  Operation::sin,   Operation::ex2, Operation::lg2,
                                                Operation::rcp,  Operation::rsqrt, Operation::rcp, Operation::rsqrt,
                                                Operation::sqrt, Operation::tanh};
            const std::uint64_t which = word.bits(74, 6);
            if (which >= std::size(kFunctions)) { refuse("this function is not known"); }
            if (word.bits(72, 2) != 0) { refuse("functions of halves are not supported"); }
            to.operation = kFunctions[which];
            to.rounding = isa::Rounding::approx;
            to.flush_to_zero = true;
            constexpr std::uint64_t kFirstOfHighWords = 6, kLastOfHighWords = 7;
            if (which < 2) { to.mode = isa::kTurns; }
            if (which >= kFirstOfHighWords && which <= kLastOfHighWords) {
                to.type = Type::f64;
                to.mode = isa::kHighWord;
            }
            set_result(from, to);
            set_source(from, to, 0, from.b);
            return emit(to);
        }
    }
    if (from.opcode->number != 0x102) { set_result(from, to); }
    set_source(from, to, 0, from.a);
    set_source(from, to, 1, from.b);
    emit(to);
}

bool Lowering::lower_conversion(const Native& from) {
    const Word& word = from.word;
    Machine to = begin(from, Operation::convert, Type::none);
    const std::uint64_t result = word.bits(75, 2), source = word.bits(84, 2);
    switch (from.opcode->number) {
        case 0x104:
        case 0x110:
            to.type = float_type(result);
            to.source_type = float_type(source);
            if (result < source) { to.rounding = rounding_of(word.bits(78, 2)); }
            to.saturate = word.bit(77);
            break;
        case 0x105:
        case 0x111:
            to.type = integer_type(result, word.bit(72));
            to.source_type = float_type(source);
            to.rounding = whole_rounding_of(word.bits(78, 2));
            break;
        case 0x106:
        case 0x112:
        case 0x045:
            if (from.opcode->number != 0x045 && word.bits(60, 2) != 0) { refuse("it takes an upper byte"); }
            to.type = float_type(result);
            to.source_type = integer_type(source, word.bit(74));
            to.rounding = rounding_of(word.bits(78, 2));
            break;
        case 0x107:
        case 0x113:
            to.type = to.source_type = float_type(result);
            to.rounding = whole_rounding_of(word.bits(78, 2));
            break;
        case 0x03e:
            if (word.bits(72, 9) != 0) { refuse("only pairs of halves, rounded to nearest, are packed"); }
            to.operation = Operation::pack_halves;
            to.type = Type::f16x2;
            to.source_type = Type::f32;
            set_result(from, to);
            set_source(from, to, 0, from.a);
            set_source(from, to, 1, from.b);
            emit(to);
            return true;
        default:
            return false;
    }
    if (to.type == Type::none || to.source_type == Type::none) { refuse("types of 8 bits are not supported"); }
    to.flush_to_zero = word.bit(80) && to.source_type != Type::f64 && from.opcode->name != "I2F";
    set_result(from, to, isa::type_rows(to.type));
    set_source(from, to, 0, from.b, isa::type_rows(to.source_type));
    emit(to);
    return true;
}

bool Lowering::lower_move(const Native& from) {
    const Word& word = from.word;
    switch (from.opcode->number) {
        case 0x002:
            if (word.bits(72, 4) != 0xf) { refuse("a move of some lanes is not supported"); }
            [[fallthrough]];
        case 0x082: {
            Machine to = begin(from, Operation::mov, Type::b32);
            set_result(from, to);
            set_source(from, to, 0, from.b);
            emit(to);
            return true;
        }
        case 0x119:
        case 0x1c3:
        case 0x005: {
            const SpecialRegisterRow* const row = find_special(static_cast<unsigned>(word.bits(72, 8)));
            const unsigned rows = from.opcode->number == 0x005 && word.bit(80) ? 2 : 1;
            if (row == nullptr || (row->high && rows == 1)) { refuse("this special register is not known"); }
            Machine to = begin(from, Operation::read_special, rows == 2 ? Type::b64 : Type::b32);
            to.special = row->meaning;
            if (row->is_zero) {
                to.operation = Operation::mov;
                to.source[0] = literals(std::vector<std::uint32_t>(rows, 0));
            }
            set_result(from, to, rows);
            emit(to);
            return true;
        }
        case 0x1c2:
        case 0x0ca: {
            Machine to = begin(from, Operation::broadcast, Type::b32);
            set_uniform_result(to, from.uniform(16));
            to.source[0] = register_operand(from.reg(24), 1);
            emit(to);
            return true;
        }
        default:
            return false;
    }
}

}  // namespace lookahead::native
