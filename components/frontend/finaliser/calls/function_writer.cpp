#include "components/frontend/finaliser/calls/function_writer.h"

#include <utility>

#include "components/frontend/finaliser/calls/operands.h"

namespace lookahead::finaliser {

FunctionWriter::FunctionWriter(const ptx::Function& function) : result_(function) {
    result_.registers.clear();
    result_.variables.clear();
    result_.instructions.clear();
    result_.labels.clear();
}

std::uint32_t FunctionWriter::new_parameter_variable(const ptx::Parameter& parameter) {
    result_.variables.push_back({.name = parameter.name,
                                 .space = ptx::StateSpace::param,
                                 .type = parameter.type,
                                 .vector_width = parameter.vector_width,
                                 .elements = parameter.elements,
                                 .alignment = parameter.alignment});
    return static_cast<std::uint32_t>(result_.variables.size() - 1);
}

std::uint32_t FunctionWriter::new_register(const char* name, Type type) {
    result_.registers.push_back({name, type});
    return static_cast<std::uint32_t>(result_.registers.size() - 1);
}

Instruction& FunctionWriter::append_like(const Instruction& origin, Opcode opcode, Type type,
                                         std::vector<Operand> operands) {
    Instruction& made = result_.instructions.emplace_back();
    made.opcode = opcode;
    made.modifiers.types[0] = type;
    made.destination_count = operands.empty() ? 0 : 1;
    made.operands = std::move(operands);
    made.line = origin.line;
    made.text = origin.text;
    return made;
}

std::uint32_t FunctionWriter::append_branch(const Instruction& origin, std::optional<ptx::Guard> guard,
                                            std::uint32_t target) {
    const std::uint32_t place = next();
    Instruction& branch = append_like(origin, Opcode::bra, Type::none);
    branch.guard = guard;
    branch.operands = {label_operand(target)};
    return place;
}

void FunctionWriter::append_move(const Instruction& origin, Operand to, Operand from, Type type) {
    to.type = from.type = type;
    append_like(origin, Opcode::mov, type, {std::move(to), std::move(from)});
}

void FunctionWriter::append_access(const Instruction& origin, Opcode opcode, std::uint32_t variable, Operand value,
                                   Type type, std::uint32_t offset) {
    Instruction& access = append_like(origin, opcode, type);
    access.modifiers.space = ptx::StateSpace::param;
    value.type = type;
    const bool loads = opcode == Opcode::ld;
    access.destination_count = loads ? 1 : 0;
    access.operands = {address_operand({SymbolKind::function_variable, variable}, offset), std::move(value)};
    if (loads) { std::swap(access.operands[0], access.operands[1]); }
}

void FunctionWriter::append_comparison(const Instruction& origin, ptx::Comparison comparison, std::uint32_t predicate,
                                       Operand value, std::uint64_t number, Type type) {
    value.type = type;
    append_like(origin, Opcode::setp, type,
                {register_operand(predicate, Type::pred), std::move(value), number_operand(number, type)})
        .modifiers.comparison = comparison;
}

void FunctionWriter::append_sum(const Instruction& origin, std::uint32_t result, Operand a, Operand b, Type type) {
    append_like(origin, Opcode::add, type, {register_operand(result, type), std::move(a), std::move(b)});
}

Operand FunctionWriter::part_register(Type type) {
    return register_operand(new_register("part", type == Type::b8 ? Type::b16 : type), type);
}

void FunctionWriter::append_variable_copy(const Instruction& origin, std::uint32_t to, std::uint32_t from) {
    for_each_part(to, [&](std::uint32_t offset, Type type) {
        const Operand value = part_register(type);
        append_access(origin, Opcode::ld, from, value, type, offset);
        append_access(origin, Opcode::st, to, value, type, offset);
    });
}

}  // namespace lookahead::finaliser
