#include "components/mechanisms/vecmem/linear_form.h"

#include <algorithm>

#include "components/frontend/finaliser/code/literals.h"
#include "core/bits/one_of.h"
#include "core/mutation/rule.h"

namespace lookahead::vecmem {

namespace {

/// Sums of more terms are taken as atoms; addresses do not have so many.
constexpr std::size_t kMostTerms = 8;
/// The most sums in a chain that are searched for a base.
constexpr unsigned kMostSums = 6;

std::uint64_t signed_word(std::uint64_t word) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(word)));
}

}  // namespace

std::int64_t Form::signed_constant() const {
    return static_cast<std::int64_t>(rows_ == 1 ? signed_word(constant_) : constant_);
}

std::optional<Term> Form::single() const {
    if (constant_ != 0 || terms_.size() != 1 || terms_[0].second != 1) { return std::nullopt; }
    return terms_[0].first;
}

void Form::add(const Term& term, std::uint64_t coefficient) {
    const auto at = std::ranges::lower_bound(terms_, term, {}, &std::pair<Term, std::uint64_t>::first);
    if (at == terms_.end() || at->first != term) {
        if (wrapped(coefficient) != 0) { terms_.insert(at, {term, wrapped(coefficient)}); }
        return;
    }
    at->second = wrapped(at->second + coefficient);
    if (at->second == 0) { terms_.erase(at); }
}

void Form::add(const Form& other, std::uint64_t times) {
    add(other.constant_ * times);
    for (const auto& [term, coefficient] : other.terms_) { add(term, coefficient * times); }
}

Forms::Forms(const VirtualKernel& kernel, const finaliser::Flow& flow, const finaliser::Values& values,
             const std::vector<ExactRecurrence>& exact)
    : kernel_(kernel), values_(values) {
    learn(flow, exact);
    for (std::uint32_t block : flow.order()) {
        for (std::uint32_t index = 0; index < kernel.blocks[block].code.size(); ++index) {
            const std::vector<ValueId>& written = values.written({block, index});
            const unsigned rows = kernel.blocks[block].code[index].destination_rows;
            if (rows == 0 || rows > 2) { continue; }
            if (const auto form = computed({block, index})) {
                known_.emplace(Words{written[0], rows == 2 ? written[1] : kNoValue}, *form);
            }
        }
    }
}

void Forms::learn(const finaliser::Flow& flow, const std::vector<ExactRecurrence>& exact) {
    for (const ExactRecurrence& rule : exact) {
        if (!flow.reachable(rule.block)) { continue; }
        Known known{kNoValue, std::nullopt, 0, &rule};
        const auto& code = kernel_.blocks[rule.block].code;
        bool has_step = rule.step.kind == Operand::Kind::constant;
        if (const auto value = finaliser::literal_value(kernel_.frame, rule.step)) {
            known.literal = *value;
        } else if (has_step) {
            known.step = Term{true, Extension::none, rule.step.index, kNoValue};
        }
        for (std::uint32_t index = 0; index < code.size(); ++index) {
            for (unsigned s = 0; s < code[index].source.size(); ++s) {
                const VirtualOperand& operand = code[index].source[s];
                if (operand.kind != Operand::Kind::reg || operand.rows != 1) { continue; }
                const ValueId id = values_.reads({rule.block, index}).source[s][0];
                const Value& value = values_[id];
                if (operand.index == rule.row && value.kind == Value::Kind::join && value.at.block == rule.block) {
                    known.join = id;
                }
                if (!has_step && operand == rule.step) {
                    known.step = Term{false, Extension::none, id, kNoValue};
                    has_step = true;
                }
            }
        }
        if (known.join != kNoValue && has_step) { exact_.push_back(std::move(known)); }
    }
}

Form Forms::value(ValueId low, ValueId high) const {
    if (const auto found = known_.find({low, high}); found != known_.end()) { return found->second; }
    Form form(high == kNoValue ? 1 : 2);
    form.add(Term{false, Extension::none, low, high}, 1);
    return form;
}

Form Forms::source(Position at, unsigned index) const {
    const VirtualOperand& operand = values_.instruction(at).source[index];
    if (operand.kind == Operand::Kind::constant) {
        Form form(operand.rows);
        if (const auto literal = finaliser::literal_value(kernel_.frame, operand)) {
            form.add(*literal);
        } else {
            form.add(Term{true, Extension::none, operand.index, operand.rows == 2 ? operand.index + 1 : kNoValue}, 1);
        }
        return form;
    }
    const auto& words = values_.reads(at).source[index];
    return value(words[0], operand.rows == 2 ? words[1] : kNoValue);
}

