#include "components/frontend/native/decode.h"

#include <algorithm>
#include <array>
#include <optional>

namespace lookahead::native {
namespace {

/// What precedes a, b or c in the operands of an opcode.
struct SourceForm {
    bool exists = false;
    bool uniform = false;
    bool negates = false;   ///< or complements
    bool absolute = false;  ///< has a bit for the absolute value
    bool halves = false;
};

SourceForm form_of(std::string_view operands, char name) {
    SourceForm form;
    std::size_t at = 0;
    while (at < operands.size()) {
        const std::size_t end = std::min(operands.find(' ', at), operands.size());
        const std::string_view operand = operands.substr(at, end - at);
        at = end + 1;
        const char last = operand.back();
        if (operand.size() > 2 || std::tolower(last) != name || (last != name && last != name - 'a' + 'A')) {
            continue;
        }
        const char first = operand.size() == 2 ? operand[0] : ' ';
        form = {true, last != name, first != ' ', first == '|' || first == 'h', first == 'h'};
    }
    return form;
}

/// The bits of a source's modifiers; where it is depends on the operand's slot.
struct Slot {
    unsigned reg, negated, absolute, half;
};
constexpr Slot kFirst{24, 72, 73, 74};
constexpr Slot kMiddle{32, 63, 62, 60};
constexpr Slot kLast{64, 75, 74, 81};
constexpr Slot kLastOfHalves{64, 84, 83, 81};

void read_modifiers(Source& source, const Word& word, const SourceForm& form, const Slot& slot) {
    if (form.negates) { source.negated = word.bit(slot.negated); }
    if (form.absolute) { source.absolute = word.bit(slot.absolute); }
    if (form.halves) { source.half = static_cast<std::uint8_t>(word.bits(slot.half, 2)); }
}

Source register_at(const Instruction& instruction, const SourceForm& form, const Slot& slot) {
    Source source;
    if (!form.exists) { return source; }
    source.kind = form.uniform ? Source::Kind::uniform : Source::Kind::reg;
    source.value = form.uniform ? instruction.uniform(slot.reg) : instruction.reg(slot.reg);
    read_modifiers(source, instruction.word, form, slot);
    return source;
}

/// The operand in bits 32 to 63, as the form of the instruction has it.
Source middle(const Instruction& instruction, unsigned form, const SourceForm& has) {
    const Word& word = instruction.word;
    Source source;
    switch (form) {
        case 2:
        case 4:
            source.kind = Source::Kind::immediate;
            source.value = static_cast<std::uint32_t>(word.bits(32, 32));
            return source;
        case 3:
        case 5:
            source.kind = Source::Kind::constant;
            source.bank = static_cast<std::uint8_t>(word.bits(54, 5));
            source.value = static_cast<std::uint32_t>(word.bits(38, 16));
            break;
        case 6:
        case 7:
            source.kind = Source::Kind::uniform;
            source.value = instruction.uniform(32);
            break;
        default:
            return register_at(instruction, has, kMiddle);
    }
    read_modifiers(source, word, has, kMiddle);
    return source;
}

}  // namespace

const std::vector<Opcode>& opcodes() {
    static const std::vector<Opcode> kRows = {
#define OPCODE(number, name, first, last, operands, modifiers) {number, name, first, last, operands, modifiers},
#include "components/frontend/native/opcodes.def"
    };
    return kRows;
}

namespace {

struct OpcodeForms {
    const Opcode* opcode = nullptr;
    std::array<SourceForm, 3> sources;
};

/// The rows by their number, for the architecture.
const OpcodeForms* find_opcode(std::uint16_t number, unsigned architecture) {
    static const std::vector<std::vector<OpcodeForms>> kByNumber = [] {
        std::vector<std::vector<OpcodeForms>> rows(512);
        for (const Opcode& row : opcodes()) {
            rows[row.number].push_back(
                {&row, {form_of(row.operands, 'a'), form_of(row.operands, 'b'), form_of(row.operands, 'c')}});
        }
        return rows;
    }();
    for (const OpcodeForms& forms : kByNumber[number]) {
        if (architecture >= forms.opcode->first && architecture <= forms.opcode->last) { return &forms; }
    }
    return nullptr;
}

}  // namespace

Instruction decode(const Word& word, unsigned architecture) {
    Instruction instruction;
    instruction.word = word;
    instruction.architecture = architecture;
    const OpcodeForms* const forms = find_opcode(static_cast<std::uint16_t>(word.bits(0, 9)), architecture);
    if (forms == nullptr) { return instruction; }
    instruction.opcode = forms->opcode;
    instruction.guard = static_cast<std::uint8_t>(word.bits(12, 3));
    instruction.guard_negated = word.bit(15);
    const std::string_view operands = forms->opcode->operands;
    // R2UR, VOTEU and REDUX read registers of the lanes and give one value.
    instruction.is_uniform = (operands.starts_with('D') || operands.starts_with('P')) &&
                             operands.find_first_of("qr") == std::string_view::npos;
    const auto& [a, b, c] = forms->sources;
    const auto form = static_cast<unsigned>(word.bits(9, 3));
    const Slot& last = b.halves ? kLastOfHalves : kLast;
    instruction.a = register_at(instruction, a, kFirst);
    // The second of two operands is in either slot.
    const bool middle_is_c = form == 2 || form == 3 || form == 7;
    if (middle_is_c) {
        instruction.b = register_at(instruction, b, last);
        if (c.exists) {
            instruction.c = middle(instruction, form, c);
        } else if (b.exists) {
            instruction.b = middle(instruction, form, b);
        }
    } else {
        if (b.exists) { instruction.b = middle(instruction, form, b); }
        instruction.c = register_at(instruction, c, last);
    }
    return instruction;
}

std::int64_t Instruction::branch_offset() const {
    constexpr std::uint16_t kBssy = 0x145;
    if (opcode->number == kBssy) { return word.signed_bits(34, 30) * 4; }
    if (architecture < 90) { return word.signed_bits(34, 48) * 4; }
    return ((word.signed_bits(34, 48) << 8) + static_cast<std::int64_t>(word.bits(16, 8))) * 4;
}

unsigned Instruction::uniform_address_bit() const {
    return opcode->operands.find("r32") == std::string_view::npos ? 32 : 64;
}

bool Instruction::has_descriptor() const {
    if (!has_uniform_address() || architecture < 80 || opcode->operands.find("[g]") == std::string_view::npos) {
        return false;
    }
    const bool moves =
        opcode->number == 0x181 || opcode->number == 0x186 || opcode->number == 0x180 || opcode->number == 0x185;
    return word.bit(moves ? 76 : architecture >= 100 ? 81 : 71);
}

bool Instruction::is_plain_generic() const {
    return (opcode->number == 0x180 || opcode->number == 0x185) && !has_uniform_address();
}

namespace {

/// Atomic operations that return a value: their operation has the bit where others say that an address is wide.
bool returns_old_value(const Instruction& instruction) {
    const std::uint16_t number = instruction.opcode->number;
    return number == 0x1a8 || number == 0x1a3 || number == 0x1a2 || number == 0x18a;
}

}  // namespace

bool Instruction::has_wide_address() const {
    if (!has_uniform_address()) { return word.bit(72); }
    if (!returns_old_value(*this)) { return word.bit(90); }
    return word.bit(architecture >= 100 ? 63 : 70);
}

bool Instruction::has_constant_index() const {
    constexpr std::uint16_t kUldcOfPlace = 0x0b9;
    if (opcode->number == kUldcOfPlace) { return false; }
    return is_uniform ? uniform(24) != uniform_zero() : reg(24) != kZeroRegister;
}

std::int64_t Instruction::address_offset() const {
    constexpr std::uint16_t kLdcu = 0x1ac;
    if (opcode->operands.find("[c]") != std::string_view::npos) {
        const unsigned first = opcode->number == kLdcu ? 37 : 38;
        const unsigned count = 54 - first;
        return has_constant_index() ? word.signed_bits(first, count)
                                    : static_cast<std::int64_t>(word.bits(first, count));
    }
    if (is_plain_generic()) { return word.signed_bits(32, 32); }
    const bool has_flag = architecture >= 100 && has_uniform_address() && returns_old_value(*this);
    return word.signed_bits(40, has_flag ? 23 : 24);
}

isa::IssueControl control_of(const Word& word) {
    const auto bits = [&](unsigned first, unsigned count) {
        return static_cast<std::uint8_t>(word.bits(first, count));
    };
    return {bits(105, 4), !word.bit(109), bits(110, 3), bits(113, 3), bits(116, 6), bits(122, 4)};
}

}  // namespace lookahead::native
