#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "components/frontend/ptx/form_table.h"
#include "components/frontend/ptx/instruction_form.h"
#include "tests/components/frontend/ptx/test_support.h"
#include "tests/support/seed.h"

namespace lookahead::ptx {
namespace {

constexpr std::string_view kTypes[] = {"b8",  "b16", "b32", "b64", "u8",    "u16", "u32", "u64", "s8",
                                       "s16", "s32", "s64", "f16", "f16x2", "f32", "f64", "pred"};

using Random = std::mt19937_64;

/// A kernel with registers v_TYPE_0 ... v_TYPE_8 of each type, and `instruction`.
std::string with_typed_registers(const std::string& instruction) {
    std::string text = ".entry k() {\n";
    for (const std::string_view type : kTypes) {
        text.append(".reg .").append(type).append(" v_").append(type).append("_<9>;\n");
    }
    return test::with_header(text + instruction + ";\nret; }");
}

std::size_t pick(Random& random, std::size_t count) {
    return static_cast<std::size_t>(random() % count);
}

/// An instruction of a form, with the modifiers in random order (types among themselves in theirs).
struct Sample {
    const InstructionForm& form;
    std::vector<std::string_view> words;
    std::vector<std::string_view> types;
    std::size_t width = 1;
    std::string_view geometry;

