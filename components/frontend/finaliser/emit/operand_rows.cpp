#include "components/frontend/finaliser/emit/emit.h"

#include <string_view>

#include "components/isa/instruction.h"
#include "components/isa/modes.h"
#include "components/isa/texture.h"

namespace lookahead::finaliser {

namespace {

constexpr std::uint32_t exactly(unsigned rows) {
    return rows <= isa::kMostOperandRows ? 1U << rows : 0;
}
constexpr std::uint32_t kAbsent = exactly(0);
constexpr std::uint32_t kAddress = exactly(1) | exactly(2);

OperandShape memory_shape(const isa::Instruction& instruction) {
    const unsigned element = isa::type_rows(instruction.type);
    const unsigned all = element * instruction.vector;
    const bool compares = instruction.atomic == isa::AtomicOp::cas;
    const std::uint32_t swap = compares ? exactly(element) : kAbsent;
    const std::uint32_t address = instruction.dequeues ? kAbsent : kAddress;
    switch (instruction.operation) {
        case Operation::load:
            return {static_cast<std::uint8_t>(all), {address, kAbsent, kAbsent, kAbsent}};
        case Operation::store:
            return {0, {address, exactly(all), kAbsent, kAbsent}};
        case Operation::atomic:
            return {static_cast<std::uint8_t>(element), {kAddress, exactly(element), swap, kAbsent}};
        case Operation::load_stride:
            return {static_cast<std::uint8_t>(all), {kAddress, exactly(1), kAbsent, kAbsent}};
        case Operation::load_indirect:
            return {static_cast<std::uint8_t>(all), {kAddress, exactly(all), kAbsent, kAbsent}};
        case Operation::store_stride:
            return {0, {kAddress, exactly(all), exactly(1), kAbsent}};
        case Operation::store_indirect:
            return {0, {kAddress, exactly(all), exactly(all), kAbsent}};
        default:
            return {0, {kAddress, exactly(element), swap, kAbsent}};
    }
}

OperandShape barrier_shape(const isa::Instruction& instruction) {
    constexpr std::uint32_t optional_word = kAbsent | exactly(1);
    const bool counts = instruction.barrier == isa::BarrierKind::popc;
    OperandShape shape{static_cast<std::uint8_t>(counts ? 1 : 0), {optional_word, optional_word, kAbsent, kAbsent}};
    shape.writes_predicate =
        instruction.barrier == isa::BarrierKind::bit_and || instruction.barrier == isa::BarrierKind::bit_or;
    return shape;
}

OperandShape vote_shape(const isa::Instruction& instruction) {
    const bool ballot = instruction.mode == static_cast<std::uint8_t>(isa::VoteMode::ballot);
    OperandShape shape{static_cast<std::uint8_t>(ballot ? 1 : 0), {kAbsent | exactly(1), kAbsent, kAbsent, kAbsent}};
    shape.writes_predicate = !ballot;
    return shape;
}

OperandShape trap_shape(const isa::Instruction& instruction) {
    switch (static_cast<isa::TrapMode>(instruction.mode)) {
        case isa::TrapMode::plain:
        case isa::TrapMode::stack:
            return {};
        case isa::TrapMode::call:
            return {0, {kAddress, kAbsent, kAbsent, kAbsent}};
        default:
            return {0, {exactly(4), exactly(3), kAbsent, kAbsent}};
    }
}

OperandShape enqueue_shape(const isa::Instruction& instruction) {
    if (instruction.mode >= static_cast<std::uint8_t>(isa::QueueMode::predicate)) { return {}; }
    return {0, {kAddress, kAbsent, kAbsent, kAbsent}};
}

/// Shapes that do not follow from the types alone.
OperandShape special_shape(const isa::Instruction& instruction) {
    switch (instruction.operation) {
        case Operation::barrier:
            return barrier_shape(instruction);
        case Operation::trap:
            return trap_shape(instruction);
        case Operation::enqueue:
            return enqueue_shape(instruction);
        case Operation::vote:
            return vote_shape(instruction);
        case Operation::texture:
            return {4, {exactly(2), exactly(isa::coordinates_of(isa::geometry_of(instruction))), kAbsent, kAbsent}};
        default:
            return memory_shape(instruction);
    }
}

}  // namespace

OperandShape shape_of(const isa::Instruction& instruction) {
    const std::string_view operands = isa::info_of(instruction.operation).operands;
    if (operands == "*") { return special_shape(instruction); }
    const auto rows = static_cast<std::uint8_t>(isa::type_rows(instruction.type));
    OperandShape shape{0, {kAbsent, kAbsent, kAbsent, kAbsent}};
    const std::size_t equals = operands.find('=');
    if (equals == std::string_view::npos) { return shape; }
    if (equals != 0) {
        shape.writes_predicate = operands.front() == 'p';
        shape.destination = operands.front() == 't' ? rows : operands.front() == '1' ? 1 : 0;
    }
    for (std::size_t source = 0; equals + 1 + source < operands.size(); ++source) {
        switch (operands[equals + 1 + source]) {
            case 't':
                shape.source[source] = exactly(rows);
                break;
            case 'f':
                shape.source[source] = exactly(isa::type_rows(instruction.source_type));
                break;
            case 'o':
                shape.source[source] = kAbsent | exactly(1);
                break;
            default:
                shape.source[source] = exactly(1);
        }
    }
    return shape;
}

}  // namespace lookahead::finaliser
