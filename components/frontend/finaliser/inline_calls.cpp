#include "components/frontend/finaliser/inline_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "components/isa/code_address.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

using ptx::Function;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::SymbolKind;
using ptx::Type;

namespace {

Operand register_operand(std::uint32_t reg, Type type) {
    Operand operand;
    operand.kind = OperandKind::reg;
    operand.reg = reg;
    operand.type = type;
    return operand;
}

Operand label_operand(std::uint32_t target) {
    Operand operand;
    operand.kind = OperandKind::label;
    operand.target = target;
    return operand;
}

Operand parameter_operand(std::uint32_t variable) {
    Operand operand;
    operand.kind = OperandKind::address;
    operand.type = Type::u64;
    operand.symbol = {SymbolKind::function_variable, variable};
    return operand;
}

/// A kernel that gets longer than this by its calls is refused.
constexpr std::size_t kMostInstructions = std::size_t{1} << 20;

/// By function: whether some instruction or initial value has its address.
std::vector<bool> functions_with_address(const ptx::Module& module) {
    std::vector<bool> taken(module.functions.size(), false);
    const auto take = [&taken](const ptx::SymbolReference& symbol) {
        if (symbol.kind == SymbolKind::function) taken[symbol.index] = true;
    };
    for (const ptx::Variable& variable : module.variables)
        for (const ptx::Relocation& relocation : variable.relocations) take(relocation.symbol);
    for (const Function& function : module.functions)
        for (const Instruction& instruction : function.instructions)
            if (instruction.opcode != Opcode::call)
                for (const Operand& operand : instruction.operands) take(operand.symbol);
    return taken;
}

class Inliner {
  public:
    Inliner(const ptx::Module& module, const Function& kernel)
        : module_(module), result_(kernel), address_taken_(functions_with_address(module)) {
        result_.registers.clear();
        result_.variables.clear();
        result_.instructions.clear();
        result_.labels.clear();
    }

    Function run(const Function& kernel) {
        for (std::uint32_t i = 0; i < kernel.variables.size(); ++i) variable_of(kernel, i);
        Body body{kernel, 0, {}, {}, nullptr};
        append(body);
        return std::move(result_);
    }

  private:
    using Variables = std::vector<std::uint32_t>;

    /// A function whose body is being copied.
    struct Body {
        const Function& function;
        std::uint32_t first_register;
        Variables parameters;  ///< of a callee: the result's variables that are its parameters
        Variables results;
        const Instruction* library_call = nullptr;  ///< of a function of the device library: its call in the file
    };

    /// A branch whose target is still an instruction of its own function.
    struct Branch {
        std::uint32_t instruction;
        std::uint32_t target;
    };

    [[noreturn]] void refuse(const Instruction& instruction, const std::string& reason) const {
        throw InputError(fmt::format("{}: {}", ptx::where(module_, instruction), reason));
    }

    std::uint32_t next() const { return static_cast<std::uint32_t>(result_.instructions.size()); }

    /// Functions that are called more than once share their variables: no two calls are active at once.
    std::uint32_t variable_of(const Function& function, std::uint32_t index) {
        const auto [place, is_new] = variables_.try_emplace({&function, index}, result_.variables.size());
        if (is_new) result_.variables.push_back(function.variables[index]);
        return static_cast<std::uint32_t>(place->second);
    }

    std::uint32_t new_parameter_variable(const ptx::Parameter& parameter) {
        ptx::Variable variable;
        variable.name = parameter.name;
        variable.space = ptx::StateSpace::param;
        variable.type = parameter.type;
        variable.vector_width = parameter.vector_width;
        variable.elements = parameter.elements;
        variable.alignment = parameter.alignment;
        result_.variables.push_back(std::move(variable));
        return static_cast<std::uint32_t>(result_.variables.size() - 1);
    }

    void append(Body& body) {
        const Function& function = body.function;
        body.first_register = static_cast<std::uint32_t>(result_.registers.size());
        result_.registers.insert(result_.registers.end(), function.registers.begin(), function.registers.end());
        std::vector<std::uint32_t> place;
        std::vector<Branch> branches;
        for (const Instruction& instruction : function.instructions) {
            place.push_back(next());
            append(body, instruction, branches);
        }
        place.push_back(next());
        for (const Branch& branch : branches)
            result_.instructions[branch.instruction].operands[0].target = place[branch.target];
    }