    std::string text(const std::vector<std::string>& operands) const {
        std::string result(form.mnemonic);
        for (const std::string_view word : words) { result.append(".").append(word); }
        for (std::size_t i = 0; i < operands.size(); ++i) { result += (i == 0 ? " " : ", ") + operands[i]; }
        return result;
    }
};

Sample sample(const InstructionForm& form, Random& random) {
    Sample result{form, {}, {}, 1, {}};
    for (const ModifierGroup& group : form.groups) {
        if (group.optional && random() % 2 == 0) { continue; }
        const std::string_view word = group.words[pick(random, group.words.size())];
        result.words.push_back(word);
        if (group.kind == "type") { result.types.push_back(word); }
        if (group.kind == "vec") { result.width = std::stoul(std::string(word.substr(1))); }
        if (group.kind == "geom") { result.geometry = word; }
    }
    std::shuffle(result.words.begin(), result.words.end(), random);
    std::size_t next = 0;
    for (std::string_view& word : result.words) {
        if (std::find(result.types.begin(), result.types.end(), word) != result.types.end()) {
            word = result.types[next++];
        }
    }
    return result;
}

std::string type_of(const Sample& sample, std::string_view place) {
    if (place == "T") { return std::string(sample.types[0]); }
    if (place == "U") { return std::string(sample.types[1]); }
    if (place == "V") { return std::string(sample.types[2]); }
    if (place == "A") { return "u64"; }
    if (place == "W") {
        return std::string(sample.types[0].substr(0, 1)) + (sample.types[0].ends_with("16") ? "32" : "64");
    }
    return std::string(place);
}

std::string reg(const std::string& type, Random& random) {
    return "v_" + type + "_" + std::to_string(pick(random, 9));
}

std::string vector_of(const std::string& type, std::size_t width, Random& random) {
    std::string text = "{";
    for (std::size_t i = 0; i < width; ++i) { text += (i == 0 ? "" : ", ") + reg(type, random); }
    return text + "}";
}

std::string texture(const Sample& sample, Random& random) {
    const std::string type(sample.types.size() == 1 ? "s32" : sample.types[1]);  // surfaces have one type
    const std::string g(sample.geometry);
    const bool array = g[0] == 'a';
    const std::size_t width = g == "1d" || g == "a1d" ? 1 : g == "2d" ? 2 : array ? 3 : 4;
    std::string coordinates = array ? reg("u32", random) + ", " : "";
    for (std::size_t i = 0; i < width; ++i) { coordinates += (i == 0 ? "" : ", ") + reg(type, random); }
    return "[" + reg("b64", random) + ", {" + coordinates + "}]";
}

std::string operand(const Sample& sample, const OperandPlace& place, Random& random) {
    const std::string type = type_of(sample, place.type);
    switch (place.shape) {
        case OperandShape::address:
            // Local addresses may be in registers of either size; 64 bits fit everywhere.
            return "[" + reg("u64", random) + "+8]";
        case OperandShape::texture:
            return texture(sample, random);
        case OperandShape::texture_result:
        case OperandShape::texture_value:
            return vector_of(type, sample.width, random);
        case OperandShape::constant:
            return "17";
        case OperandShape::value:
        case OperandShape::value_destination:
            return sample.width == 1 ? reg(type, random) : vector_of(type, sample.width, random);
        case OperandShape::destination_pair:
            return reg(type, random) + (random() % 2 == 0 ? "|" + reg("pred", random) : "");
        default:
            return reg(type, random);
    }
}

std::vector<std::string> operands(const Sample& sample, Random& random) {
    std::vector<std::string> texts;
    for (const OperandPlace& place : sample.form.operands) {
        if (place.optional && random() % 2 == 0) { continue; }
        texts.push_back(operand(sample, place, random));
    }
    return texts;
}

/// Rules beyond the table, which error_test checks.
bool breaks_a_rule(const std::string& message) {
    return message.find("this conversion") != std::string::npos || message.find(".ftz applies") != std::string::npos ||
           message.find("at most 16 bytes") != std::string::npos;
}

std::vector<const InstructionForm*> plain_forms() {
    std::vector<const InstructionForm*> forms;
    std::string_view last;
    for (const FormRow& row : form_rows()) {
        if (row.mnemonic() == last) { continue; }
        last = row.mnemonic();
        for (const InstructionForm& form : instruction_forms(row.mnemonic())) {
            if (!form.custom_operands) { forms.push_back(&form); }
        }
    }
    return forms;
}

}  // namespace

TEST_CASE("the table has the instructions of the census") {
    CHECK(form_rows().size() > 160);
    CHECK(plain_forms().size() + 4 == form_rows().size());
}

TEST_CASE("every form of the table parses with its modifiers in any order") {
    Random random(lookahead::test::random_seed());
    for (const InstructionForm* form : plain_forms()) {
        std::size_t accepted = 0;
        for (int i = 0; i < 60; ++i) {
            const Sample s = sample(*form, random);
            const std::string text = s.text(operands(s, random));
            CAPTURE(text);
            const std::string message = test::refusal(with_typed_registers(text));
            if (breaks_a_rule(message)) { continue; }
            REQUIRE(message == "accepted");
            ++accepted;
            const Instruction instruction = test::parse(with_typed_registers(text)).functions[0].instructions[0];
            REQUIRE(instruction.opcode == form->opcode);
            for (std::size_t t = 0; t < s.types.size(); ++t) {
                REQUIRE(name_of(instruction.modifiers.types[t]) == s.types[t]);
            }
        }
        CAPTURE(form->syntax());
        CHECK(accepted > 0);
    }
}

TEST_CASE("every form of the table refuses a predicate in place of a number, and the other way round") {
    Random random(lookahead::test::random_seed());
    for (const InstructionForm* form : plain_forms()) {
        for (int i = 0; i < 10; ++i) {
            const Sample s = sample(*form, random);
            std::vector<std::string> texts = operands(s, random);
            if (texts.empty() || breaks_a_rule(test::refusal(with_typed_registers(s.text(texts))))) { continue; }
            std::string& changed = texts[pick(random, texts.size())];
            if (!changed.starts_with("v_")) { continue; }
            changed = changed.starts_with("v_pred") ? "v_u32_1" : "v_pred_1";
            CAPTURE(s.text(texts));
            REQUIRE(test::refusal(with_typed_registers(s.text(texts))).find("register v_") != std::string::npos);
        }
    }
}

TEST_CASE("every form of the table refuses an operand too many and an operand too few") {
    Random random(lookahead::test::random_seed());
    for (const InstructionForm* form : plain_forms()) {
        const Sample s = sample(*form, random);
        std::vector<std::string> texts;
        for (std::size_t count = 0; count < 8; ++count) {
            const bool fits =
                std::any_of(instruction_forms(form->mnemonic).begin(), instruction_forms(form->mnemonic).end(),
                            [&](const InstructionForm& other) { return other.takes(count); });
            if (!fits) {
                CAPTURE(s.text(texts));
                REQUIRE(test::refusal(with_typed_registers(s.text(texts))).find(" operands, not ") !=
                        std::string::npos);
            }
            texts.push_back("v_b32_1");
        }
    }
}

}  // namespace lookahead::ptx
