#include "components/frontend/ptx/instruction_parser.h"

#include <string>
#include <utility>

#include "components/frontend/ptx/instruction_rules.h"
#include "components/frontend/ptx/operand_fitter.h"
#include "components/frontend/ptx/problem.h"
#include "components/frontend/ptx/raw_operand.h"

namespace lookahead::ptx {

void InstructionParser::parse() {
    const std::size_t start = cursor_.position();
    std::string text = cursor_.statement_text(start);
    try {
        Instruction instruction = parse_untexted();
        cursor_.expect(';', "after an instruction");
        instruction.text = std::move(text);
        function_.instructions.push_back(std::move(instruction));
    } catch (Problem& problem) {
        problem.statement = std::move(text);
        throw;
    }
}

Instruction InstructionParser::parse_untexted() {
    Instruction instruction;
    instruction.line = cursor_.line();
    instruction.guard = parse_guard();
    const std::string_view mnemonic = cursor_.expect_identifier("an instruction");
    const std::vector<std::string_view> modifiers = parse_modifiers();

    const std::span<const InstructionForm> forms = instruction_forms(mnemonic);
    const Opcode opcode = forms.empty() ? Opcode::mov : forms.front().opcode;
    const bool jumps = opcode == Opcode::bra || opcode == Opcode::brx_idx || opcode == Opcode::call;
    if (forms.empty() || jumps) {
        const FormMatch match = match_form(mnemonic, modifiers, 0, instruction.line);
        instruction.opcode = match.form->opcode;
        instruction.modifiers = match.modifiers;
        if (opcode == Opcode::bra) { parse_branch(instruction); }
        if (opcode == Opcode::brx_idx) { parse_indexed_branch(instruction); }
        if (opcode == Opcode::call) { parse_call(instruction); }
        return instruction;
    }

    std::vector<RawOperand> operands = parse_operands(cursor_, scope_);
    const FormMatch match = match_form(mnemonic, modifiers, operands.size(), instruction.line);
    instruction.opcode = match.form->opcode;
    instruction.modifiers = match.modifiers;
    OperandFitter fitter(module_, function_, instruction);
    if (instruction.opcode == Opcode::mov) {
        fitter.fit_mov(operands);
    } else {
        fitter.fit_form(*match.form, operands);
    }
    apply_instruction_rules(instruction);
    return instruction;
}

std::optional<Guard> InstructionParser::parse_guard() {
    if (!cursor_.accept('@')) { return std::nullopt; }
    Guard guard;
    guard.negated = cursor_.accept('!');
    const std::uint32_t line = cursor_.line();
    const std::string_view name = cursor_.expect_identifier("a predicate register after @");
    const auto meaning = scope_.find(name);
    if (!meaning) { fail(line, "unknown predicate register `{}`", name); }
    if (!meaning->is_register || function_.registers[meaning->reg].type != Type::pred) {
        fail(line, "`{}` after @ is not a register of type .pred", name);
    }
    guard.reg = meaning->reg;
    return guard;
}

std::vector<std::string_view> InstructionParser::parse_modifiers() {
    std::vector<std::string_view> modifiers;
    while (cursor_.peek().kind == TokenKind::dot_word) { modifiers.push_back(cursor_.next().text); }
    return modifiers;
}

void InstructionParser::use_label(std::string_view label, std::uint32_t operand, std::optional<std::uint32_t> element) {
    const auto index = static_cast<std::uint32_t>(function_.instructions.size());
    scope_.use_label({index, operand, element, std::string(label)});
}

void InstructionParser::parse_branch(Instruction& instruction) {
    const std::string_view label = cursor_.expect_identifier("a label");
    instruction.operands.push_back({.kind = OperandKind::label});
    use_label(label, 0, std::nullopt);
}

/// `brx.idx index, list`, where `list: .branchtargets A, B, ...;` stands before it.
void InstructionParser::parse_indexed_branch(Instruction& instruction) {
    OperandFitter fitter(module_, function_, instruction);
    instruction.operands.push_back(fitter.source(parse_operand(cursor_, scope_), Type::u32));
    cursor_.expect(',', "after brx.idx's index");
    const std::string name(cursor_.expect_identifier("the name of a .branchtargets list"));
    const std::vector<std::string>* labels = scope_.find_branch_targets(name);
    if (labels == nullptr) { fail(instruction.line, "no .branchtargets list `{}` before this instruction", name); }
    instruction.operands.push_back(
        {.kind = OperandKind::labels, .targets = std::vector<std::uint32_t>(labels->size())});
    for (std::uint32_t i = 0; i < labels->size(); ++i) { use_label((*labels)[i], 1, i); }
}

/// `call (results), callee, (arguments), prototype`, all but the callee optional.
void InstructionParser::parse_call(Instruction& instruction) {
    if (cursor_.peek().is('(')) {
        instruction.operands.push_back(call_list());
        instruction.destination_count = 1;
        cursor_.expect(',', "after a call's results");
    }
    instruction.operands.push_back(callee());
    const bool is_indirect = instruction.operands.back().kind == OperandKind::reg;
    if (cursor_.accept(',')) {
        if (cursor_.peek().is('(')) {
            instruction.operands.push_back(call_list());
            if (is_indirect) { cursor_.expect(',', "before an indirect call's .callprototype"); }
        }
        if (is_indirect) {
            const std::string name(cursor_.expect_identifier("the name of a .callprototype"));
            const auto index = scope_.find_prototype(name);
            if (!index) { fail(instruction.line, "no .callprototype `{}` before this instruction", name); }
            instruction.operands.push_back({.kind = OperandKind::prototype, .target = *index});
        }
    }
    check_call(module_, function_, instruction);
}

Operand InstructionParser::callee() {
    const std::uint32_t line = cursor_.line();
    const std::string name(cursor_.expect_identifier("a function's name"));
    const auto meaning = scope_.find(name);
    if (!meaning) { fail(line, "unknown function `{}`; functions must be declared before they are called", name); }
    const Type type = module_.address_type();
    if (meaning->is_register) {
        if (!register_agrees(function_.registers[meaning->reg].type, type, false)) {
            fail(line, "register `{}` cannot hold a function's address", name);
        }
        return {.kind = OperandKind::reg, .type = type, .reg = meaning->reg};
    }
    if (meaning->symbol.kind != SymbolKind::function || module_.functions[meaning->symbol.index].is_kernel) {
        fail(line, "`{}` is not a device function (.func) and cannot be called", name);
    }
    return {.kind = OperandKind::symbol, .type = type, .symbol = meaning->symbol};
}

Operand InstructionParser::call_list() {
    Operand list{.kind = OperandKind::arguments};
    cursor_.expect('(', "before a call's arguments");
    if (cursor_.accept(')')) { return list; }
    do { list.elements.push_back(call_argument()); } while (cursor_.accept(','));
    cursor_.expect(')', "after a call's arguments");
    return list;
}

/// A register, a .param variable or a constant; check_call gives constants their type.
Operand InstructionParser::call_argument() {
    const std::uint32_t line = cursor_.line();
    RawOperand raw = parse_operand(cursor_, scope_);
    if (raw.operand.kind == OperandKind::immediate) {
        if (!raw.literal.is_integer()) {
            fail(line, "a floating-point constant cannot be an argument; move it to a register");
        }
        raw.operand.value = raw.literal.bits;
        return raw.operand;
    }
    const bool is_variable = raw.operand.kind == OperandKind::symbol && raw.operand.value == 0 &&
                             raw.operand.symbol.kind == SymbolKind::function_variable &&
                             function_.variables[raw.operand.symbol.index].space == StateSpace::param;
    if (raw.has_second || raw.operand.negated || (raw.operand.kind != OperandKind::reg && !is_variable)) {
        fail(line, "an argument of a call must be a register, a .param variable or an integer constant");
    }
    return raw.operand;
}

}  // namespace lookahead::ptx
