#include "components/frontend/finaliser/calls/calls.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "components/frontend/finaliser/calls/operands.h"
#include "components/frontend/finaliser/calls/parameter_addresses.h"

namespace lookahead::finaliser {

namespace {

bool is_call_variable_address(const Function& kernel, const Operand& operand) {
    return operand.kind == OperandKind::symbol && operand.symbol.kind == SymbolKind::function_variable &&
           kernel.variables[operand.symbol.index].space == StateSpace::param;
}

/// Whether it is a weak load of generic or parameter memory, which may be merged with others.
bool is_weak_load(const Instruction& instruction) {
    const ptx::Modifiers& modifiers = instruction.modifiers;
    return (instruction.opcode == Opcode::ld || instruction.opcode == Opcode::ldu) &&
           (modifiers.space == StateSpace::generic || modifiers.space == StateSpace::param) &&
           modifiers.semantics.value_or(isa::Order::weak) == isa::Order::weak &&
           modifiers.cache_operator != ptx::CacheOperator::cv;
}

Instruction access(const Instruction& origin, Opcode opcode, StateSpace space, Type type) {
    return {.opcode = opcode,
            .modifiers = {.types = {type}, .space = space},
            .destination_count = opcode == Opcode::ld ? 1U : 0U,
            .line = origin.line,
            .text = origin.text};
}

/// Copies to local memory, made when the thread begins, of the parameters whose addresses are taken.
class Copies {
  public:
    explicit Copies(const Function& kernel) : kernel_(kernel) {}

    Function make() {
        for (Instruction& instruction : kernel_.instructions) {
            for (Operand& operand : instruction.operands) {
                if (is_parameter_address(operand)) {
                    operand.symbol = {SymbolKind::function_variable, copy_of(operand.symbol.index, instruction)};
                }
            }
            if (instruction.modifiers.space != StateSpace::param) { continue; }
            const bool by_register = std::ranges::any_of(instruction.sources(), [](const Operand& operand) {
                return operand.kind == OperandKind::address && operand.has_base;
            });
            if (by_register || instruction.opcode == Opcode::cvta) { instruction.modifiers.space = StateSpace::local; }
        }
        put_at_the_beginning();
        return std::move(kernel_);
    }

  private:
    std::uint32_t copy_of(std::uint32_t index, const Instruction& origin) {
        const auto [found, is_new] = copies_.emplace(index, static_cast<std::uint32_t>(kernel_.variables.size()));
        if (!is_new) { return found->second; }
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
                if (operand.kind == OperandKind::label) { operand.target += shift; }
                for (std::uint32_t& target : operand.targets) { target += shift; }
            }
        }
        for (ptx::Label& label : kernel_.labels) { label.instruction += shift; }
        kernel_.instructions.insert(kernel_.instructions.begin(), prologue_.begin(), prologue_.end());
    }

    Function kernel_;
    std::map<std::uint32_t, std::uint32_t> copies_;  ///< parameter -> local variable
    std::vector<Instruction> prologue_;
};

/// Moves .param variables of calls to local memory if the callee takes their addresses.
void put_call_variables_into_local(Function& kernel) {
    std::vector<bool> addressed(kernel.variables.size());
    for (const Instruction& instruction : kernel.instructions) {
        for (const Operand& operand : instruction.operands) {
            if (is_call_variable_address(kernel, operand)) { addressed[operand.symbol.index] = true; }
        }
    }
    for (Instruction& instruction : kernel.instructions) {
        for (const Operand& operand : instruction.operands) {
            if (operand.kind == OperandKind::address && operand.symbol.kind == SymbolKind::function_variable &&
                addressed[operand.symbol.index]) {
                instruction.modifiers.space = StateSpace::local;
            }
        }
    }
    for (std::size_t i = 0; i < addressed.size(); ++i) {
        if (addressed[i]) { kernel.variables[i].space = StateSpace::local; }
    }
}

