#include "components/frontend/finaliser/calls/calls.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "components/frontend/finaliser/calls/call_graph.h"
#include "components/frontend/finaliser/calls/call_stack_writer.h"
#include "components/frontend/finaliser/calls/operands.h"
#include "components/frontend/finaliser/calls/recursive_frame.h"
#include "components/isa/code_address.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

namespace {

/// A kernel that calls make longer than this is refused.
constexpr std::size_t kMostInstructions = std::size_t{1} << 20;

class Inliner : private CallStackWriter {
  public:
    Inliner(const ptx::Module& module, const Function& kernel)
        : CallStackWriter(kernel, module.address_type()), module_(module), graph_(module) {}

    Function run(const Function& kernel) {
        for (std::uint32_t i = 0; i < kernel.variables.size(); ++i) { variable_of(kernel, i); }
        const bool recurses = graph_.leads_to_recursion(kernel);
        if (recurses) { append_stack(); }
        Body body{kernel, 0, {}, {}, nullptr, nullptr};
        append(body);
        if (recurses) { append_subroutines(); }
        return std::move(result_);
    }

  private:
    using Variables = std::vector<std::uint32_t>;

    /// A function that may be called again before it returns. Its body appears once, after the kernel's, and all calls
    /// branch to it. Values are kept in frames on a stack in local memory; a number says to which call it returns.
    struct Subroutine {
        const Function& function;
        std::uint32_t first_register;
        Variables parameters;
        Variables results;
        std::uint32_t return_place;  ///< the register with the number of the call
        RecursiveFrame frame;
        std::vector<std::uint32_t> calls = {};    ///< the branches to the body
        std::vector<std::uint32_t> returns = {};  ///< by number: the instruction after the call
        std::uint32_t end = 0;                    ///< the branch after the body
    };

    /// A function whose body is being copied.
    struct Body {
        const Function& function;
        std::uint32_t first_register;
        Variables parameters;  ///< of a callee: the variables that are its parameters and results
        Variables results;
        const Instruction* library_call = nullptr;  ///< of a function of the device library: its call in the file
        const Subroutine* subroutine = nullptr;     ///< the one that it belongs to: itself, or its caller's
    };

    /// A branch whose target is still an instruction of its own function.
    struct Branch {
        std::uint32_t instruction;
        std::uint32_t target;
    };

    [[noreturn]] void refuse(const Instruction& instruction, const std::string& reason) const {
        throw InputError("{}: {}", ptx::where(module_, instruction), reason);
    }

    /// Functions that are called more than once share their variables, because two calls are never active at once.
    std::uint32_t variable_of(const Function& function, std::uint32_t index) {
        const auto [place, is_new] = variables_.try_emplace({&function, index}, result_.variables.size());
        if (is_new) { result_.variables.push_back(function.variables[index]); }
        return static_cast<std::uint32_t>(place->second);
    }

    std::uint32_t new_registers(const Function& function) {
        const auto first = static_cast<std::uint32_t>(result_.registers.size());
        result_.registers.insert(result_.registers.end(), function.registers.begin(), function.registers.end());
        return first;
    }

    void append(Body& body) {
        body.first_register = new_registers(body.function);
        append_code(body);
    }

    void append_code(const Body& body) {
        const Function& function = body.function;
        std::vector<std::uint32_t> place;
        std::vector<Branch> branches;
        for (const Instruction& instruction : function.instructions) {
            place.push_back(next());
            append(body, instruction, branches);
        }
        place.push_back(next());
        for (const Branch& branch : branches) {
            result_.instructions[branch.instruction].operands[0].target = place[branch.target];
        }
    }

    void append(const Body& body, const Instruction& instruction, std::vector<Branch>& branches) {
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
                if (!is_callee(body)) { break; }
                branches.push_back({next(), static_cast<std::uint32_t>(body.function.instructions.size())});
                append_branch(instruction, guard_of(body, instruction));
                return;
            default:
                break;
        }
        Instruction copy = instruction;
        copy.guard = guard_of(body, instruction);
        for (Operand& operand : copy.operands) { operand = moved(body, operand, instruction); }
        if (body.library_call != nullptr) {
            copy.line = body.library_call->line;
            copy.text = body.library_call->text;
        }
        result_.instructions.push_back(std::move(copy));
    }

    bool is_callee(const Body& body) const { return !body.function.is_kernel; }

    static std::optional<ptx::Guard> guard_of(const Body& body, const Instruction& instruction) {
        std::optional<ptx::Guard> guard = instruction.guard;
        if (guard) { guard->reg += body.first_register; }
        return guard;
    }

