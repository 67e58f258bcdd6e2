#include "components/frontend/ptx/instruction_rules.h"

#include <algorithm>

#include "components/frontend/ptx/operand_fitter.h"
#include "components/frontend/ptx/problem.h"

namespace lookahead::ptx {
namespace {

std::uint64_t size_of(const Function& caller, const Operand& argument) {
    if (argument.kind == OperandKind::symbol) { return caller.variables[argument.symbol.index].size(); }
    return bytes(caller.registers[argument.reg].type);
}

void check_argument(const Function& caller, Operand& argument, const Parameter& parameter, std::uint32_t line) {
    const bool scalar = parameter.elements == 1 && parameter.vector_width == 1;
    argument.type = parameter.type;
    if (argument.kind == OperandKind::immediate) {
        if (!scalar || is_floating(parameter.type)) {
            fail(line, "a constant cannot be passed as parameter `{}`", parameter.name);
        }
        if (bits(parameter.type) < 64) { argument.value &= (std::uint64_t{1} << bits(parameter.type)) - 1; }
        return;
    }
    const bool agrees = argument.kind == OperandKind::symbol ||
                        (scalar && register_agrees(caller.registers[argument.reg].type, parameter.type, false));
    if (size_of(caller, argument) != parameter.size || !agrees) {
        fail(line, "an argument does not agree with parameter `{}` of {} bytes in size and type", parameter.name,
             parameter.size);
    }
}

void check_list(const Function& caller, Operand* list, const std::vector<Parameter>& parameters, const char* what,
                std::uint32_t line) {
    const std::size_t count = list == nullptr ? 0 : list->elements.size();
    if (count != parameters.size()) { fail(line, "the callee has {} {}, the call {}", parameters.size(), what, count); }
    for (std::size_t i = 0; i < count; ++i) { check_argument(caller, list->elements[i], parameters[i], line); }
}

}  // namespace

void check_call(const Module& module, const Function& caller, Instruction& call) {
    Operand* results = call.destination_count == 1 ? &call.operands[0] : nullptr;
    const Operand& callee = call.operands[call.destination_count];
    Operand* arguments = nullptr;
    const Operand* prototype = nullptr;
    for (std::size_t i = call.destination_count + 1; i < call.operands.size(); ++i) {
        if (call.operands[i].kind == OperandKind::arguments) { arguments = &call.operands[i]; }
        if (call.operands[i].kind == OperandKind::prototype) { prototype = &call.operands[i]; }
    }
    if (results != nullptr && std::any_of(results->elements.begin(), results->elements.end(),
                                          [](const Operand& o) { return o.kind == OperandKind::immediate; })) {
        fail(call.line, "a call's result must be a register or a .param variable");
    }
    if (callee.kind == OperandKind::reg && prototype == nullptr) {
        fail(call.line, "an indirect call needs the name of its .callprototype as its last operand");
    }
    const auto check = [&](const auto& signature) {
        check_list(caller, results, signature.return_parameters, "results", call.line);
        check_list(caller, arguments, signature.parameters, "parameters", call.line);
    };
    if (prototype != nullptr) {
        check(caller.prototypes[prototype->target]);
    } else {
        check(module.functions[callee.symbol.index]);
    }
}

}  // namespace lookahead::ptx
