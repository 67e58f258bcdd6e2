#include "components/frontend/ptx/instruction_form.h"

#include <algorithm>
#include <map>
#include <ranges>

#include <fmt/format.h>

#include "components/frontend/ptx/form_table.h"
#include "components/frontend/ptx/type.h"
#include "core/error/error.h"

namespace lookahead::ptx {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0) { parts.push_back(text.substr(0, end)); }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
    if (!text.ends_with(suffix)) { return false; }
    text.remove_suffix(suffix.size());
    return true;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) { return false; }
    text.remove_prefix(prefix.size());
    return true;
}

ModifierGroup compile_group(std::string_view notation) {
    ModifierGroup group;
    const std::size_t open = notation.find('(');
    std::string_view kind = notation.substr(0, open);
    group.repeated = take_suffix(kind, "*");
    group.optional = take_suffix(kind, "?") || group.repeated;
    group.kind = kind;
    if (open == std::string_view::npos) {
        group.words = {kind};
    } else {
        group.words = split(notation.substr(open + 1, notation.size() - open - 2), '|');
    }
    LOOKAHEAD_ASSERT(is_modifier_kind(kind), "the instruction table has an unknown kind of modifier");
    for (const std::string_view word : group.words) {
        LOOKAHEAD_ASSERT(is_modifier_word(kind, word), "the instruction table has an unknown modifier");
    }
    return group;
}

bool is_place_type(std::string_view name) {
    return name == "T" || name == "U" || name == "V" || name == "W" || name == "A" || type_named(name);
}

OperandPlace compile_place(std::string_view notation) {
    OperandPlace place;
    place.optional = take_suffix(notation, "?");
    place.wider = take_suffix(notation, "~");
    const bool destination = take_prefix(notation, "=");
    const bool vector = take_prefix(notation, "#");
    if (notation == "addr" || notation == "tex" || notation == "var") {
        place.shape = notation == "addr"  ? OperandShape::address
                      : notation == "var" ? OperandShape::variable_address
                      : destination       ? OperandShape::texture_result
                      : vector            ? OperandShape::texture_value
                                          : OperandShape::texture;
        place.type = notation == "addr" ? "A" : "T";
        return place;
    }
    if (take_prefix(notation, "&")) {
        place.shape = OperandShape::flexible_source;
    } else if (take_prefix(notation, "$")) {
        place.shape = OperandShape::constant;
    } else if (vector) {
        place.shape = destination ? OperandShape::value_destination : OperandShape::value;
    } else if (take_suffix(notation, "|p")) {
        place.shape = OperandShape::destination_pair;
    } else {
        place.shape = destination ? OperandShape::destination : OperandShape::source;
    }
    LOOKAHEAD_ASSERT(is_place_type(notation), "the instruction table has an unknown operand");
    place.type = notation;
    return place;
}

InstructionForm compile_form(const FormRow& row) {
    InstructionForm form{row.mnemonic(), row.opcode, {}, {}, row.operands == "custom"};
    for (const std::string_view group : split(row.modifiers, ' ')) { form.groups.push_back(compile_group(group)); }
    if (form.custom_operands) { return form; }
    for (const std::string_view place : split(row.operands, ' ')) { form.operands.push_back(compile_place(place)); }
    return form;
}

using FormTable = std::map<std::string_view, std::vector<InstructionForm>>;

FormTable compile_table() {
    FormTable table;
    for (const FormRow& row : form_rows()) { table[row.mnemonic()].push_back(compile_form(row)); }
    return table;
}

const FormTable& table() {
    static const FormTable compiled = compile_table();
    return compiled;
}

}  // namespace

bool InstructionForm::takes(std::size_t count) const {
    const auto optional = std::count_if(operands.begin(), operands.end(), [](const auto& o) { return o.optional; });
    return count <= operands.size() && count + static_cast<std::size_t>(optional) >= operands.size();
}

std::string InstructionForm::syntax() const {
    std::string text(mnemonic);
    for (const ModifierGroup& group : groups) {
        if (group.kind == "hint") { continue; }
        std::string words;
        for (const std::string_view word : group.words) {
            words += words.empty() ? "." : "|.";
            words += word;
        }
        const bool braces = group.optional || group.words.size() > 1;
        text += braces ? (group.optional ? fmt::format("{{{}}}", words) : fmt::format("({})", words)) : words;
    }
    return text;
}

std::span<const InstructionForm> instruction_forms(std::string_view mnemonic) {
    const auto found = table().find(mnemonic);
    if (found == table().end()) { return {}; }
    return found->second;
}

std::string supported_mnemonics() {
    return fmt::format("{}", fmt::join(std::views::keys(table()), ", "));
}

}  // namespace lookahead::ptx