/// Registers that are set once, to a parameter's address plus a number.
class KnownAddresses {
  public:
    explicit KnownAddresses(const Function& kernel) : known_(kernel.registers.size()) {
        std::vector<std::uint32_t> writes(kernel.registers.size());
        for (const Instruction& instruction : kernel.instructions) {
            for (const Operand& operand : instruction.destinations()) {
                ptx::for_each_part(operand, [&writes](const Operand& part) {
                    if (part.kind == OperandKind::reg) { ++writes[part.reg]; }
                });
            }
        }
        for (const Instruction& instruction : kernel.instructions) {
            if (const auto place = result_of(instruction); place && writes[instruction.operands[0].reg] == 1) {
                known_[instruction.operands[0].reg] = place;
            }
        }
    }

    /// Replaces [register + number] by [parameter + number], as the machine's instructions take it.
    void name(const Function& kernel, Instruction& load) const {
        if (!is_weak_load(load)) { return; }
        Operand& address = load.operands[load.destination_count];
        if (!address.has_base || !known_[address.reg]) { return; }
        const Place& place = *known_[address.reg];
        const ptx::Parameter& parameter = kernel.parameters[place.parameter];
        const std::uint64_t offset = place.offset + address.value;
        const std::uint64_t element = ptx::bytes(load.type());
        const std::uint64_t bytes = element * load.modifiers.vector_width;
        const bool inside = bytes <= parameter.size && offset <= parameter.size - bytes;
        if (!inside || (parameter.offset + offset) % element != 0) { return; }
        address = address_operand({SymbolKind::parameter, place.parameter}, offset);
        load.modifiers.space = StateSpace::param;
    }

  private:
    struct Place {
        std::uint32_t parameter;
        std::uint64_t offset;
    };

    std::optional<Place> place_of(const Operand& operand) const {
        if (is_parameter_address(operand)) { return Place{operand.symbol.index, operand.value}; }
        return operand.kind == OperandKind::reg ? known_[operand.reg] : std::nullopt;
    }

    std::optional<Place> result_of(const Instruction& instruction) const {
        if (instruction.destination_count != 1 || instruction.operands[0].kind != OperandKind::reg) {
            return std::nullopt;
        }
        if (instruction.opcode == Opcode::mov || instruction.opcode == Opcode::cvta) {
            return place_of(instruction.sources()[0]);
        }
        if (instruction.opcode != Opcode::add || instruction.sources()[1].kind != OperandKind::immediate) {
            return std::nullopt;
        }
        std::optional<Place> place = place_of(instruction.sources()[0]);
        if (place) { place->offset += instruction.sources()[1].value; }
        return place;
    }

    std::vector<std::optional<Place>> known_;  ///< by register
};

/// Makes loads by register that read only parameters loads of constant memory. Returns whether there is one.
bool read_as_constants(Function& kernel, const ParameterAddresses& addresses) {
    bool reads = false;
    for (Instruction& instruction : kernel.instructions) {
        const Operand* const address = address_of(instruction);
        if (address == nullptr || !address->has_base) { continue; }
        const bool by_space = instruction.modifiers.space == StateSpace::param;
        if (by_space || (is_weak_load(instruction) && addresses.are_all_of(address->reg))) {
            instruction.modifiers.space = StateSpace::constant;
        }
        reads |= by_space || addresses.are_possible_in(address->reg);
    }
    return reads;
}

}  // namespace

bool takes_parameter_addresses(const Function& kernel) {
    return std::ranges::any_of(kernel.instructions, [&](const Instruction& instruction) {
        return std::ranges::any_of(instruction.operands, [&](const Operand& operand) {
            return is_parameter_address(operand) || is_call_variable_address(kernel, operand);
        });
    });
}

PlacedParameters place_addressed_parameters(const Function& kernel, Type address_type) {
    PlacedParameters placed{kernel};
    put_call_variables_into_local(placed.function);
    const ParameterAddresses addresses(placed.function);
    if (addresses.are_given_away() || address_type != Type::u64) {
        placed.function = Copies(placed.function).make();
        return placed;
    }
    const KnownAddresses known(kernel);
    for (Instruction& instruction : placed.function.instructions) { known.name(kernel, instruction); }
    placed.in_memory = read_as_constants(placed.function, addresses);
    return placed;
}

}  // namespace lookahead::finaliser