    Operand moved(const Body& body, Operand operand, const Instruction& origin) {
        operand.reg += body.first_register;
        const std::uint32_t index = operand.symbol.index;
        if (operand.symbol.kind == SymbolKind::function_variable && is_in_frame(body, index)) {
            return place_in_frame(operand, body.subroutine->frame.variable_offset[index], origin);
        }
        if (operand.symbol.kind == SymbolKind::function_variable) {
            operand.symbol.index = variable_of(body.function, index);
        } else if (operand.symbol.kind == SymbolKind::parameter && is_callee(body)) {
            operand.symbol = {SymbolKind::function_variable, body.parameters[index]};
        } else if (operand.symbol.kind == SymbolKind::return_parameter) {
            operand.symbol = {SymbolKind::function_variable, body.results[index]};
        }
        for (Operand& element : operand.elements) { element = moved(body, element, origin); }
        return operand;
    }

    /// A branch around the following code if the instruction's guard fails.
    std::optional<std::uint32_t> skip_unless_guarded(const Body& body, const Instruction& instruction) {
        std::optional<ptx::Guard> guard = guard_of(body, instruction);
        if (!guard) { return std::nullopt; }
        guard->negated = !guard->negated;
        return append_branch(instruction, guard);
    }
    void end_skip(std::optional<std::uint32_t> branch) {
        if (branch) { result_.instructions[*branch].operands[0].target = next(); }
    }

    const Function& callee_of(const Instruction& call) const {
        const Operand& callee = call.sources()[0];
        const Function& function = module_.functions[callee.symbol.index];
        if (function.name.starts_with("__cuda_syscall_cnp")) {  // the device runtime of CUDA nested parallelism
            refuse(call, "kernels that launch kernels (dynamic parallelism) are not supported");
        }
        if (!function.is_defined) {
            refuse(call, fmt::format("{} has no body in this file; only calls of functions with a body are supported",
                                     function.name));
        }
        return function;
    }

    static const std::vector<Operand>& arguments_of(const Instruction& call) {
        static const std::vector<Operand> kNone;
        const auto sources = call.sources();
        return sources.size() > 1 && sources[1].kind == OperandKind::arguments ? sources[1].elements : kNone;
    }

    void append_call(const Body& caller, const Instruction& call) {
        if (is_failed_assertion(call)) { return append_failed_assertion(caller, call); }
        if (call.sources()[0].kind == OperandKind::reg) { return append_indirect_call(caller, call); }
        const Function& function = callee_of(call);
        const auto skip = skip_unless_guarded(caller, call);
        append_callee(caller, call, function);
        end_skip(skip);
    }

