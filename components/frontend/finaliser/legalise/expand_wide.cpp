#include "components/frontend/finaliser/legalise/legalise.h"

#include <algorithm>
#include <optional>

#include "components/frontend/finaliser/code/literals.h"
#include "components/isa/modes.h"

namespace lookahead::finaliser {

using isa::Comparison;

namespace {

constexpr PredicateUse kNever{kAlways, true};

bool is_any_integer(Type type) {
    return isa::is_integer(type) || isa::is_bits(type);
}

struct Pair {
    VirtualOperand low;
    VirtualOperand high;
};

VirtualOperand word_of(const VirtualOperand& operand, unsigned i) {
    return {operand.kind, 1, operand.index + i};
}

Pair words_of(const VirtualOperand& operand) {
    return {word_of(operand, 0), word_of(operand, 1)};
}

/// Makes the sequences. Instructions that write temporaries run unguarded: they have no other effects, while a guarded
/// write to a new row would leave it without a value in other lanes.
class Expander {
  public:
    Expander(VirtualKernel& kernel, const IsaOptions& options) : kernel_(kernel), options_(options) {}

    void run() {
        for (VirtualBlock& block : kernel_.blocks) {
            std::vector<VirtualInstruction> code;
            for (const VirtualInstruction& instruction : block.code) {
                original_ = instruction;
                sequence_.clear();
                if (!expand()) {
                    code.push_back(instruction);
                    continue;
                }
                keep_sources_until_read();
                code.insert(code.end(), sequence_.begin(), sequence_.end());
            }
            block.code = std::move(code);
        }
    }

  private:
    bool expand() {
        const isa::InstructionForm& machine = original_.machine;
        switch (machine.operation) {
            case Operation::setp:
                return isa::is_pair(machine.type) && expand_setp();
            case Operation::set:
                return isa::is_pair(machine.source_type) && expand_set();
            case Operation::convert:
                return expand_convert();
            case Operation::popc:
            case Operation::clz:
                return isa::is_pair(machine.type) && expand_count();
            case Operation::mov:
            case Operation::select:
            case Operation::bit_and:
            case Operation::bit_or:
            case Operation::bit_xor:
            case Operation::bit_not:
                return isa::is_pair(machine.type) && expand_by_words();
            case Operation::add_carry:
            case Operation::sub_borrow:
                return isa::is_pair(machine.type) && expand_carry();
            default:
                break;
        }
        if (!isa::is_pair(machine.type)) { return false; }
        const std::optional<Pair> value = arithmetic();
        if (value) { give(*value); }
        return value.has_value();
    }

    /// The result of the original, if it is one of these operations.
    std::optional<Pair> arithmetic() {
        switch (original_.machine.operation) {
            case Operation::brev:
                return Pair{result(Operation::brev, Type::b32, {source(0).high}),
                            result(Operation::brev, Type::b32, {source(0).low})};
            case Operation::add:
                return sum(false, source(0), source(1));
            case Operation::sub:
                return sum(true, source(0), source(1));
            case Operation::neg:
                return sum(true, zero(), source(0));
            case Operation::abs: {
                const Pair negative = sum(true, zero(), source(0));
                return select(compare(Comparison::lt, Type::s32, source(0).high, zero().low), negative, source(0));
            }
            case Operation::min:
                return select(less_than(source(0), source(1)), source(0), source(1));
            case Operation::max:
                return select(less_than(source(0), source(1)), source(1), source(0));
            case Operation::mul_lo:
                return product(source(0), source(1), std::nullopt);
            case Operation::mad_lo:
                return product(source(0), source(1), original_.source[2]);
            case Operation::mul_hi:
                return high_product(source(0), source(1));
            case Operation::mul_wide:
            case Operation::mad_wide:
                return options_.wide_multiply ? std::nullopt : std::optional(whole_product());
            case Operation::shl:
            case Operation::shr:
                return shifted(source(0), original_.source[1]);
            default:
                return std::nullopt;
        }
    }

    Pair source(std::size_t i) const { return words_of(original_.source[i]); }
    static Pair zero() { return {launch_row(isa::LaunchRow::zero), launch_row(isa::LaunchRow::zero)}; }
    VirtualOperand number(std::uint32_t value) { return literal(kernel_.frame, value, 1); }
    bool is_zero(const VirtualOperand& word) const { return literal_value(kernel_.frame, word) == 0U; }

    VirtualInstruction make(Operation operation, Type type, std::initializer_list<VirtualOperand> sources) const {
        VirtualInstruction made = part_of(original_);
        made.machine.operation = operation;
        made.machine.type = type;
        std::ranges::copy(sources, made.source.begin());
        return made;
    }

    /// Appends the instruction with new rows as its destination.
    VirtualOperand append(VirtualInstruction instruction, unsigned rows = 1) {
        instruction.set_destination(kernel_.new_rows(rows), rows);
        sequence_.push_back(instruction);
        return register_rows(instruction.destination, rows);
    }

