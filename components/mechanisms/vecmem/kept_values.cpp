#include "components/mechanisms/vecmem/kept_values.h"

namespace lookahead::vecmem {

VirtualOperand KeptValues::operand(const Term& term) {
    const auto rows = static_cast<std::uint8_t>(term.high == kNoValue ? 1 : 2);
    if (term.constant) { return {Operand::Kind::constant, rows, term.low}; }
    const auto [found, is_new] = rows_.try_emplace({term.low, term.high}, 0);
    if (is_new) { found->second = kernel_.new_rows(rows); }
    return {Operand::Kind::reg, rows, found->second};
}

std::vector<WordCopy> KeptValues::copies(const Term& term) {
    std::vector<WordCopy> result;
    if (term.constant) { return result; }
    const std::uint32_t row = operand(term).index;
    result.push_back(copy_of(term.low, row));
    if (term.high != kNoValue) { result.push_back(copy_of(term.high, row + 1)); }
    return result;
}

WordCopy KeptValues::copy_of(ValueId id, std::uint32_t row) const {
    const Value& value = values_[id];
    WordCopy copy{value.at.block, kNone, row, {Operand::Kind::reg, 1, value.unit}};
    if (value.kind == Value::Kind::definition) { copy.behind = value.at.index; }
    if (value.kind == Value::Kind::start) { copy = {0, kNone, row, {Operand::Kind::reg, 1, value.unit}}; }
    return copy;
}

VirtualInstruction as_instruction(const WordCopy& copy, const VirtualInstruction& served) {
    VirtualInstruction move = finaliser::beside(served);
    move.machine.operation = isa::Operation::mov;
    move.machine.type = isa::Type::b32;
    move.source[0] = copy.word;
    move.destination = copy.row;
    move.destination_rows = 1;
    return move;
}

}  // namespace lookahead::vecmem