    /// Appends the callee's body, and code that passes arguments and results.
    void append_callee(const Body& caller, const Instruction& call, const Function& function) {
        if (!function.problem.empty()) { throw InputError(function.problem); }
        if (++calls_ + result_.instructions.size() > kMostInstructions) {
            refuse(call,
                   fmt::format("with this call in place the kernel has more than {} instructions", kMostInstructions));
        }
        if (graph_.is_recursive(function)) { return append_subroutine_call(caller, call, function); }
        Body callee{function,
                    static_cast<std::uint32_t>(result_.registers.size()),
                    {},
                    {},
                    function.is_library ? &call : nullptr,
                    caller.subroutine};
        const auto& arguments = arguments_of(call);
        const auto& results = call.operands[0].elements;  // read only for a function that has some
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
            callee.parameters.push_back(pass(call, callee, function.parameters[i], moved(caller, arguments[i], call)));
        }
        for (std::size_t i = 0; i < function.return_parameters.size(); ++i) {
            callee.results.push_back(results[i].kind == OperandKind::symbol
                                         ? moved(caller, results[i], call).symbol.index
                                         : new_parameter_variable(function.return_parameters[i]));
        }
        append(callee);
        for (std::size_t i = 0; i < function.return_parameters.size(); ++i) {
            take_result(call, callee, i, moved(caller, results[i], call));
        }
    }

    /// Compares the target with the addresses of all functions that the call may mean: those whose address is taken and
    /// that have the prototype's parameters and results. Real programs have few of them, so their bodies are inlined
    /// like those of other calls: there is no calling convention and no return address, and lanes with different
    /// targets diverge and meet as at any branch.
    void append_indirect_call(const Body& caller, const Instruction& call) {
        const ptx::Prototype& prototype = caller.function.prototypes[call.sources().back().target];
        const auto skip = skip_unless_guarded(caller, call);
        const Operand target = moved(caller, call.sources()[0], call);
        std::vector<std::uint32_t> ends;
        for (const std::uint32_t index : graph_.targets_of(prototype)) {
            const std::uint32_t next_target = append_unless_target(call, target, isa::code_address(index));
            append_callee(caller, call, module_.functions[index]);
            ends.push_back(append_branch(call, std::nullopt));
            result_.instructions[next_target].operands[0].target = next();
        }
        append_like(call, Opcode::trap, Type::none).operands = {target};
        for (const std::uint32_t end : ends) { result_.instructions[end].operands[0].target = next(); }
        end_skip(skip);
    }

    /// A branch, taken if the target is another address; the caller sets where it leads.
    std::uint32_t append_unless_target(const Instruction& call, const Operand& target, std::uint64_t address) {
        const std::uint32_t predicate = new_register("target", Type::pred);
        append_comparison(call, ptx::Comparison::ne, predicate, target, address, module_.address_type());
        return append_branch(call, ptx::Guard{predicate, false});
    }

    /// Sets a register to an argument, which is a .param variable or a value.
    void append_argument(const Instruction& call, const Operand& reg, const Operand& argument) {
        if (argument.kind == OperandKind::symbol) {
            append_access(call, Opcode::ld, argument.symbol.index, reg, reg.type);
        } else {
            append_move(call, reg, argument, reg.type);
        }
    }

    /// Passes an argument; returns the variable that is the callee's parameter. Parameters in registers are set; the
    /// callee's registers come next.
    std::uint32_t pass(const Instruction& call, const Body& callee, const ptx::Parameter& parameter,
                       const Operand& argument) {
        if (parameter.in_register) {
            append_argument(call, register_operand(callee.first_register + parameter.reg, parameter.type), argument);
            return 0;
        }
        if (argument.kind == OperandKind::symbol) { return argument.symbol.index; }
        const std::uint32_t variable = new_parameter_variable(parameter);
        append_access(call, Opcode::st, variable, argument, parameter.type);
        return variable;
    }

    void take_result(const Instruction& call, const Body& callee, std::size_t index, const Operand& to) {
        const ptx::Parameter& result = callee.function.return_parameters[index];
        const Operand reg = register_operand(callee.first_register + result.reg, result.type);
        if (result.in_register && to.kind == OperandKind::symbol) {
            append_access(call, Opcode::st, to.symbol.index, reg, result.type);
        } else if (result.in_register && to.kind == OperandKind::reg) {
            append_move(call, to, reg, result.type);
        } else if (to.kind == OperandKind::reg) {
            append_access(call, Opcode::ld, callee.results[index], to, result.type);
        }
    }

    bool is_failed_assertion(const Instruction& call) const {
        const Operand& callee = call.sources()[0];
        if (callee.kind != OperandKind::symbol) { return false; }
        const Function& function = module_.functions[callee.symbol.index];
        return function.name == "__assertfail" && !function.is_defined && function.parameters.size() == 5;
    }

    /// CUDA's assert(): a trap with the expression, the file, the line, the function and the size of a character.
    void append_failed_assertion(const Body& caller, const Instruction& call) {
        const auto skip = skip_unless_guarded(caller, call);
        const Function& function = module_.functions[call.sources()[0].symbol.index];
        std::vector<Operand> operands;
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
            const Operand argument = moved(caller, arguments_of(call)[i], call);
            const Type type = function.parameters[i].type;
            operands.push_back(register_operand(new_register("assertion", type), type));
            append_argument(call, operands.back(), argument);
        }
        append_like(call, Opcode::trap, Type::none).operands = std::move(operands);
        end_skip(skip);
    }

    /// The last target takes all remaining indices: PTX does not define an index that is too large.
    void append_indexed_branch(const Body& body, const Instruction& instruction, std::vector<Branch>& branches) {
        const auto skip = skip_unless_guarded(body, instruction);
        const Operand index = moved(body, instruction.operands[0], instruction);
        const std::vector<std::uint32_t>& targets = instruction.operands[1].targets;
        const std::uint32_t predicate = new_register("brx", Type::pred);
        for (std::uint32_t i = 0; i + 1 < targets.size(); ++i) {
            append_comparison(instruction, ptx::Comparison::eq, predicate, index, i);
            branches.push_back({append_branch(instruction, ptx::Guard{predicate, false}), targets[i]});
        }
        branches.push_back({append_branch(instruction, std::nullopt), targets.back()});
        end_skip(skip);
    }

    /// Whether a variable of the body's function is in each activation's frame.
    static bool is_in_frame(const Body& body, std::uint32_t variable) {
        return body.subroutine != nullptr && &body.subroutine->function == &body.function &&
               body.function.variables[variable].space == ptx::StateSpace::local;
    }

    /// Saves the values that the function needs after the call in its frame, or restores them.
    void append_kept_values(const Subroutine& function, const Instruction& call, Opcode opcode) {
        const std::uint32_t frame = append_frame_address(call);
        append_frame_access(call, opcode, frame, 0, register_operand(function.return_place, Type::u32), Type::u32);
        for (const KeptValue& kept : function.frame.kept.at(&call)) {
            if (kept.is_parameter) {
                append_kept_parameter(function, call, opcode, frame, kept);
            } else {
                append_kept_register(function, call, opcode, frame, kept);
            }
        }
    }

    void append_kept_register(const Subroutine& function, const Instruction& call, Opcode opcode, std::uint32_t frame,
                              const KeptValue& kept) {
        const Type type = function.function.registers[kept.index].type;
        const Operand reg = register_operand(function.first_register + kept.index, type);
        if (type != Type::pred) {
            const Type as_bits = ptx::with_bits(Type::b32, ptx::bits(type));
            append_frame_access(call, opcode, frame, kept.offset, reg, as_bits);
            return;
        }
        const Operand number = register_operand(new_register("kept", Type::u32), Type::u32);
        if (opcode == Opcode::st) {
            append_like(call, Opcode::selp, Type::u32,
                        {number, number_operand(1, Type::u32), number_operand(0, Type::u32), reg});
        }
        append_frame_access(call, opcode, frame, kept.offset, number, Type::u32);
        if (opcode == Opcode::ld) { append_comparison(call, ptx::Comparison::ne, reg.reg, number, 0); }
    }

    void append_kept_parameter(const Subroutine& function, const Instruction& call, Opcode opcode, std::uint32_t frame,
                               const KeptValue& kept) {
        const std::uint32_t variable = function.parameters[kept.index];
        for_each_part(variable, [&](std::uint32_t offset, Type type) {
            const Operand value = part_register(type);
            if (opcode == Opcode::st) { append_access(call, Opcode::ld, variable, value, type, offset); }
            append_frame_access(call, opcode, frame, kept.offset + offset, value, type);
            if (opcode == Opcode::ld) { append_access(call, Opcode::st, variable, value, type, offset); }
        });
    }

    Subroutine& subroutine_of(const Function& function) {
        const auto known =
            std::ranges::find_if(subroutines_, [&](const auto& each) { return &each.function == &function; });
        if (known != subroutines_.end()) { return *known; }
        Subroutine subroutine{
            function,
            new_registers(function),
            {},
            {},
            new_register("return", Type::u32),
            lay_out_frame(function, [&](const Instruction& call) { return leads_to(call, function); })};
        for (const ptx::Parameter& parameter : function.parameters) {
            subroutine.parameters.push_back(parameter.in_register ? 0 : new_parameter_variable(parameter));
        }
        for (const ptx::Parameter& result : function.return_parameters) {
            subroutine.results.push_back(result.in_register ? 0 : new_parameter_variable(result));
        }
        return subroutines_.emplace_back(std::move(subroutine));
    }

    /// Whether a call in `caller` may lead to `caller`.
    bool leads_to(const Instruction& call, const Function& caller) {
        const auto leads = [&](const Function& callee) {
            return &callee == &caller || graph_.leads_to(callee, caller);
        };
        const Operand& callee = call.sources()[0];
        if (callee.kind != OperandKind::reg) { return leads(module_.functions[callee.symbol.index]); }
        return std::ranges::any_of(graph_.targets_of(caller.prototypes[call.sources().back().target]),
                                   [&](std::uint32_t index) { return leads(module_.functions[index]); });
    }

    /// The code of a call: if the caller's frame is the stack's last, makes room after it; if the caller may be called
    /// again meanwhile, saves its values there first. Other callers keep their values in place.
    void append_subroutine_call(const Body& caller, const Instruction& call, const Function& function) {
        Subroutine& callee = subroutine_of(function);
        const Subroutine* const home = caller.subroutine;
        const bool keeps = home != nullptr && &home->function == &caller.function && home->frame.kept.contains(&call);
        if (keeps) { append_kept_values(*home, call, Opcode::st); }
        append_arguments(caller, call, callee);
        if (home != nullptr) { append_stack_move(call, home->frame.bytes); }
        append_move(call, register_operand(callee.return_place, Type::u32),
                    number_operand(callee.returns.size(), Type::u32), Type::u32);
        callee.calls.push_back(append_branch(call, std::nullopt));
        callee.returns.push_back(next());
        if (home != nullptr) { append_stack_move(call, 0U - home->frame.bytes); }
        if (keeps) { append_kept_values(*home, call, Opcode::ld); }
        append_results(caller, call, callee);
    }

    /// Arguments may be in the registers of parameters, so these are set after all have been read.
    void append_arguments(const Body& caller, const Instruction& call, const Subroutine& callee) {
        const auto& arguments = arguments_of(call);
        std::vector<std::uint32_t> values(arguments.size());
        for (std::size_t i = 0; i < callee.function.parameters.size(); ++i) {
            const ptx::Parameter& parameter = callee.function.parameters[i];
            const Operand argument = moved(caller, arguments[i], call);
            if (parameter.in_register) {
                values[i] = new_register("argument", parameter.type);
                append_argument(call, register_operand(values[i], parameter.type), argument);
            } else if (argument.kind == OperandKind::symbol) {
                append_variable_copy(call, callee.parameters[i], argument.symbol.index);
            } else {
                append_access(call, Opcode::st, callee.parameters[i], argument, parameter.type);
            }
        }
        for (std::size_t i = 0; i < callee.function.parameters.size(); ++i) {
            const ptx::Parameter& parameter = callee.function.parameters[i];
            if (parameter.in_register) {
                append_move(call, register_operand(callee.first_register + parameter.reg, parameter.type),
                            register_operand(values[i], parameter.type), parameter.type);
            }
        }
    }

    void append_results(const Body& caller, const Instruction& call, const Subroutine& callee) {
        const Body body = body_of(callee);
        for (std::size_t i = 0; i < callee.function.return_parameters.size(); ++i) {
            const Operand to = moved(caller, call.operands[0].elements[i], call);
            if (to.kind == OperandKind::symbol && !callee.function.return_parameters[i].in_register) {
                append_variable_copy(call, to.symbol.index, callee.results[i]);
            } else {
                take_result(call, body, i, to);
            }
        }
    }

    static Body body_of(const Subroutine& subroutine) {
        return {subroutine.function, subroutine.first_register, subroutine.parameters, subroutine.results, nullptr,
                &subroutine};
    }

    /// Appends the bodies, which may call further ones, and after them the branches back to the calls.
    void append_subroutines() {
        append_like({}, Opcode::exit, Type::none);
        for (std::size_t i = 0; i < subroutines_.size(); ++i) {
            Subroutine& subroutine = subroutines_[i];
            begins_.push_back(next());
            append_stack_check(place_of(subroutine.function), subroutine.frame.bytes);
            append_code(body_of(subroutine));
            subroutine.end = append_branch(place_of(subroutine.function), std::nullopt);
        }
        for (std::size_t i = 0; i < subroutines_.size(); ++i) {
            for (const std::uint32_t call : subroutines_[i].calls) {
                result_.instructions[call].operands[0].target = begins_[i];
            }
            append_returns(subroutines_[i]);
        }
    }

    /// An instruction that represents the function in messages.
    static Instruction place_of(const Function& function) { return {.line = function.line, .text = function.name}; }

    void append_returns(const Subroutine& subroutine) {
        const Instruction origin = place_of(subroutine.function);
        result_.instructions[subroutine.end].operands[0].target = next();
        const std::uint32_t predicate = new_register("return", Type::pred);
        for (std::uint32_t i = 0; i + 1 < subroutine.returns.size(); ++i) {
            append_comparison(origin, ptx::Comparison::eq, predicate,
                              register_operand(subroutine.return_place, Type::u32), i);
            append_branch(origin, ptx::Guard{predicate, false}, subroutine.returns[i]);
        }
        append_branch(origin, std::nullopt, subroutine.returns.back());
    }

    const ptx::Module& module_;
    CallGraph graph_;
    std::uint64_t calls_ = 0;
    std::map<std::pair<const Function*, std::uint32_t>, std::size_t> variables_;
    std::deque<Subroutine> subroutines_;  ///< in the order of their first calls
    std::vector<std::uint32_t> begins_;   ///< of their bodies
};

}  // namespace

Function inline_calls(const ptx::Module& module, const Function& kernel) {
    return Inliner(module, kernel).run(kernel);
}

}  // namespace lookahead::finaliser
