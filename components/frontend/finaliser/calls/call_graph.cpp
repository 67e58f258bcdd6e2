#include "components/frontend/finaliser/calls/call_graph.h"

#include <algorithm>

#include "components/frontend/finaliser/calls/operands.h"

namespace lookahead::finaliser {

namespace {

/// By function: whether an instruction or an initial value has its address.
std::vector<bool> functions_with_address(const ptx::Module& module) {
    std::vector<bool> taken(module.functions.size(), false);
    const auto take = [&taken](const ptx::SymbolReference& symbol) {
        if (symbol.kind == SymbolKind::function) { taken[symbol.index] = true; }
    };
    for (const ptx::Variable& variable : module.variables) {
        for (const ptx::Relocation& relocation : variable.relocations) { take(relocation.symbol); }
    }
    for (const Function& function : module.functions) {
        for (const Instruction& instruction : function.instructions) {
            if (instruction.opcode != Opcode::call) {
                for (const ptx::Operand& operand : instruction.operands) { take(operand.symbol); }
            }
        }
    }
    return taken;
}

bool same_shapes(const std::vector<ptx::Parameter>& a, const std::vector<ptx::Parameter>& b) {
    return std::ranges::equal(a, b, [](const ptx::Parameter& left, const ptx::Parameter& right) {
        return left.size == right.size && left.in_register == right.in_register;
    });
}

bool fits(const Function& function, const ptx::Prototype& prototype) {
    return same_shapes(function.parameters, prototype.parameters) &&
           same_shapes(function.return_parameters, prototype.return_parameters);
}

}  // namespace

CallGraph::CallGraph(const ptx::Module& module) : module_(module), address_taken_(functions_with_address(module)) {}

std::vector<std::uint32_t> CallGraph::targets_of(const ptx::Prototype& prototype) const {
    std::vector<std::uint32_t> targets;
    for (std::uint32_t index = 0; index < module_.functions.size(); ++index) {
        const Function& function = module_.functions[index];
        if (address_taken_[index] && function.is_defined && !function.is_kernel && fits(function, prototype)) {
            targets.push_back(index);
        }
    }
    return targets;
}

std::uint32_t CallGraph::index_of(const Function& function) const {
    return static_cast<std::uint32_t>(&function - module_.functions.data());
}

std::vector<std::uint32_t> CallGraph::callees_of(std::uint32_t function) const {
    std::vector<std::uint32_t> callees;
    const Function& caller = module_.functions[function];
    for (const Instruction& instruction : caller.instructions) {
        if (instruction.opcode != Opcode::call) { continue; }
        const auto sources = instruction.sources();
        if (sources[0].kind == OperandKind::reg) {
            const auto targets = targets_of(caller.prototypes[sources.back().target]);
            callees.insert(callees.end(), targets.begin(), targets.end());
        } else {
            callees.push_back(sources[0].symbol.index);
        }
    }
    return callees;
}

const BitSet& CallGraph::reached_from(std::uint32_t function) {
    const auto [found, is_new] = reached_.try_emplace(function, module_.functions.size());
    BitSet& reached = found->second;
    std::vector<std::uint32_t> waiting;
    if (is_new) { waiting.push_back(function); }
    while (!waiting.empty()) {
        const std::uint32_t caller = waiting.back();
        waiting.pop_back();
        for (const std::uint32_t callee : callees_of(caller)) {
            if (reached.contains(callee)) { continue; }
            reached.insert(callee);
            waiting.push_back(callee);
        }
    }
    return reached;
}

bool CallGraph::leads_to(const Function& from, const Function& to) {
    return reached_from(index_of(from)).contains(index_of(to));
}

bool CallGraph::leads_to_recursion(const Function& function) {
    bool leads = false;
    reached_from(index_of(function)).for_each([&](std::uint32_t callee) {
        leads = leads || is_recursive(module_.functions[callee]);
    });
    return leads;
}

}  // namespace lookahead::finaliser
