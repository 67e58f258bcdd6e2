#include "components/frontend/finaliser/code/literals.h"

#include <algorithm>

#include "core/error/error.h"

namespace lookahead::finaliser {

namespace {

VirtualOperand constant(const isa::KernelFrame& frame, std::size_t literal_index, unsigned rows) {
    return {isa::Operand::Kind::constant, static_cast<std::uint8_t>(rows),
            static_cast<std::uint32_t>(frame.first_literal_row() + literal_index)};
}

}  // namespace

VirtualOperand literal(isa::KernelFrame& frame, std::uint64_t bits, unsigned rows) {
    LOOKAHEAD_ASSERT(rows == 1 || rows == 2, "literals have one or two words");
    if (rows == 1 && static_cast<std::uint32_t>(bits) == 0) { return launch_row(isa::LaunchRow::zero); }
    const std::uint32_t words[2] = {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
    auto& literals = frame.literals;
    const auto found = std::search(literals.begin(), literals.end(), words, words + rows);
    const auto index = static_cast<std::size_t>(found - literals.begin());
    if (found == literals.end()) { literals.insert(literals.end(), words, words + rows); }
    return constant(frame, index, rows);
}

VirtualOperand launch_row(isa::LaunchRow row) {
    return {isa::Operand::Kind::constant, 1, static_cast<std::uint32_t>(row)};
}

std::optional<std::uint64_t> literal_value(const isa::KernelFrame& frame, const VirtualOperand& operand) {
    if (operand.kind != isa::Operand::Kind::constant || operand.rows == 0 || operand.rows > 2) { return std::nullopt; }
    const auto zero_row = static_cast<std::uint32_t>(isa::LaunchRow::zero);
    if (operand.rows == 1 && operand.index == zero_row) { return 0; }
    if (operand.index < frame.first_literal_row()) { return std::nullopt; }
    const std::uint32_t first = operand.index - frame.first_literal_row();
    std::uint64_t value = frame.literals[first];
    if (operand.rows == 2) { value |= std::uint64_t{frame.literals[first + 1]} << 32; }
    return value;
}

}  // namespace lookahead::finaliser
