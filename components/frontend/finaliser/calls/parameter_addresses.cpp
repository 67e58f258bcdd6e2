#include "components/frontend/finaliser/calls/parameter_addresses.h"

#include <algorithm>

#include "components/frontend/finaliser/calls/operands.h"

namespace lookahead::finaliser {

namespace {

bool takes_address(const Instruction& instruction) {
    return std::ranges::any_of(instruction.sources(), is_parameter_address);
}

/// Whether the operand is a .param variable of a call, named directly: it holds values as a register does.
bool is_call_variable(const Instruction& instruction, const Operand& operand) {
    return instruction.modifiers.space == StateSpace::param && operand.kind == OperandKind::address &&
           !operand.has_base && operand.symbol.kind == SymbolKind::function_variable;
}

bool reads_only(Opcode opcode) {
    return opcode == Opcode::ld || opcode == Opcode::ldu || opcode == Opcode::ld_stride ||
           opcode == Opcode::ld_indirect || opcode == Opcode::prefetch || opcode == Opcode::prefetchu;
}

}  // namespace

ParameterAddresses::ParameterAddresses(const ptx::Function& kernel) : kernel_(kernel), registers_(kernel.registers) {
    const std::size_t nodes = registers_.size() + kernel.variables.size();
    users_.resize(nodes);
    possible_.resize(nodes, false);
    for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
        steps_.push_back(step_of(kernel.instructions[i]));
        for (const std::uint32_t node : steps_.back().from) { users_[node].push_back(i); }
    }
    find_possible();
    find_certain();
    judge_uses();
}

/// Values from memory are not addresses as long as no address is given away.
ParameterAddresses::Step ParameterAddresses::step_of(const Instruction& instruction) const {
    Step step;
    const Operand* const address = address_of(instruction);
    const bool of_call = address != nullptr && is_call_variable(instruction, *address);
    for (const Operand& operand : instruction.sources()) {
        ptx::for_each_part(operand, [&](const Operand& part) {
            if (part.kind == OperandKind::reg) { step.from.push_back(part.reg); }
        });
    }
    Nodes& results = address == nullptr || of_call ? step.to : step.loaded;
    for (const Operand& operand : instruction.destinations()) {
        ptx::for_each_part(operand, [&](const Operand& part) {
            const bool holds = part.kind == OperandKind::reg && registers_[part.reg].type != ptx::Type::pred;
            if (holds) { results.push_back(part.reg); }
        });
    }
    if (of_call) { (reads_only(instruction.opcode) ? step.from : step.to).push_back(variable(address->symbol.index)); }
    return step;
}

void ParameterAddresses::find_possible() {
    Nodes open;
    const auto reach = [&](const Step& step) {
        for (const std::uint32_t node : step.to) {
            if (!possible_[node]) { open.push_back(node); }
            possible_[node] = true;
        }
    };
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (takes_address(kernel_.instructions[i])) { reach(steps_[i]); }
    }
    while (!open.empty()) {
        const std::uint32_t node = open.back();
        open.pop_back();
        for (const std::uint32_t i : users_[node]) { reach(steps_[i]); }
    }
}

bool ParameterAddresses::is_address(const Operand& operand) const {
    return is_parameter_address(operand) || (operand.kind == OperandKind::reg && only_[operand.reg]);
}

/// Whether the result is an address of a parameter, given that operands are.
bool ParameterAddresses::carries_address(const Instruction& instruction, const Step& step) const {
    const auto sources = instruction.sources();
    switch (instruction.opcode) {
        case Opcode::mov:
        case Opcode::cvta:
        case Opcode::sub:
            return is_address(sources[0]);
        case Opcode::add:
            return is_address(sources[0]) || is_address(sources[1]);
        case Opcode::mad:
            return is_address(sources[2]);
        case Opcode::selp:
            return is_address(sources[0]) && is_address(sources[1]);
        case Opcode::ld:
        case Opcode::st:
            return !step.from.empty() && std::ranges::all_of(step.from, [this](auto node) { return only_[node]; });
        default:
            return false;
    }
}

void ParameterAddresses::find_certain() {
    only_ = possible_;
    Nodes open;
    const auto drop = [&](const Nodes& nodes) {
        for (const std::uint32_t node : nodes) {
            if (only_[node]) { open.push_back(node); }
            only_[node] = false;
        }
    };
    const auto check = [&](std::uint32_t i) {
        if (!carries_address(kernel_.instructions[i], steps_[i])) { drop(steps_[i].to); }
        drop(steps_[i].loaded);
    };
    for (std::uint32_t i = 0; i < steps_.size(); ++i) { check(i); }
    while (!open.empty()) {
        const std::uint32_t node = open.back();
        open.pop_back();
        for (const std::uint32_t i : users_[node]) { check(i); }
    }
}

void ParameterAddresses::judge_uses() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Operand* const address = address_of(kernel_.instructions[i]);
        if (address == nullptr) { continue; }
        const bool at_address = address->has_base && possible_[address->reg];
        const bool with_address = takes_address(kernel_.instructions[i]) ||
                                  std::ranges::any_of(steps_[i].from, [this](auto node) { return possible_[node]; });
        const bool goes_to_memory = with_address && steps_[i].to.empty();
        given_away_ |= !reads_only(kernel_.instructions[i].opcode) && (at_address || goes_to_memory);
    }
}

}  // namespace lookahead::finaliser