    void append(Body& body, const Instruction& instruction, std::vector<Branch>& branches) {
        switch (instruction.opcode) {
            case Opcode::call:
                append_call(body, instruction);
                return;
            case Opcode::brx_idx:
                append_indexed_branch(body, instruction, branches);
                return;
            case Opcode::bra:
                branches.push_back({next(), instruction.operands[0].target});
                break;
            case Opcode::ret:
                if (!is_callee(body)) break;
                branches.push_back({next(), static_cast<std::uint32_t>(body.function.instructions.size())});
                append_branch(instruction, guard_of(body, instruction));
                return;
            default:
                break;
        }
        Instruction copy = instruction;
        copy.guard = guard_of(body, instruction);
        for (Operand& operand : copy.operands) operand = moved(body, operand);
        if (body.library_call != nullptr) {
            copy.line = body.library_call->line;
            copy.text = body.library_call->text;
        }
        result_.instructions.push_back(std::move(copy));
    }

    bool is_callee(const Body& body) const { return !body.function.is_kernel; }

    static std::optional<ptx::Guard> guard_of(const Body& body, const Instruction& instruction) {
        std::optional<ptx::Guard> guard = instruction.guard;
        if (guard) guard->reg += body.first_register;
        return guard;
    }

    Operand moved(const Body& body, Operand operand) {
        operand.reg += body.first_register;
        const std::uint32_t index = operand.symbol.index;
        if (operand.symbol.kind == SymbolKind::function_variable)
            operand.symbol.index = variable_of(body.function, index);
        else if (operand.symbol.kind == SymbolKind::parameter && is_callee(body))
            operand.symbol = {SymbolKind::function_variable, body.parameters[index]};
        else if (operand.symbol.kind == SymbolKind::return_parameter)
            operand.symbol = {SymbolKind::function_variable, body.results[index]};
        for (Operand& element : operand.elements) element = moved(body, element);
        return operand;
    }

    Instruction& append_like(const Instruction& origin, Opcode opcode, Type type) {
        Instruction& made = result_.instructions.emplace_back();
        made.opcode = opcode;
        made.modifiers.types[0] = type;
        made.line = origin.line;
        made.text = origin.text;
        return made;
    }

    std::uint32_t append_branch(const Instruction& origin, std::optional<ptx::Guard> guard, std::uint32_t target = 0) {
        const std::uint32_t place = next();
        Instruction& branch = append_like(origin, Opcode::bra, Type::none);
        branch.guard = guard;
        branch.operands = {label_operand(target)};
        return place;
    }

    /// A branch past what follows, where the instruction's guard fails.
    std::optional<std::uint32_t> skip_unless_guarded(const Body& body, const Instruction& instruction) {
        std::optional<ptx::Guard> guard = guard_of(body, instruction);
        if (!guard) return std::nullopt;
        guard->negated = !guard->negated;
        return append_branch(instruction, guard);
    }
    void end_skip(std::optional<std::uint32_t> branch) {
        if (branch) result_.instructions[*branch].operands[0].target = next();
    }

    void append_move(const Instruction& origin, Operand to, Operand from, Type type) {
        Instruction& move = append_like(origin, Opcode::mov, type);
        to.type = from.type = type;
        move.destination_count = 1;
        move.operands = {std::move(to), std::move(from)};
    }

    void append_access(const Instruction& origin, Opcode opcode, std::uint32_t variable, Operand value, Type type) {
        Instruction& access = append_like(origin, opcode, type);
        access.modifiers.space = ptx::StateSpace::param;
        value.type = type;
        const bool loads = opcode == Opcode::ld;
        access.destination_count = loads ? 1 : 0;
        access.operands = {parameter_operand(variable), std::move(value)};
        if (loads) std::swap(access.operands[0], access.operands[1]);
    }

    const Function& callee_of(const Instruction& call) const {
        const Operand& callee = call.sources()[0];
        const Function& function = module_.functions[callee.symbol.index];
        if (!function.is_defined)
            refuse(call, fmt::format("{} has no body in this file; calls of functions that have one are supported",
                                     function.name));
        if (std::ranges::find(active_, &function) != active_.end())
            refuse(call, fmt::format("{} calls itself; recursion is not supported", function.name));
        return function;
    }

    static const std::vector<Operand>& arguments_of(const Instruction& call) {
        static const std::vector<Operand> kNone;
        const auto sources = call.sources();
        return sources.size() > 1 && sources[1].kind == OperandKind::arguments ? sources[1].elements : kNone;
    }