Form Forms::address(Position at) const {
    Form form = source(at, 0);
    const std::int32_t offset = values_.instruction(at).machine.offset;
    form.add(static_cast<std::uint64_t>(std::int64_t{offset}));
    return form;
}

Form Forms::address_in_parts(Position at) const {
    Form form = address(at);
    const VirtualOperand& whole = values_.instruction(at).source[0];
    if (whole.kind != Operand::Kind::reg || whole.rows != 2) { return form; }
    const Value& defined = values_[values_.reads(at).source[0][0]];
    if (defined.kind != Value::Kind::definition || defined.word != 0 || defined.at.block != at.block) { return form; }
    const VirtualInstruction& sum = values_.instruction(defined.at);
    if (sum.machine.operation != Operation::add || sum.guarded() || !isa::is_pair(sum.machine.type)) { return form; }
    for (std::size_t side : {0U, 1U}) {
        if (sum.source[side].kind != Operand::Kind::reg || sum.source[side].rows != 2) { continue; }
        const auto& part = values_.reads(defined.at).source[side];
        if (values_[part[0]].at.block == at.block || values_[part[1]].at.block == at.block) { continue; }
        const Form itself = value(part[0], part[1]);
        if (itself.terms().size() < 2) {
            continue;  // a stride, or as short as it can be
        }
        form.add(itself, ~std::uint64_t{0});
        form.add(Term{false, Extension::none, part[0], part[1]}, 1);
        break;
    }
    return form;
}

std::optional<std::pair<Term, std::int64_t>> Forms::part_of_address(Position at, const Form& wanted) const {
    return part_of(at, 0, wanted, kMostSums);
}

