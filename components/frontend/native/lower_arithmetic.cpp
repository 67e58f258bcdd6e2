// Integers, predicates, floating point, conversions and moves.
#include <array>

#include "components/frontend/native/lowering.h"
#include "components/frontend/native/special_registers.h"
#include "components/isa/address_space.h"
#include "components/isa/instruction.h"
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

/// The lesser or the greater, if compilers know the predicate that chooses.
void choose_known(isa::Instruction& to) {
    if (to.source_predicate != isa::kTruePredicate) { return; }
    to.operation = to.source_predicate_negated ? Operation::max : Operation::min;
    to.source_predicate = isa::kNoPredicate;
    to.source_predicate_negated = false;
}

/// The uniform unit's arithmetic is the other's, with numbers of its own.
unsigned number_beside_lanes(const Instruction& from) {
    const unsigned number = from.opcode->number;
    switch (number) {
        case 0x0bd:
            return 0x100;
        case 0x0be:
            return 0x101;
        case 0x0bf:
            return 0x109;
        default:
            return number >= 0x080 && number < 0x0b0 ? number - 0x080 : number;
    }
}

/// The second operand of a sum: DADD has it in the third place.
const Source& second(const Instruction& from) {
    return from.b.kind == Source::Kind::none ? from.c : from.b;
}

}  // namespace

bool Lowering::lower_integer(const Native& from) {
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
        if (word.bit(74) || word.bits(81, 3) != kTrue) { refuse("a carry of this product is not supported"); }
    };
    const auto extreme = [&](Operation operation, Type type) {
        Machine to = begin(from, operation, type);
        set_predicate(from, to, 87);
        if (operation == Operation::choose_extreme && isa::is_word(type)) { choose_known(to); }
        set_result(from, to);
        sources(to, from.a, from.b);
        return to;
    };
    Machine to;
    const unsigned number = number_beside_lanes(from);
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
            to.source[2] = operands_.literals({0});
            break;
        case 0x011:
            to = begin(from, Operation::lea, Type::u32);
            carries(to);
            to.offset = static_cast<std::int32_t>(word.bits(75, 5));
            if (word.bit(80)) { to.mode |= isa::kLeaHigh; }
            if (word.bit(73)) { to.mode |= isa::kLeaSignExtends; }
            set_result(from, to);
            sources(to, from.a, from.b);
            to.source[2] = word.bit(80) && !word.bit(73) ? operand(from, from.c, 1) : operands_.literals({0});
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
            to = extreme(Operation::choose_extreme, integer_type(word.bit(73) ? 1 : 2, word.bit(72)));
            break;
        case 0x046:
            if (word.bit(73)) { refuse("pairs of 16 bits are not supported"); }
            to = extreme(Operation::add_extreme, word.bit(72) ? Type::s32 : Type::u32);
            set_source(from, to, 2, from.c);
            break;
        case 0x00f:
            if (word.bit(73)) { refuse("pairs of 16 bits are not supported"); }
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
            if (word.bit(74) || word.bits(81, 3) != kTrue) {
                wide_product_with_carry(from);
                return true;
            }
            to = begin(from, Operation::mad_wide, word.bit(73) ? Type::s64 : Type::u64);
            to.source_type = word.bit(73) ? Type::s32 : Type::u32;
            set_result(from, to, 2);
            sources(to, from.a, from.b);
            set_source(from, to, 2, from.c, 2);
            break;
        case 0x027:
            if (word.bit(74) || word.bits(81, 3) != kTrue) {
                wide_product_with_carry(from);
                return true;
            }
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
                to.source[0] = to.source[1] = operands_.literals({0});
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
        case 0x100:
            to = begin(from, Operation::bfind, word.bit(73) ? Type::s32 : Type::u32);
            to.mode = static_cast<std::uint8_t>(word.bit(74) ? isa::FindMode::shift_amount : isa::FindMode::position);
            set_result(from, to);
            set_source(from, to, 0, from.b);
            break;
        case 0x014:
        case 0x015:
        case 0x01f:
            differences(from);
            return true;
        case 0x01c:
        case 0x003:
            predicates(from);
            return true;
        case 0x004:
            row_to_predicates(from);
            return true;
        default:
            return false;
    }
    emit(to);
    return true;
}