    void append_call(const Body& caller, const Instruction& call) {
        if (is_failed_assertion(call)) return append_failed_assertion(caller, call);
        if (call.sources()[0].kind == OperandKind::reg) return append_indirect_call(caller, call);
        const Function& function = callee_of(call);
        const auto skip = skip_unless_guarded(caller, call);
        append_callee(caller, call, function);
        end_skip(skip);
    }

    /// The callee's body with what passes arguments and results.
    void append_callee(const Body& caller, const Instruction& call, const Function& function) {
        if (!function.problem.empty()) throw InputError(function.problem);
        if (++calls_ + result_.instructions.size() > kMostInstructions)
            refuse(call,
                   fmt::format("with this call in place the kernel has more than {} instructions", kMostInstructions));
        active_.push_back(&function);
        Body callee{function,
                    static_cast<std::uint32_t>(result_.registers.size()),
                    {},
                    {},
                    function.is_library ? &call : nullptr};
        static const std::vector<Operand> kNone;
        const auto& arguments = arguments_of(call);
        const auto& results = call.destination_count == 1 ? call.operands[0].elements : kNone;
        for (std::size_t i = 0; i < function.parameters.size(); ++i)
            callee.parameters.push_back(pass(call, callee, function.parameters[i], moved(caller, arguments[i])));
        for (std::size_t i = 0; i < function.return_parameters.size(); ++i)
            callee.results.push_back(results[i].kind == OperandKind::symbol
                                         ? moved(caller, results[i]).symbol.index
                                         : new_parameter_variable(function.return_parameters[i]));
        append(callee);
        for (std::size_t i = 0; i < function.return_parameters.size(); ++i)
            take_result(call, callee, i, moved(caller, results[i]));
        active_.pop_back();
    }

    /// Comparisons with the addresses of all functions that the call may mean: those that have an address taken and the
    /// prototype's parameters and results. There are few of them in real programs, and so their bodies may stand here like
    /// those of other calls: no calling convention, no return addresses in registers or on stacks, and lanes with
    /// different targets diverge and meet again like at any branch. A function that is under way is not called again
    /// (recursion): its address is unknown here.
    void append_indirect_call(const Body& caller, const Instruction& call) {
        const ptx::Prototype& prototype = caller.function.prototypes[call.sources().back().target];
        const auto skip = skip_unless_guarded(caller, call);
        const Operand target = moved(caller, call.sources()[0]);
        std::vector<std::uint32_t> ends;
        for (std::uint32_t index = 0; index < module_.functions.size(); ++index) {
            const Function& function = module_.functions[index];
            if (!address_taken_[index] || !function.is_defined || function.is_kernel || !fits(function, prototype) ||
                std::ranges::find(active_, &function) != active_.end())
                continue;
            const std::uint32_t next_target = append_unless_target(call, target, isa::code_address(index));
            append_callee(caller, call, function);
            ends.push_back(append_branch(call, std::nullopt));
            result_.instructions[next_target].operands[0].target = next();
        }
        append_like(call, Opcode::trap, Type::none).operands = {target};
        for (const std::uint32_t end : ends) result_.instructions[end].operands[0].target = next();
        end_skip(skip);
    }

    /// A branch where the target is another address; its own target is to be filled in.
    std::uint32_t append_unless_target(const Instruction& call, const Operand& target, std::uint64_t address) {
        result_.registers.push_back({"target", Type::pred});
        const auto predicate = static_cast<std::uint32_t>(result_.registers.size() - 1);
        Instruction& test = append_like(call, Opcode::setp, module_.address_type());
        test.modifiers.comparison = ptx::Comparison::ne;
        test.destination_count = 1;
        Operand number;
        number.kind = OperandKind::immediate;
        number.type = module_.address_type();
        number.value = address;
        test.operands = {register_operand(predicate, Type::pred), target, number};
        test.operands[1].type = module_.address_type();
        return append_branch(call, ptx::Guard{predicate, false});
    }

    static bool fits(const Function& function, const ptx::Prototype& prototype) {
        const auto same = [](const std::vector<ptx::Parameter>& a, const std::vector<ptx::Parameter>& b) {
            return std::ranges::equal(a, b, [](const ptx::Parameter& left, const ptx::Parameter& right) {
                return left.size == right.size && left.in_register == right.in_register;
            });
        };
        return same(function.parameters, prototype.parameters) &&
               same(function.return_parameters, prototype.return_parameters);
    }