std::optional<std::pair<Term, std::int64_t>> Forms::part_of(Position at, unsigned source, const Form& wanted,
                                                            unsigned depth) const {
    const VirtualOperand& operand = values_.instruction(at).source[source];
    if (depth == 0 || operand.kind != Operand::Kind::reg || operand.rows != wanted.rows()) { return std::nullopt; }
    const auto& words = values_.reads(at).source[source];
    const Term term{false, Extension::none, words[0], operand.rows == 2 ? words[1] : kNoValue};
    const Form missing = wanted - value(term.low, term.high);
    if (missing.is_constant()) { return std::pair(term, missing.signed_constant()); }
    const Value& defined = values_[term.low];
    if (defined.kind != Value::Kind::definition || defined.word != 0) { return std::nullopt; }
    const VirtualInstruction& sum = values_.instruction(defined.at);
    using enum Operation;
    if (sum.guarded() || !is_one_of(sum.machine.operation, mov, add, sub, mad_lo, mad_wide)) { return std::nullopt; }
    for (unsigned i = 0; i < 3; ++i) {
        if (const auto found = part_of(defined.at, i, wanted, depth - 1)) { return found; }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> Forms::literal(Position at, unsigned index) const {
    const VirtualOperand& operand = values_.instruction(at).source[index];
    if (operand.kind == Operand::Kind::none) { return std::nullopt; }
    const Form form = source(at, index);
    if (!form.is_constant()) { return std::nullopt; }
    return form.constant();
}

/// An extended sum of words that may wrap is no sum: it is an atom, `whole`.
Form Forms::extended(const Form& form, const Term& whole, Extension extension) const {
    Form result(2);
    if (form.is_constant()) {
        result.add(extension == Extension::sign ? signed_word(form.constant()) : form.constant());
        return result;
    }
    if (const auto single = form.single()) {
        Term term = *single;
        term.extension = extension;
        result.add(term, 1);
        return result;
    }
    for (const Known& known : exact_) {
        const bool keeps_number = extension == Extension::sign ? known.rule->as_signed : known.rule->as_unsigned;
        if (LOOKAHEAD_RULE(counters_have_one_sign) && !keeps_number) { continue; }
        const Term join{false, Extension::none, known.join, kNoValue};
        Form rest = form;
        rest.add(join, ~std::uint64_t{0});
        for (std::uint64_t times = 1; times <= known.rule->most; ++times) {
            Form steps(1, known.literal * times);
            if (known.step) { steps.add(of_word(*known.step), times); }
            if (rest != steps) { continue; }
            result.add(Term{false, extension, known.join, kNoValue}, 1);
            if (known.step) {
                result.add(extended(of_word(*known.step), *known.step, Extension::sign), times);
            } else {
                result.add(signed_word(known.literal) * times);
            }
            return result;
        }
    }
    Term term = whole;
    term.extension = extension;
    result.add(term, 1);
    return result;
}

Form Forms::of_word(const Term& term) const {
    if (!term.constant) { return value(term.low, kNoValue); }
    Form form(1);
    form.add(term, 1);
    return form;
}

Form Forms::extended_source(Position at, unsigned index, Type type) const {
    const VirtualOperand& operand = values_.instruction(at).source[index];
    const bool constant = operand.kind == Operand::Kind::constant;
    const Term whole{constant, Extension::none, constant ? operand.index : values_.reads(at).source[index][0],
                     kNoValue};
    return extended(source(at, index), whole, isa::is_signed(type) ? Extension::sign : Extension::zero);
}

std::optional<Form> Forms::converted(Position at) const {
    const VirtualInstruction& instruction = values_.instruction(at);
    const isa::InstructionForm& machine = instruction.machine;
    if (!isa::is_pair(machine.type) || instruction.destination_rows != 2 || instruction.source[0].rows != 1 ||
        (machine.source_type != Type::s32 && machine.source_type != Type::u32) || machine.saturate) {
        return std::nullopt;
    }
    return extended_source(at, 0, machine.source_type);
}

/// A product with a literal, plus a further source if there is one.
std::optional<Form> Forms::product(Position at) const {
    const VirtualInstruction& instruction = values_.instruction(at);
    const isa::InstructionForm& machine = instruction.machine;
    const bool wide = machine.operation == Operation::mul_wide || machine.operation == Operation::mad_wide;
    if (wide &&
        (instruction.destination_rows != 2 || (machine.source_type != Type::s32 && machine.source_type != Type::u32))) {
        return std::nullopt;
    }
    for (unsigned side : {0U, 1U}) {
        const auto factor = literal(at, side);
        if (!factor) { continue; }
        Form form = wide ? extended_source(at, 1 - side, machine.source_type) : source(at, 1 - side);
        if (form.rows() != instruction.destination_rows) { return std::nullopt; }
        Form result(form.rows());
        result.add(form, wide && isa::is_signed(machine.source_type) ? signed_word(*factor) : *factor);
        if (instruction.source[2].kind != Operand::Kind::none) {
            if (instruction.source[2].rows != result.rows()) { return std::nullopt; }
            result.add(source(at, 2));
        }
        return result;
    }
    return std::nullopt;
}

std::optional<Form> Forms::computed(Position at) const {
    const VirtualInstruction& instruction = values_.instruction(at);
    const isa::InstructionForm& machine = instruction.machine;
    if (instruction.guarded() || machine.saturate) { return std::nullopt; }
    const auto whole_sources = [&](unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            if (instruction.source[i].rows != instruction.destination_rows) { return false; }
        }
        return true;
    };
    std::optional<Form> form;
    switch (machine.operation) {
        case Operation::mov:
            if (whole_sources(1)) { form = source(at, 0); }
            break;
        case Operation::add:
        case Operation::sub:
            if (!isa::is_word_or_pair(machine.type) || !whole_sources(2)) { return std::nullopt; }
            form = source(at, 0);
            form->add(source(at, 1), machine.operation == Operation::add ? 1 : ~std::uint64_t{0});
            break;
        case Operation::mul_lo:
        case Operation::mad_lo:
            if (isa::is_word_or_pair(machine.type) && whole_sources(2)) { form = product(at); }
            break;
        case Operation::mul_wide:
        case Operation::mad_wide:
            form = product(at);
            break;
        case Operation::shl:
            if (const auto amount = literal(at, 1); amount &&
                                                    instruction.source[0].rows == instruction.destination_rows &&
                                                    *amount < 32U * instruction.destination_rows) {
                form = Form(instruction.destination_rows);
                form->add(source(at, 0), std::uint64_t{1} << *amount);
            }
            break;
        case Operation::convert:
            form = converted(at);
            break;
        default:
            break;
    }
    if (form && form->terms().size() > kMostTerms) { form.reset(); }
    return form;
}

}  // namespace lookahead::vecmem