    VirtualOperand result(Operation operation, Type type, std::initializer_list<VirtualOperand> sources) {
        return append(make(operation, type, sources));
    }

    PredicateUse append_predicate(VirtualInstruction instruction) {
        instruction.destination_predicate[0] = kernel_.new_predicate();
        sequence_.push_back(instruction);
        return {sequence_.back().destination_predicate[0], false};
    }

    /// Makes the pair the instruction's result. The allocator makes most of these copies vanish.
    void give(const Pair& pair) {
        give_word(pair.low, original_.destination);
        give_word(pair.high, original_.destination + 1);
    }

    void give_word(const VirtualOperand& word, std::uint32_t row) {
        VirtualInstruction copy = make(Operation::mov, Type::b32, {word});
        copy.guard = original_.guard;
        copy.set_destination(row);
        sequence_.push_back(copy);
    }

    /// Makes one instruction for each word, under the original's guard.
    bool expand_by_words() {
        for (unsigned i = 0; i < 2; ++i) {
            VirtualInstruction word = original_;
            word.machine.type = Type::b32;
            word.set_destination(word.destination + i);
            for (VirtualOperand& operand : word.source) {
                if (operand.rows == 2) { operand = word_of(operand, i); }
            }
            sequence_.push_back(word);
        }
        return true;
    }

    Pair sum(bool subtract, const Pair& a, const Pair& b) {
        const Operation plain = subtract ? Operation::sub : Operation::add;
        if (is_zero(b.low)) { return {a.low, result(plain, Type::u32, {a.high, b.high})}; }
        if (is_zero(a.low) && !subtract) { return {b.low, result(plain, Type::u32, {a.high, b.high})}; }
        VirtualInstruction low = make(carrying(subtract), Type::u32, {a.low, b.low});
        low.source_predicate[0] = subtract ? PredicateUse{kAlways, false} : kNever;
        const std::uint32_t carry = kernel_.new_predicate();
        low.destination_predicate[0] = carry;
        const VirtualOperand low_word = append(low);
        VirtualInstruction high = make(carrying(subtract), Type::u32, {a.high, b.high});
        high.source_predicate[0] = {carry, false};
        return {low_word, append(high)};
    }

    static Operation carrying(bool subtract) { return subtract ? Operation::sub_borrow : Operation::add_carry; }

    /// A sum that reads or writes the program's own carry.
    bool expand_carry() {
        VirtualInstruction low = make(original_.machine.operation, Type::u32, {source(0).low, source(1).low});
        low.source_predicate[0] = original_.source_predicate[0];
        const std::uint32_t carry = kernel_.new_predicate();
        low.destination_predicate[0] = carry;
        const VirtualOperand low_word = append(low);
        VirtualInstruction high = original_;
        high.machine.type = Type::u32;
        high.source = {source(0).high, source(1).high, {}};
        high.source_predicate[0] = {carry, false};
        high.set_destination(high.destination + 1);
        sequence_.push_back(high);
        give_word(low_word, original_.destination);
        return true;
    }

    PredicateUse compare(Comparison comparison, Type type, VirtualOperand a, VirtualOperand b) {
        VirtualInstruction test = make(Operation::setp, type, {a, b});
        test.machine.comparison = comparison;
        return append_predicate(test);
    }

    Type high_type() const { return isa::is_signed(original_.machine.type) ? Type::s32 : Type::u32; }

    /// Makes `test` compare pairs: by the low words first, then by the high ones.
    void extend(VirtualInstruction& test, Type type, const Pair& a, const Pair& b) {
        test.source_predicate[1] = compare(test.machine.comparison, Type::u32, a.low, b.low);
        test.machine.type = type;
        test.machine.mode = static_cast<std::uint8_t>(isa::CompareMode::extended);
        test.source = {a.high, b.high, {}};
    }

    PredicateUse less_than(const Pair& a, const Pair& b) {
        VirtualInstruction test = make(Operation::setp, Type::u32, {});
        test.machine.comparison = Comparison::lt;
        extend(test, high_type(), a, b);
        return append_predicate(test);
    }

    bool expand_setp() {
        VirtualInstruction test = original_;
        extend(test, high_type(), source(0), source(1));
        sequence_.push_back(test);
        return true;
    }

    bool expand_set() {
        VirtualInstruction test = make(Operation::setp, Type::u32, {});
        test.machine.comparison = original_.machine.comparison;
        test.machine.combine = original_.machine.combine;
        test.source_predicate[0] = original_.source_predicate[0];
        extend(test, isa::is_signed(original_.machine.source_type) ? Type::s32 : Type::u32, source(0), source(1));
        VirtualInstruction pick = make(Operation::select, Type::b32, {});
        pick.source_predicate[0] = append_predicate(test);
        pick.source = {number(original_.machine.type == Type::f32 ? 0x3f800000U : 0xffffffffU), zero().low, {}};
        pick.guard = original_.guard;
        pick.set_destination(original_.destination);
        sequence_.push_back(pick);
        return true;
    }

