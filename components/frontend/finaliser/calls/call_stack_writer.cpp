#include "components/frontend/finaliser/calls/call_stack_writer.h"

#include <utility>

#include "components/frontend/finaliser/calls/operands.h"
#include "components/frontend/finaliser/calls/recursive_frame.h"
#include "components/isa/code_address.h"

namespace lookahead::finaliser {

void CallStackWriter::append_stack() {
    stack_ = static_cast<std::uint32_t>(result_.variables.size());
    result_.variables.push_back({.name = "stack",
                                 .space = ptx::StateSpace::local,
                                 .type = Type::b8,
                                 .elements = isa::kCallStackBytes,
                                 .alignment = kFrameAlignment});
    stack_end_ = new_register("stack_end", Type::u32);
    append_move({}, register_operand(stack_end_, Type::u32), number_operand(0, Type::u32), Type::u32);
}

void CallStackWriter::append_stack_move(const Instruction& origin, std::uint32_t bytes) {
    append_sum(origin, stack_end_, register_operand(stack_end_, Type::u32), number_operand(bytes, Type::u32),
               Type::u32);
}

std::uint32_t CallStackWriter::append_frame_address(const Instruction& origin) {
    const Type type = address_type_;
    const std::uint32_t stack = new_register("stack", type), frame = new_register("frame", type);
    const Operand variable{.kind = OperandKind::symbol, .symbol = {SymbolKind::function_variable, stack_}};
    append_move(origin, register_operand(stack, type), variable, type);
    Operand offset = register_operand(stack_end_, Type::u32);
    if (type == Type::u64) {
        const std::uint32_t wide = new_register("stack_end", type);
        append_like(origin, Opcode::cvt, type, {register_operand(wide, type), offset}).modifiers.types[1] = Type::u32;
        offset = register_operand(wide, type);
    }
    append_sum(origin, frame, register_operand(stack, type), offset, type);
    return frame;
}

Operand CallStackWriter::place_in_frame(Operand operand, std::uint32_t offset, const Instruction& origin) {
    const Type type = address_type_;
    const std::uint32_t frame = append_frame_address(origin);
    operand.symbol = {};
    operand.value += offset;
    if (operand.kind == OperandKind::address) {
        operand.has_base = true;
        operand.reg = frame;
        return operand;
    }
    const std::uint32_t address = new_register("address", type);
    append_sum(origin, address, register_operand(frame, type), number_operand(operand.value, type), type);
    return register_operand(address, operand.type);
}

void CallStackWriter::append_frame_access(const Instruction& origin, Opcode opcode, std::uint32_t frame,
                                          std::uint32_t offset, Operand value, Type type) {
    append_access(origin, opcode, 0, std::move(value), type);
    Instruction& access = result_.instructions.back();
    access.modifiers.space = ptx::StateSpace::local;
    Operand& place = access.operands[opcode == Opcode::ld ? 1 : 0];
    place.type = address_type_;
    place.symbol = {};
    place.has_base = true;
    place.reg = frame;
    place.value = offset;
}

void CallStackWriter::append_stack_check(const Instruction& origin, std::uint32_t bytes) {
    const std::uint32_t end = new_register("frame_end", Type::u32), beyond = new_register("beyond", Type::pred);
    append_sum(origin, end, register_operand(stack_end_, Type::u32), number_operand(bytes, Type::u32), Type::u32);
    append_comparison(origin, ptx::Comparison::gt, beyond, register_operand(end, Type::u32), isa::kCallStackBytes);
    Instruction& trap = append_like(origin, Opcode::trap, Type::none);
    trap.guard = ptx::Guard{beyond, false};
    trap.operands = {register_operand(end, Type::u32), number_operand(isa::kCallStackBytes, Type::u32)};
}

}  // namespace lookahead::finaliser
