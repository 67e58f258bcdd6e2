#include "components/frontend/finaliser/calls/addressed_parameters.h"

#include <algorithm>
#include <map>
#include <utility>

#include "components/frontend/finaliser/calls/operands.h"

namespace lookahead::finaliser {

using ptx::Function;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::StateSpace;
using ptx::SymbolKind;
using ptx::Type;

namespace {

bool is_parameter_address(const Operand& operand) {
    return operand.kind == OperandKind::symbol && operand.symbol.kind == SymbolKind::parameter;
}

Instruction access(const Instruction& origin, Opcode opcode, StateSpace space, Type type) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.modifiers.space = space;
    instruction.modifiers.types[0] = type;
    instruction.destination_count = opcode == Opcode::ld ? 1 : 0;
    instruction.line = origin.line;
    instruction.text = origin.text;
    return instruction;
}

class Copies {
  public:
    explicit Copies(const Function& kernel) : kernel_(kernel) {}

    Function make() {
        for (Instruction& instruction : kernel_.instructions) {
            for (Operand& operand : instruction.operands)
                if (is_parameter_address(operand))
                    operand.symbol = {SymbolKind::function_variable, copy_of(operand.symbol.index, instruction)};
            if (instruction.modifiers.space != StateSpace::param) continue;
            const bool by_register = std::ranges::any_of(instruction.sources(), [](const Operand& operand) {
                return operand.kind == OperandKind::address && operand.has_base;
            });
            if (by_register || instruction.opcode == Opcode::cvta) instruction.modifiers.space = StateSpace::local;
        }
        put_at_the_beginning();
        return std::move(kernel_);
    }

  private:
    /// The local variable that is the parameter's copy.
    std::uint32_t copy_of(std::uint32_t index, const Instruction& origin) {
        const auto [found, is_new] = copies_.emplace(index, static_cast<std::uint32_t>(kernel_.variables.size()));
        if (!is_new) return found->second;
        const ptx::Parameter& parameter = kernel_.parameters[index];
        ptx::Variable& variable = kernel_.variables.emplace_back();
        variable.name = parameter.name;
        variable.space = StateSpace::local;
        variable.type = Type::b8;
        variable.elements = parameter.size;
        variable.alignment = std::max(parameter.alignment, 4U);
        variable.line = origin.line;
        for (std::uint64_t offset = 0; offset < parameter.size;) {
            const bool whole_word = parameter.offset % 4 == 0 && parameter.size - offset >= 4;
            append_copy(index, found->second, offset, whole_word ? Type::b32 : Type::b8, origin);
            offset += whole_word ? 4 : 1;
        }
        return found->second;
    }

    void append_copy(std::uint32_t parameter, std::uint32_t variable, std::uint64_t offset, Type type,
                     const Instruction& origin) {
        const auto reg = static_cast<std::uint32_t>(kernel_.registers.size());
        kernel_.registers.push_back({"", type == Type::b32 ? Type::b32 : Type::b16});
        Instruction& load = prologue_.emplace_back(access(origin, Opcode::ld, StateSpace::param, type));
        load.operands = {register_operand(reg, type), address_operand({SymbolKind::parameter, parameter}, offset)};
        Instruction& store = prologue_.emplace_back(access(origin, Opcode::st, StateSpace::local, type));
        store.operands = {address_operand({SymbolKind::function_variable, variable}, offset),
                          register_operand(reg, type)};
    }

    void put_at_the_beginning() {
        const auto shift = static_cast<std::uint32_t>(prologue_.size());
        for (Instruction& instruction : kernel_.instructions) {
            for (Operand& operand : instruction.operands) {
                if (operand.kind == OperandKind::label) operand.target += shift;
                for (std::uint32_t& target : operand.targets) target += shift;
            }
        }
        for (ptx::Label& label : kernel_.labels) label.instruction += shift;
        kernel_.instructions.insert(kernel_.instructions.begin(), prologue_.begin(), prologue_.end());
    }

    Function kernel_;
    std::map<std::uint32_t, std::uint32_t> copies_;  ///< parameter -> local variable
    std::vector<Instruction> prologue_;
};

}  // namespace

bool takes_parameter_addresses(const Function& kernel) {
    return std::ranges::any_of(kernel.instructions, [](const Instruction& instruction) {
        return std::ranges::any_of(instruction.operands, is_parameter_address);
    });
}

Function copy_addressed_parameters(const Function& kernel) {
    return Copies(kernel).make();
}

}  // namespace lookahead::finaliser
