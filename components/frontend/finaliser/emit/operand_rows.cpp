#include "components/frontend/finaliser/emit/operand_rows.h"

#include "components/isa/modes.h"
#include "components/isa/texture.h"

namespace lookahead::finaliser {

using isa::Operation;

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

}  // namespace

OperandShape shape_of(const isa::Instruction& instruction) {
    const auto rows = static_cast<std::uint8_t>(isa::type_rows(instruction.type));
    const std::uint32_t typed = exactly(rows);
    const std::uint32_t from = exactly(isa::type_rows(instruction.source_type));
    const std::uint32_t word = exactly(1);
    const std::uint32_t optional_word = kAbsent | word;
    switch (instruction.operation) {
        case Operation::nop:
        case Operation::bra:
        case Operation::exit:
        case Operation::membar:
            return {};
        case Operation::enqueue:
            if (instruction.mode >= static_cast<std::uint8_t>(isa::QueueMode::predicate)) { return {}; }
            return {0, {kAddress, kAbsent, kAbsent, kAbsent}};
        case Operation::dequeue:
            return {0, {kAbsent, kAbsent, kAbsent, kAbsent}, true};
        case Operation::trap:
            if (instruction.mode == static_cast<std::uint8_t>(isa::TrapMode::plain) ||
                instruction.mode == static_cast<std::uint8_t>(isa::TrapMode::stack)) {
                return {};
            }
            if (instruction.mode == static_cast<std::uint8_t>(isa::TrapMode::call)) {
                return {0, {kAddress, kAbsent, kAbsent, kAbsent}};
            }
            return {0, {exactly(4), exactly(3), kAbsent, kAbsent}};
        case Operation::warp_sync:
            return {0, {word, kAbsent, kAbsent, kAbsent}};
        case Operation::barrier:
            return barrier_shape(instruction);
        case Operation::pred_and:
        case Operation::pred_or:
        case Operation::pred_xor:
        case Operation::pred_not:
        case Operation::pred_mov:
            return {0, {kAbsent, kAbsent, kAbsent, kAbsent}, true};
        case Operation::setp:
            return {0, {typed, typed, kAbsent, kAbsent}, true};
        case Operation::set:
            return {rows, {from, from, kAbsent, kAbsent}};
        case Operation::read_special:
            return {rows, {kAbsent, kAbsent, kAbsent, kAbsent}};
        case Operation::activemask:
            return {1, {kAbsent, kAbsent, kAbsent, kAbsent}};
        case Operation::load:
        case Operation::store:
        case Operation::atomic:
        case Operation::reduce:
        case Operation::load_stride:
        case Operation::store_stride:
        case Operation::load_indirect:
        case Operation::store_indirect:
            return memory_shape(instruction);
        case Operation::vote:
            return vote_shape(instruction);
        case Operation::match:
            return {1, {typed, optional_word, kAbsent, kAbsent}};
        case Operation::redux:
            return {1, {word, optional_word, kAbsent, kAbsent}};
        case Operation::add_carry:
        case Operation::sub_borrow:
            return {rows, {typed, typed, kAbsent, kAbsent}};
        case Operation::dot4:
        case Operation::dot2:
        case Operation::abs_diff:
            return {1, {word, word, word, kAbsent}};
        case Operation::shuffle:
            return {1, {word, word, word, optional_word}};
        case Operation::texture:
            return {4, {exactly(2), exactly(isa::coordinates_of(isa::geometry_of(instruction))), kAbsent, kAbsent}};
        case Operation::convert:
            return {rows, {from, kAbsent, kAbsent, kAbsent}};
        case Operation::mul_wide:
            return {rows, {from, from, kAbsent, kAbsent}};
        case Operation::mad_wide:
            return {rows, {from, from, typed, kAbsent}};
        case Operation::shl:
        case Operation::shr:
            return {rows, {typed, word, kAbsent, kAbsent}};
        case Operation::bfe:
            return {rows, {typed, word, word, kAbsent}};
        case Operation::popc:
        case Operation::clz:
        case Operation::bfind:
            return {1, {typed, kAbsent, kAbsent, kAbsent}};
        case Operation::mov:
        case Operation::neg:
        case Operation::abs:
        case Operation::sqrt:
        case Operation::rcp:
        case Operation::rsqrt:
        case Operation::ex2:
        case Operation::lg2:
        case Operation::sin:
        case Operation::cos:
        case Operation::tanh:
        case Operation::bit_not:
        case Operation::brev:
            return {rows, {typed, kAbsent, kAbsent, kAbsent}};
        case Operation::select:
        case Operation::add:
        case Operation::sub:
        case Operation::mul_lo:
        case Operation::mul_hi:
        case Operation::div:
        case Operation::rem:
        case Operation::min:
        case Operation::max:
        case Operation::bit_and:
        case Operation::bit_or:
        case Operation::bit_xor:
            return {rows, {typed, typed, kAbsent, kAbsent}};
        case Operation::bfi:
            return {rows, {typed, typed, word, kAbsent}};
        case Operation::mad_lo:
        case Operation::mad_hi:
        case Operation::fma:
        case Operation::lop3:
        case Operation::prmt:
        case Operation::shf_l:
        case Operation::shf_r:
            return {rows, {typed, typed, typed, kAbsent}};
    }
    return {};
}

}  // namespace lookahead::finaliser