    VirtualOperand select_word(PredicateUse condition, const VirtualOperand& yes, const VirtualOperand& no) {
        VirtualInstruction pick = make(Operation::select, Type::b32, {yes, no});
        pick.source_predicate[0] = condition;
        return append(pick);
    }

    Pair select(PredicateUse condition, const Pair& yes, const Pair& no) {
        const VirtualOperand low = select_word(condition, yes.low, no.low);
        return {low, select_word(condition, yes.high, no.high)};
    }

    bool expand_convert() {
        const isa::InstructionForm& machine = original_.machine;
        if (machine.saturate || !is_any_integer(machine.type) || !is_any_integer(machine.source_type)) { return false; }
        if (isa::is_pair(machine.source_type) && !isa::is_pair(machine.type)) {
            VirtualInstruction narrow = original_;
            narrow.machine.source_type = isa::is_signed(machine.source_type) ? Type::s32 : Type::u32;
            narrow.source[0] = source(0).low;
            sequence_.push_back(narrow);
            return true;
        }
        if (!isa::is_pair(machine.type) || isa::is_pair(machine.source_type)) { return false; }
        VirtualOperand low = original_.source[0];
        const bool with_sign = isa::is_signed(machine.source_type);
        if (isa::type_bytes(machine.source_type) < 4) {
            VirtualInstruction widen = make(Operation::convert, with_sign ? Type::s32 : Type::u32, {low});
            widen.machine.source_type = machine.source_type;
            low = append(widen);
        }
        give({low, with_sign ? result(Operation::shr, Type::s32, {low, number(31)}) : zero().high});
        return true;
    }

    bool expand_count() {
        const Operation operation = original_.machine.operation;
        const VirtualOperand low = result(operation, Type::b32, {source(0).low});
        const VirtualOperand high = result(operation, Type::b32, {source(0).high});
        if (operation == Operation::popc) {
            give_word(result(Operation::add, Type::u32, {low, high}), original_.destination);
            return true;
        }
        const VirtualOperand both = result(Operation::add, Type::u32, {low, number(32)});
        const PredicateUse only_low = compare(Comparison::eq, Type::u32, source(0).high, zero().high);
        give_word(select_word(only_low, both, high), original_.destination);
        return true;
    }

    /// The 64-bit product of 32-bit factors, plus `addend` if there is one.
    Pair wide_product(Type type, VirtualOperand a, VirtualOperand b, const std::optional<VirtualOperand>& addend) {
        if (options_.wide_multiply) {
            VirtualInstruction whole = make(addend ? Operation::mad_wide : Operation::mul_wide,
                                            type == Type::s32 ? Type::s64 : Type::u64, {a, b});
            whole.machine.source_type = type;
            if (addend) { whole.source[2] = *addend; }
            return words_of(append(whole, 2));
        }
        const VirtualOperand low = result(Operation::mul_lo, type, {a, b});
        const Pair words{low, result(Operation::mul_hi, type, {a, b})};
        return addend ? sum(false, words, words_of(*addend)) : words;
    }

    /// The product of a mul_wide or mad_wide.
    Pair whole_product() {
        const bool adds = original_.machine.operation == Operation::mad_wide;
        const std::optional<VirtualOperand> addend = adds ? std::optional(original_.source[2]) : std::nullopt;
        return wide_product(original_.machine.source_type, original_.source[0], original_.source[1], addend);
    }

    /// The low 64 bits of a * b + addend.
    Pair product(const Pair& a, const Pair& b, const std::optional<VirtualOperand>& addend) {
        Pair words = wide_product(Type::u32, a.low, b.low, addend);
        for (const auto& [low, high] : {std::pair{a.low, b.high}, std::pair{b.low, a.high}}) {
            if (!is_zero(high)) { words.high = result(Operation::mad_lo, Type::u32, {low, high, words.high}); }
        }
        return words;
    }

    /// A pair of rows that hold a zero-extended word.
    VirtualOperand widened(VirtualOperand word) {
        const std::uint32_t rows = kernel_.new_rows(2);
        for (unsigned i = 0; i < 2; ++i) {
            VirtualInstruction copy = make(Operation::mov, Type::b32, {i == 0 ? word : zero().high});
            copy.set_destination(rows + i);
            sequence_.push_back(copy);
        }
        return register_rows(rows, 2);
    }

