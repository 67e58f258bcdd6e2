#include "components/frontend/ptx/instruction_form.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "components/frontend/ptx/problem.h"

namespace lookahead::ptx {
namespace {

using Words = std::vector<std::string_view>;

bool contains(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// The modifiers in the meaning of `form`: each word goes to the first group that has it and is not taken yet. Nothing
/// if a word has no group or a required group stays empty.
std::optional<Modifiers> match_words(const InstructionForm& form, const Words& words) {
    Modifiers modifiers;
    std::vector<bool> taken(form.groups.size(), false);
    for (const std::string_view word : words) {
        std::size_t g = 0;
        while (g < form.groups.size() && (taken[g] || !contains(form.groups[g].words, word))) { ++g; }
        if (g == form.groups.size()) { return std::nullopt; }
        taken[g] = !form.groups[g].repeated;
        apply_modifier(form.groups[g].kind, word, modifiers);
    }
    for (std::size_t g = 0; g < form.groups.size(); ++g) {
        if (!taken[g] && !form.groups[g].optional) { return std::nullopt; }
    }
    return modifiers;
}

std::string joined(std::string_view mnemonic, const Words& words) {
    std::string text(mnemonic);
    for (const std::string_view word : words) { text.append(".").append(word); }
    return text;
}

std::string list_of_forms(std::span<const InstructionForm> forms) {
    std::vector<std::string> lines;
    for (const InstructionForm& form : forms) {
        std::string syntax = form.syntax();
        if (std::find(lines.begin(), lines.end(), syntax) == lines.end()) { lines.push_back(std::move(syntax)); }
    }
    return fmt::format("{}", fmt::join(lines, ", "));
}

[[noreturn]] void refuse_modifiers(std::span<const InstructionForm> forms, std::string_view mnemonic,
                                   const Words& words, std::uint32_t line) {
    for (const std::string_view word : words) {
        const bool known = std::any_of(forms.begin(), forms.end(), [&](const InstructionForm& form) {
            return std::any_of(form.groups.begin(), form.groups.end(),
                               [&](const ModifierGroup& group) { return contains(group.words, word); });
        });
        if (!known) { fail(line, ".{} is not supported with {}; supported: {}", word, mnemonic, list_of_forms(forms)); }
    }
    fail(line, "{} is not a supported combination; supported: {}", joined(mnemonic, words), list_of_forms(forms));
}

std::string operand_count(const InstructionForm& form) {
    std::size_t least = form.operands.size();
    while (least > 0 && form.takes(least - 1)) { --least; }
    std::string text = std::to_string(least);
    if (least < form.operands.size()) { text += fmt::format(" to {}", form.operands.size()); }
    return text;
}

}  // namespace

FormMatch match_form(std::string_view mnemonic, const Words& words, std::size_t operands, std::uint32_t line) {
    const std::span<const InstructionForm> forms = instruction_forms(mnemonic);
    if (forms.empty()) {
        fail(line, "instruction `{}` is not supported; supported: {}", mnemonic, supported_mnemonics());
    }
    std::string counts;
    for (const InstructionForm& form : forms) {
        const auto modifiers = match_words(form, words);
        if (!modifiers) { continue; }
        if (form.custom_operands || form.takes(operands)) { return {&form, *modifiers}; }
        counts += (counts.empty() ? "" : " or ") + operand_count(form);
    }
    if (counts.empty()) { refuse_modifiers(forms, mnemonic, words, line); }
    fail(line, "{} takes {} operands, not {}", joined(mnemonic, words), counts, operands);
}

}  // namespace lookahead::ptx