void Lowering::wide_product_with_carry(const Native& from) {
    const Word& word = from.word;
    if (from.c.negated) { refuse("a difference with a carry is not supported"); }
    Machine product = begin(from, Operation::mul_wide, word.bit(73) ? Type::s64 : Type::u64);
    product.source_type = word.bit(73) ? Type::s32 : Type::u32;
    set_source(from, product, 0, from.a);
    set_source(from, product, 1, from.b);
    operands_.set_temporary(product, 0, 2);
    emit(product);
    Machine sum = begin(from, Operation::add_carry, Type::u64);
    sum.source[0] = operands_.temporary(0, 2);
    set_source(from, sum, 1, from.c, 2);
    sum.source_predicate = isa::kTruePredicate;
    sum.source_predicate_negated = true;
    if (word.bit(74)) { set_predicate(from, sum, 87); }
    sum.destination_predicate = written_predicate(from, 81);
    constexpr std::uint16_t kWide = 0x025;
    const bool is_high = number_beside_lanes(from) != kWide;
    if (is_high) {
        operands_.set_temporary(sum, 2, 2);
    } else {
        set_result(from, sum, 2);
    }
    emit(sum);
    if (!is_high) { return; }
    Machine upper = begin(from, Operation::mov, Type::b32);
    upper.source[0] = operands_.temporary(3);
    set_result(from, upper);
    emit(upper);
}

/// R2P: bits of a register to the predicates that the mask names.
void Lowering::row_to_predicates(const Native& from) {
    if (from.b.kind != Source::Kind::immediate || from.word.bits(76, 2) != 0) { refuse("its mask must be a number"); }
    const std::uint32_t mask = from.b.value & 0x7f;
    if (from.guard != kTrue && (mask >> from.guard & 1) != 0) { refuse("it writes the predicate of its own guard"); }
    for (unsigned number = 0; number < isa::kPredicateRegisters; ++number) {
        if ((mask >> number & 1) == 0) { continue; }
        constexpr std::uint8_t kFirstAndSecond = 0xc0;
        Machine to = begin(from, Operation::lop3_test, Type::b32);
        to.mode = kFirstAndSecond;
        to.combine = isa::Combine::bit_and;
        to.source_predicate = isa::kTruePredicate;
        to.destination_predicate = static_cast<std::uint8_t>(number);
        operands_.set_result(to, kZeroRegister);
        to.source[0] = operands_.reg(from.reg(24));
        to.source[1] = operands_.literals({1U << number});
        to.source[2] = operands_.literals({0});
        emit(to);
    }
}

void Lowering::predicates(const Native& from) {
    const Word& word = from.word;
    if (number_beside_lanes(from) == 0x003) {
        if (from.b.kind != Source::Kind::immediate || word.bits(76, 2) != 0) { refuse("its mask must be a number"); }
        isa::Operand packed = operand(from, from.a, 1);
        for (unsigned number = 0; number < isa::kPredicateRegisters; ++number) {
            if ((from.b.value >> number & 1) == 0) { continue; }
            Machine to = begin(from, Operation::pred_pack, Type::b32);
            to.source_predicate = static_cast<std::uint8_t>(number);
            to.offset = std::int32_t{1} << number;
            to.source[0] = packed;
            set_result(from, to);
            packed = operands_.reg(from.reg(16), 1);
            emit(to);
        }
        return;
    }
    // A table is of the sources at the bits 87, 77 and 68.
    const auto first = static_cast<std::uint8_t>(word.bits(64, 3) | word.bits(72, 5) << 3);
    const auto other = static_cast<std::uint8_t>(word.bits(16, 8));
    const auto part = [&](std::uint8_t table, unsigned result) {
        Machine to = begin(from, Operation::pred_lop3, Type::none);
        to.destination_predicate = written_predicate(from, result);
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
        return to;
    };
    const bool one = written_predicate(from, 81) != isa::kNoPredicate,
               two = written_predicate(from, 84) != isa::kNoPredicate;
    if (one && two) { return emit_both(part(first, 81), part(other, 84)); }
    if (one || two) { emit(one ? part(first, 81) : part(other, 84)); }
}