    /// The variable that is the callee's parameter. Parameters in registers are set; the callee's registers come next.
    std::uint32_t pass(const Instruction& call, const Body& callee, const ptx::Parameter& parameter,
                       const Operand& argument) {
        const bool in_memory = argument.kind == OperandKind::symbol;
        const Operand reg = register_operand(callee.first_register + parameter.reg, parameter.type);
        if (parameter.in_register) {
            if (in_memory)
                append_access(call, Opcode::ld, argument.symbol.index, reg, parameter.type);
            else
                append_move(call, reg, argument, parameter.type);
            return 0;
        }
        if (in_memory) return argument.symbol.index;
        const std::uint32_t variable = new_parameter_variable(parameter);
        append_access(call, Opcode::st, variable, argument, parameter.type);
        return variable;
    }

    void take_result(const Instruction& call, const Body& callee, std::size_t index, const Operand& to) {
        const ptx::Parameter& result = callee.function.return_parameters[index];
        const Operand reg = register_operand(callee.first_register + result.reg, result.type);
        if (result.in_register && to.kind == OperandKind::symbol)
            append_access(call, Opcode::st, to.symbol.index, reg, result.type);
        else if (result.in_register && to.kind == OperandKind::reg)
            append_move(call, to, reg, result.type);
        else if (to.kind == OperandKind::reg)
            append_access(call, Opcode::ld, callee.results[index], to, result.type);
    }

    bool is_failed_assertion(const Instruction& call) const {
        const Operand& callee = call.sources()[0];
        if (callee.kind != OperandKind::symbol) return false;
        const Function& function = module_.functions[callee.symbol.index];
        return function.name == "__assertfail" && !function.is_defined && function.parameters.size() == 5;
    }

    /// CUDA's assert(): a trap that knows the expression, the file, the line, the function and the size of a character.
    void append_failed_assertion(const Body& caller, const Instruction& call) {
        const auto skip = skip_unless_guarded(caller, call);
        const Function& function = module_.functions[call.sources()[0].symbol.index];
        std::vector<Operand> operands;
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
            const Operand argument = moved(caller, arguments_of(call)[i]);
            const Type type = function.parameters[i].type;
            result_.registers.push_back({"assertion", type});
            operands.push_back(register_operand(static_cast<std::uint32_t>(result_.registers.size() - 1), type));
            if (argument.kind == OperandKind::symbol)
                append_access(call, Opcode::ld, argument.symbol.index, operands.back(), type);
            else
                append_move(call, operands.back(), argument, type);
        }
        append_like(call, Opcode::trap, Type::none).operands = std::move(operands);
        end_skip(skip);
    }

    /// The last target takes what no other does: an index that is too large has no meaning in PTX.
    void append_indexed_branch(const Body& body, const Instruction& instruction, std::vector<Branch>& branches) {
        const auto skip = skip_unless_guarded(body, instruction);
        const Operand index = moved(body, instruction.operands[0]);
        const std::vector<std::uint32_t>& targets = instruction.operands[1].targets;
        result_.registers.push_back({"brx", Type::pred});
        const auto predicate = static_cast<std::uint32_t>(result_.registers.size() - 1);
        for (std::uint32_t i = 0; i + 1 < targets.size(); ++i) {
            Instruction& test = append_like(instruction, Opcode::setp, Type::u32);
            test.modifiers.comparison = ptx::Comparison::eq;
            test.destination_count = 1;
            Operand number;
            number.kind = OperandKind::immediate;
            number.type = Type::u32;
            number.value = i;
            test.operands = {register_operand(predicate, Type::pred), index, number};
            test.operands[1].type = Type::u32;
            branches.push_back({append_branch(instruction, ptx::Guard{predicate, false}), targets[i]});
        }
        branches.push_back({append_branch(instruction, std::nullopt), targets.back()});
        end_skip(skip);
    }

    const ptx::Module& module_;
    Function result_;
    std::uint64_t calls_ = 0;
    std::map<std::pair<const Function*, std::uint32_t>, std::size_t> variables_;
    std::vector<const Function*> active_;
    std::vector<bool> address_taken_;
};

}  // namespace

Function inline_calls(const ptx::Module& module, const Function& kernel) {
    return Inliner(module, kernel).run(kernel);
}

}  // namespace lookahead::finaliser