    /// The high 64 bits of a * b, by long multiplication of words; no partial sum exceeds 64 bits. As an unsigned
    /// number, a negative signed factor is too large by 2^64, so the other factor is subtracted from the high half.
    Pair high_product(const Pair& a, const Pair& b) {
        const Pair low = wide_product(Type::u32, a.low, b.low, std::nullopt);
        const Pair first = wide_product(Type::u32, a.low, b.high, widened(low.high));
        const Pair second = wide_product(Type::u32, a.high, b.low, widened(first.low));
        const Pair third = wide_product(Type::u32, a.high, b.high, widened(second.high));
        Pair high = sum(false, third, words_of(widened(first.high)));
        if (!isa::is_signed(original_.machine.type)) { return high; }
        for (const auto& [factor, other] : {std::pair{a, b}, std::pair{b, a}}) {
            const VirtualOperand sign = result(Operation::shr, Type::s32, {factor.high, number(31)});
            const VirtualOperand masked = result(Operation::bit_and, Type::b32, {sign, other.low});
            high = sum(true, high, {masked, result(Operation::bit_and, Type::b32, {sign, other.high})});
        }
        return high;
    }

    Pair shifted(const Pair& value, VirtualOperand amount) {
        const bool left = original_.machine.operation == Operation::shl;
        const bool with_sign = isa::is_signed(original_.machine.type);
        const Type type = left ? Type::b32 : with_sign ? Type::s32 : Type::u32;
        const Operation plain = left ? Operation::shl : Operation::shr;
        const auto known = literal_value(kernel_.frame, amount);
        if (known && *known >= 32) {
            // Amounts of 64 or more become 32 or more here and shift everything out, as they must.
            const VirtualOperand rest = number(static_cast<std::uint32_t>(*known - 32));
            if (left) { return {zero().low, result(plain, type, {value.low, rest})}; }
            return {result(plain, type, {value.high, rest}),
                    with_sign ? result(plain, type, {value.high, number(31)}) : zero().high};
        }
        VirtualInstruction funnel =
            make(left ? Operation::shf_l : Operation::shf_r, type, {value.low, value.high, amount});
        funnel.machine.mode = static_cast<std::uint8_t>(isa::ShiftMode::wide);
        const VirtualOperand across = append(funnel);
        const VirtualOperand within = result(plain, type, {left ? value.low : value.high, amount});
        return left ? Pair{within, across} : Pair{across, within};
    }

    /// A destination row that is written before its old value is read gets a temporary row, which is copied at the end.
    void keep_sources_until_read() {
        const std::size_t count = sequence_.size();
        for (std::size_t i = 0; i < count; ++i) {
            if (sequence_[i].destination_rows != 1 || !is_destination(sequence_[i].destination)) { continue; }
            const std::uint32_t row = sequence_[i].destination;
            const auto reads_it = [row](const VirtualInstruction& later) {
                return std::ranges::any_of(later.source, [row](const VirtualOperand& operand) {
                    return operand.kind == Operand::Kind::reg && operand.index <= row &&
                           row < operand.index + operand.rows;
                });
            };
            if (std::none_of(sequence_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                             sequence_.begin() + static_cast<std::ptrdiff_t>(count), reads_it)) {
                continue;
            }
            const std::uint32_t aside = kernel_.new_rows(1);
            sequence_[i].destination = aside;
            sequence_[i].guard = {kAlways, false};
            give_word(register_rows(aside), row);
        }
    }

    bool is_destination(std::uint32_t row) const {
        return row >= original_.destination && row < original_.destination + original_.destination_rows;
    }

    VirtualKernel& kernel_;
    const IsaOptions& options_;
    VirtualInstruction original_;
    std::vector<VirtualInstruction> sequence_;
};

}  // namespace

void expand_wide_operations(VirtualKernel& kernel, const IsaOptions& options) {
    Expander(kernel, options).run();
}

void split_groups(VirtualKernel& kernel) {
    std::vector<bool> together(kernel.groups.size(), false);
    for_each_instruction(kernel, [&](const VirtualInstruction& instruction) {
        if (instruction.destination_rows > 1) { together[kernel.group_of[instruction.destination]] = true; }
        for (const VirtualOperand& operand : instruction.source) {
            if (operand.kind == Operand::Kind::reg && operand.rows > 1) {
                together[kernel.group_of[operand.index]] = true;
            }
        }
    });
    const auto count = static_cast<std::uint32_t>(kernel.groups.size());
    for (std::uint32_t group = 0; group < count; ++group) {
        const RowGroup whole = kernel.groups[group];
        if (whole.rows == 1 || together[group]) { continue; }
        kernel.groups[group] = {whole.first, 1, 1};
        for (std::uint32_t row = whole.first + 1; row < whole.first + whole.rows; ++row) {
            kernel.group_of[row] = static_cast<std::uint32_t>(kernel.groups.size());
            kernel.groups.push_back({row, 1, 1});
        }
    }
}

}  // namespace lookahead::finaliser