/// Sums of absolute differences; a predicate by a table of three signs, with which overflows are found.
void Lowering::differences(const Native& from) {
    const Word& word = from.word;
    const bool is_signed = word.bit(73);
    if (from.opcode->number == 0x015) {
        Machine to = begin(from, Operation::abs_diff, Type::u32);
        to.mode = static_cast<std::uint8_t>((is_signed ? isa::kDotFirstSigned | isa::kDotSecondSigned : 0) |
                                            (word.bit(75) ? isa::kDiffSum : 0));
        set_result(from, to);
        for (unsigned i = 0; i < 3; ++i) { set_source(from, to, i, i == 0 ? from.a : i == 1 ? from.b : from.c); }
        return emit(to);
    }
    if (from.opcode->number == 0x01f) {
        Machine signs = begin(from, Operation::lop3, Type::b32);
        signs.mode = static_cast<std::uint8_t>(word.bits(72, 8));
        for (unsigned i = 0; i < 3; ++i) { set_source(from, signs, i, i == 0 ? from.a : i == 1 ? from.b : from.c); }
        operands_.set_temporary(signs, 0);
        emit(signs);
        Machine test = begin(from, Operation::setp, Type::s32);
        test.comparison = isa::Comparison::lt;
        test.source[0] = operands_.temporary(0);
        test.source[1] = operands_.literals({0});
        test.destination_predicate = written_predicate(from, 81);
        return emit(test);
    }
    for (const Operation operation : {Operation::max, Operation::min}) {
        Machine to = begin(from, operation, is_signed ? Type::s32 : Type::u32);
        set_source(from, to, 0, from.a);
        set_source(from, to, 1, from.b);
        operands_.set_temporary(to, operation == Operation::min ? 1 : 0);
        emit(to);
    }
    Machine sum = begin(from, Operation::iadd3, Type::u32);
    sum.source[0] = operands_.temporary(0);
    sum.source[1] = operands_.temporary(1);
    sum.modifiers = isa::kNegated << 1;
    set_source(from, sum, 2, from.c);
    set_result(from, sum);
    emit(sum);
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
        case 0x00a:
            set_by_comparison(from, Type::f32);
            return true;
        case 0x033:
            set_by_comparison(from, Type::f16x2);
            return true;
        case 0x034:
            compare_halves(from);
            return true;
        case 0x02a:
            compare(from, Type::f64);
            return true;
        case 0x009:
        case 0x040:
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
    const bool changes = word.bit(80) || word.bit(77);  // .FTZ, .SAT
    if ((number == 0x031 || number == 0x035) && !changes && is_zero(from.a, from) &&
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

namespace {

using enum isa::Comparison;
/// The first and the last are never and always.
constexpr isa::Comparison kComparisons[] = {ne, lt, eq, le, gt, ne, ge, num, nan, ltu, equ, leu, gtu, neu, geu, eq};

}  // namespace

/// Each of the two halves has a predicate.
void Lowering::compare_halves(const Native& from) {
    const Word& word = from.word;
    const std::uint64_t comparison = word.bits(76, 4);
    if (word.bit(80) || word.bit(65) || word.bit(71) || comparison == 0 || comparison == 15) {
        refuse("this comparison of halves is not supported");
    }
    const auto part = [&](unsigned bit, std::uint8_t half) {
        Machine to = begin(from, Operation::setp, Type::f16);
        to.comparison = kComparisons[comparison];
        to.combine = combine_of(word.bits(69, 2));
        set_predicate(from, to, 87);
        to.destination_predicate = written_predicate(from, bit);
        for (unsigned i = 0; i < 2; ++i) {
            Source source = i == 0 ? from.a : from.b;
            if (source.half == 0) { source.half = half; }
            set_source(from, to, i, source);
        }
        return to;
    };
    const bool two = written_predicate(from, 84) != isa::kNoPredicate;
    if (!two) { return emit(part(81, 2)); }
    if (written_predicate(from, 81) == isa::kNoPredicate) { return emit(part(84, 3)); }
    emit_both(part(81, 2), part(84, 3));
}

/// FSET: 1 or 0; HSET2: the same or all ones for each half.
void Lowering::set_by_comparison(const Native& from, Type type) {
    const Word& word = from.word;
    const bool half = type == Type::f16x2;
    const std::uint64_t comparison = word.bits(76, 4);
    if (comparison == 0 || comparison == 15 || (half && (word.bit(80) || word.bit(65)))) {
        refuse("this comparison is not supported");
    }
    Machine to = begin(from, Operation::set, half && !word.bit(71) ? Type::u32 : type);
    to.source_type = type;
    to.comparison = kComparisons[comparison];
    to.combine = combine_of(half ? word.bits(69, 2) : word.bits(74, 2));
    to.flush_to_zero = !half && word.bit(80);
    set_predicate(from, to, 87);
    set_result(from, to);
    set_source(from, to, 0, from.a);
    set_source(from, to, 1, from.b);
    emit(to);
}

void Lowering::compare(const Native& from, Type type) {
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
    if (type == Type::f64 && (comparison == 0 || comparison == 15)) {
        if (to.source_predicate != isa::kTruePredicate || to.source_predicate_negated ||
            to.combine != isa::Combine::bit_and) {
            refuse("it may not have a condition");
        }
        to.mode = static_cast<std::uint8_t>(comparison == 0 ? isa::CompareMode::least : isa::CompareMode::greatest);
        to.source_predicate = isa::kNoPredicate;
        set_source(from, to, 0, from.a, rows);
        set_source(from, to, 1, from.b, rows);
        return emit(to);
    }
    if (comparison == 0 || comparison == 15) {  // never, always
        to.source[0] = to.source[1] = operands_.literals(std::vector<std::uint32_t>(rows, 0));
    } else {
        set_source(from, to, 0, from.a, rows);
        set_source(from, to, 1, from.b, rows);
    }
    emit(to);
}

/// FMNMX, HMNMX2, FSEL, FCHK, MUFU.
void Lowering::function(const Native& from) {
    const Word& word = from.word;
    Machine to = begin(from, Operation::select, Type::f32);
    switch (from.opcode->number) {
        case 0x009:
            set_predicate(from, to, 87);
            to.operation = Operation::choose_extreme;
            to.flush_to_zero = word.bit(80);
            to.mode = word.bit(81) ? isa::kPassesNan : 0;
            if (to.mode == 0) { choose_known(to); }
            break;
        case 0x040:
            set_predicate(from, to, 87);
            if (to.source_predicate != isa::kTruePredicate || word.bit(81) || word.bit(85)) {
                refuse("only the lesser or the greater of numbers of 16 bits is supported");
            }
            to.type = Type::f16x2;
            choose_known(to);
            to.flush_to_zero = word.bit(80);
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

/// An upper byte or half of the source, as the source of `to`.
void Lowering::upper_part(const Native& from, std::uint64_t size, Machine& to) {
    if (size > 1) { refuse("it takes a part of a whole word"); }
    Machine part = begin(from, Operation::bfe, from.word.bit(74) ? Type::s32 : Type::u32);
    part.source[0] = operand(from, from.b, 1);
    part.source[1] = operands_.literals({static_cast<std::uint32_t>(from.word.bits(60, 2) * 8)});
    part.source[2] = operands_.literals({8u << size});
    operands_.set_temporary(part, 0);
    emit(part);
    to.source[0] = operands_.temporary(0);
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
            if (from.opcode->number != 0x045 && from.b.kind == Source::Kind::reg && word.bits(60, 2) != 0) {
                upper_part(from, source, to);
            }
            to.type = float_type(result);
            to.source_type = integer_type(source, word.bit(74));
            to.rounding = rounding_of(word.bits(78, 2));
            break;
        case 0x038: {
            constexpr Type kTypes[] = {Type::u8, Type::s8, Type::u16, Type::s16};
            to.type = kTypes[word.bits(76, 2)];
            to.source_type = Type::s32;
            to.saturate = true;
            set_result(from, to);
            set_source(from, to, 0, from.b);
            emit(to);
            return true;
        }
        case 0x043:
            if (word.bits(72, 2) != 0 || !is_zero(from.a, from) || !is_zero(from.c, from)) {
                refuse("only one byte is packed");
            }
            to.type = Type::u8;
            to.source_type = Type::f32;
            to.rounding = whole_rounding_of(word.bits(78, 2));
            break;
        case 0x107:
        case 0x113:
            to.type = to.source_type = float_type(result);
            to.rounding = whole_rounding_of(word.bits(78, 2));
            break;
        case 0x03e:
            if (word.bits(72, 7) == 0 && is_zero(from.a, from)) {
                to.type = Type::f16;
                to.source_type = Type::f32;
                to.rounding = rounding_of(word.bits(79, 2));
                set_result(from, to);
                set_source(from, to, 0, from.b);
                emit(to);
                return true;
            }
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
    if (to.source[0].kind == isa::Operand::Kind::none) {
        set_source(from, to, 0, from.b, isa::type_rows(to.source_type));
    }
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
            constexpr unsigned kSharedWindow = 0x2f;
            if (row->number == kSharedWindow) {
                to.operation = Operation::mov;
                to.source[0] = operands_.literals({static_cast<std::uint32_t>(isa::kSharedWindowBase >> 32)});
            }
            if (row->is_zero) {
                to.operation = Operation::mov;
                to.source[0] = operands_.literals(std::vector<std::uint32_t>(rows, 0));
            }
            set_result(from, to, rows);
            emit(to);
            return true;
        }
        case 0x1c2:
        case 0x0ca: {
            Machine to = begin(from, Operation::broadcast, Type::b32);
            operands_.set_uniform_result(to, from.uniform(16));
            to.source[0] = operands_.reg(from.reg(24), 1);
            if (written_predicate(from, 81) != isa::kNoPredicate) {
                // Whether a lane has the value that is taken.
                Machine taken = to;
                operands_.set_temporary(taken, 0);
                emit(taken);
                set_if_equal(from, 81, to.source[0], operands_.temporary(0));
            }
            emit(to);
            return true;
        }
        default:
            return false;
    }
}

}  // namespace lookahead::native
