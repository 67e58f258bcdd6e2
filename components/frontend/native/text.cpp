#include <fmt/format.h>

#include <cstdlib>

#include "components/frontend/native/decode.h"
#include "components/frontend/native/special_registers.h"

namespace lookahead::native {
namespace {

template <class Visit>
void for_each_word(std::string_view text, char separator, Visit visit) {
    while (!text.empty()) {
        const std::size_t end = text.find(separator);
        visit(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
}

unsigned number_in(std::string_view text) {
    return static_cast<unsigned>(std::strtoul(std::string(text).c_str(), nullptr, 10));
}

std::string register_text(std::uint32_t number) {
    return number == kZeroRegister ? "RZ" : fmt::format("R{}", number);
}
std::string uniform_text(const Instruction& instruction, std::uint32_t number) {
    return number == instruction.uniform_zero() ? "URZ" : fmt::format("UR{}", number);
}
std::string predicate_text(std::uint64_t number, bool negated, bool uniform) {
    const std::string name = number == kTrue ? std::string("PT") : fmt::format("P{}", number);
    return fmt::format("{}{}{}", negated ? "!" : "", uniform ? "U" : "", name);
}

std::string source_text(const Instruction& instruction, const Source& source, char prefix) {
    std::string text;
    switch (source.kind) {
        case Source::Kind::none:
            return "";
        case Source::Kind::reg:
            text = register_text(source.value);
            break;
        case Source::Kind::uniform:
            text = uniform_text(instruction, source.value);
            break;
        case Source::Kind::constant:
            text = fmt::format("c[{:#x}][{:#x}]", source.bank, source.value);
            break;
        case Source::Kind::immediate:
            return fmt::format("{:#x}", source.value);
    }
    constexpr std::string_view kHalves[] = {"", ".F32", ".H0_H0", ".H1_H1"};
    text += kHalves[source.half & 3];
    if (source.absolute) { text = fmt::format("|{}|", text); }
    return source.negated ? fmt::format("{}{}", prefix == '~' ? '~' : '-', text) : text;
}

/// An address in memory; in constant banks also the bank.
std::string address_text(const Instruction& instruction, char space) {
    const Word& word = instruction.word;
    std::string text, before;
    const auto add = [&](std::string_view part) { text += fmt::format("{}{}", text.empty() ? "" : "+", part); };
    const std::int64_t offset = instruction.address_offset();
    if (space == 'c') {
        before = fmt::format("c[{:#x}]", word.bits(54, 5));
        if (instruction.has_constant_index()) {
            add(instruction.is_uniform ? uniform_text(instruction, instruction.uniform(24))
                                       : register_text(instruction.reg(24)));
        }
    } else {
        const std::string uniform = uniform_text(instruction, instruction.uniform(instruction.uniform_address_bit()));
        if (instruction.has_descriptor()) { before = fmt::format("desc[{}]", uniform); }
        if (instruction.reg(24) != kZeroRegister) {
            const bool wide = space == 'g' && instruction.has_wide_address();
            constexpr std::string_view kScales[] = {"", ".X4", ".X8", ".X16"};
            const std::string_view scale = space == 's' ? kScales[word.bits(78, 2)] : "";
            add(fmt::format("{}{}{}", register_text(instruction.reg(24)), wide ? ".64" : "", scale));
        }
        if (instruction.has_uniform_address() && !instruction.has_descriptor() && uniform != "URZ") { add(uniform); }
    }
    if (offset != 0 || text.empty()) {
        add(offset < 0 ? fmt::format("-{:#x}", -offset) : fmt::format("{:#x}", offset));
    }
    return fmt::format("{}[{}]", before, text);
}

std::string operand_text(const Instruction& instruction, std::string_view operand, std::uint64_t place) {
    const Word& word = instruction.word;
    const char kind = operand[0];
    if (operand.size() <= 2 && operand != "t") {
        const char prefix = operand.size() == 2 ? operand[0] : ' ';
        switch (operand.back()) {
            case 'd':
                return register_text(instruction.reg(16));
            case 'D':
                return uniform_text(instruction, instruction.uniform(16));
            case 'a':
            case 'A':
                return source_text(instruction, instruction.a, prefix);
            case 'b':
            case 'B':
                return source_text(instruction, instruction.b, prefix);
            default:
                return source_text(instruction, instruction.c, prefix);
        }
    }
    const unsigned bit = number_in(operand.substr(1));
    switch (kind) {
        case '[':
            return address_text(instruction, operand[1]);
        case 't':
            return fmt::format("{:#x}", static_cast<std::int64_t>(place) + 16 + instruction.branch_offset());
        case 'p':
        case 'P':
            return word.bits(bit, 3) == kTrue ? "" : predicate_text(word.bits(bit, 3), false, kind == 'P');
        case 'q':
        case 'Q':
            return word.bits(bit, 3) == kTrue && !word.bit(bit + 3)
                       ? ""
                       : predicate_text(word.bits(bit, 3), word.bit(bit + 3), kind == 'Q');
        case 'x':
        case 'X':
            return word.bits(bit, 3) == kTrue ? "" : predicate_text(word.bits(bit, 3), word.bit(bit + 3), kind == 'X');
        case 'r':
            return register_text(instruction.reg(bit == 32 ? instruction.data_bit() : bit));
        case 'w':
            return word.bits(9, 3) == 4 ? "" : register_text(instruction.reg(24));
        case 'u':
            return uniform_text(instruction, instruction.uniform(bit));
        case 's':
            return std::string(name_of_special(static_cast<unsigned>(word.bits(bit, 8))));
        case 'B':
            return fmt::format("B{}", word.bits(bit, 4));
        default:
            return fmt::format("{:#x}", word.bits(bit, number_in(operand.substr(operand.find('.') + 1))));
    }
}

}  // namespace

std::string text_of(const Instruction& instruction, std::uint64_t place) {
    const Word& word = instruction.word;
    if (instruction.opcode == nullptr) {
        return fmt::format("unknown opcode {:#x}: {:#018x} {:#018x}", word.bits(0, 12), word.high, word.low);
    }
    std::string text;
    if (instruction.guard != kTrue || instruction.guard_negated) {
        text =
            fmt::format("@{} ", predicate_text(instruction.guard, instruction.guard_negated, instruction.is_uniform));
    }
    text += instruction.opcode->name;
    for_each_word(instruction.opcode->modifiers, ' ', [&](std::string_view field) {
        const std::size_t dot = field.find('.'), colon = field.find(':');
        const std::uint64_t value = word.bits(number_in(field), number_in(field.substr(dot + 1)));
        std::uint64_t index = 0;
        for_each_word(field.substr(colon + 1), ',', [&](std::string_view name) {
            if (index++ == value && !name.empty()) { text += fmt::format(".{}", name); }
        });
    });
    std::string separator = " ";
    for_each_word(instruction.opcode->operands, ' ', [&](std::string_view operand) {
        const std::string part = operand_text(instruction, operand, place);
        if (part.empty()) { return; }
        text += fmt::format("{}{}", separator, part);
        separator = ", ";
    });
    return text;
}

}  // namespace lookahead::native
