#include "components/mechanisms/vecmem/kept_values.h"

#include <algorithm>

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
    if (value.kind == Value::Kind::start) { copy.block = 0; }
    return copy;
}

VirtualInstruction move_of(const VirtualOperand& word, std::uint32_t row, const VirtualInstruction& served) {
    VirtualInstruction move = finaliser::beside(served, isa::Operation::mov, isa::Type::b32);
    move.source[0] = word;
    move.destination = row;
    move.destination_rows = 1;
    return move;
}

VirtualInstruction computation(VirtualKernel& kernel, const VirtualInstruction& served, isa::Operation operation,
                               isa::Type type, const std::array<VirtualOperand, 3>& sources, isa::Type source_type) {
    VirtualInstruction made = finaliser::beside(served, operation, type);
    made.machine.source_type = source_type;
    std::ranges::copy(sources, made.source.begin());
    made.destination_rows = isa::is_pair(type) ? 2 : 1;
    made.destination = kernel.new_rows(made.destination_rows);
    return made;
}

VirtualOperand result_of(const VirtualInstruction& instruction) {
    return {Operand::Kind::reg, instruction.destination_rows, instruction.destination};
}

}  // namespace lookahead::vecmem
